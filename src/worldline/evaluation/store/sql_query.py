"""SQL queries over stored runs and stores of traces, with DuckDB."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldline.core.errors import InputError
from worldline.core.util.optional_imports import optional_import
from worldline.evaluation.store.columns import Column
from worldline.evaluation.store.location import StoreLocation
from worldline.evaluation.store.parquet_parts import column_names, rows_to_arrow
from worldline.evaluation.store.trace_rows import TRACE_COLUMNS, finished_parts
from worldline.evaluation.store.trace_shards import OLD_OUTCOMES, OUTCOME_COLUMNS, outcome_files


@dataclass(frozen=True, slots=True)
class QuerySource:
    """A stored run to query.

    `open_rows` are the rows of its journal that are in no part yet. `facets` maps each key of its
    JSON column `facets` to "int" or "text".
    """

    location: StoreLocation
    files: Sequence[str]
    open_rows: Sequence[dict[str, Any]] = ()
    facets: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        parts, rows = len(self.files), len(self.open_rows)
        return f"<{type(self).__name__} {self.location.address}: {parts} parts, {rows} open rows>"


@dataclass(frozen=True, slots=True)
class LegacyNames:
    """Old names in parts that an earlier version wrote, and the current ones.

    `columns`: old column -> new column. `values`: new column -> old value -> new value.
    `keys`: new column of JSON objects -> old key -> new key.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    keys: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Column names and rows of a query's result."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __repr__(self) -> str:
        return f"<QueryResult: {len(self.rows)} rows of {', '.join(self.columns):.80}>"


def query(
    sql: str,
    sources: Sequence[QuerySource],
    columns: Sequence[Column],
    *,
    legacy_names: LegacyNames | None = None,
) -> QueryResult:
    """Run one query on the view `samples`, which contains the rows of all runs.

    In addition to `columns`, the view has the column `run` and a column for each facet.

    "select verdict, count(*) from samples group by all" -> ("correct", 312), ("incorrect", 433)

    Args:
        sql: The query.
        sources: The runs.
        columns: Columns of the runs.
        legacy_names: Names that earlier versions used for columns and values.

    Raises:
        InputError: The query fails, or a part cannot be read.
    """
    names = _run_names([source.location for source in sources])
    legacy_names = legacy_names or LegacyNames()

    def create(connection: Any) -> None:
        views = [
            _view(connection, number, name, source, columns, legacy_names)
            for number, (name, source) in enumerate(zip(names, sources, strict=True))
        ]
        connection.execute(f"create view samples as {' union all by name '.join(views)}")

    return _execute(sql, create, names, views="view `samples`", example="samples")


def query_trace_stores(sql: str, locations: Sequence[StoreLocation]) -> QueryResult:
    """Run one query on the views `outcomes` and `traces` of stores of `worldline trace`.

    `outcomes` has a row for every program, `traces` one for every kept trace; both have the column
    `store`.

    Args:
        sql: The query.
        locations: The stores.

    Raises:
        InputError: The query fails, or a part cannot be read.
    """
    names = _run_names(locations)

    def create(connection: Any) -> None:
        for view, columns, files_of in (
            ("outcomes", OUTCOME_COLUMNS, outcome_files),
            ("traces", TRACE_COLUMNS, finished_parts),
        ):
            selected = []
            for number, (name, location) in enumerate(zip(names, locations, strict=True)):
                source = QuerySource(location, files_of(location))
                rows = _rows(connection, f"{view}_{number}", source, columns)
                selected.append(f"select {_literal(name)} as store, * from ({rows})")
            all_rows = " union all by name ".join(selected)
            if view == "outcomes":
                all_rows = f"select * replace ({_new_outcome()} as outcome) from ({all_rows})"
            connection.execute(f"create view {view} as {all_rows}")

    views = "views `outcomes` and `traces`"
    return _execute(sql, create, names, views=views, example="outcomes")


def _new_outcome() -> str:
    """SQL that gives outcomes of old stores their current names."""
    cases = "".join(
        f" when {_literal(was)} then {_literal(now)}" for was, now in OLD_OUTCOMES.items()
    )
    return f"case outcome{cases} else outcome end"


def _execute(
    sql: str,
    create_views: Callable[[Any], None],
    names: Sequence[str],
    *,
    views: str,
    example: str,
) -> QueryResult:
    """Create views in a new database, and run one query on them."""
    duckdb = require_duckdb()
    with duckdb.connect() as connection:
        try:
            create_views(connection)
        except duckdb.Error as error:
            raise InputError(f"cannot read {', '.join(names)}: {error}") from None
        try:
            cursor = connection.execute(sql)
            if cursor is None:
                raise InputError(f'the query is empty; try "select * from {example} limit 3"')
            result_columns = tuple(column[0] for column in cursor.description or ())
            return QueryResult(result_columns, tuple(cursor.fetchall()))
        except duckdb.Error as error:
            raise InputError(f"{error}\n(the rows are in the {views})") from None


def require_duckdb() -> Any:
    """Import DuckDB, or raise an error that says how to install it."""
    with optional_import("queries need duckdb; install it with", extra="runs"):
        import duckdb
    return duckdb


def _run_names(locations: Sequence[StoreLocation]) -> list[str]:
    """Names of the runs; the address for runs that would have the same name.

    a/base, b/base, b/tuned -> a/base, b/base, tuned
    """
    paths = defaultdict(set)
    for location in locations:
        paths[location.name].add(location.path)
    return [
        location.name if len(paths[location.name]) == 1 else location.address
        for location in locations
    ]


def _view(
    connection: Any,
    number: int,
    name: str,
    source: QuerySource,
    columns: Sequence[Column],
    legacy_names: LegacyNames,
) -> str:
    """Select statement that returns all rows of one run."""
    facets = "".join(_facets(source.facets, columns))
    all_rows = _with_new_names(
        connection, _rows(connection, str(number), source, columns), legacy_names
    )
    times = _utc_times(columns)
    return f"select {_literal(name)} as run, *{times}{facets} from ({all_rows})"


def _rows(connection: Any, key: str, source: QuerySource, columns: Sequence[Column]) -> str:
    """Select statement that returns all stored rows; `key` makes the names of its tables unique."""
    rows = []
    files = list(source.files)
    if files and source.location.is_remote:
        import pyarrow.dataset

        for group, paths in enumerate(_group_by_columns(source.location, files)):
            dataset = pyarrow.dataset.dataset(paths, filesystem=source.location.filesystem)
            connection.register(f"parts_{key}_{group}", dataset)
            rows.append(f"select * from parts_{key}_{group}")
    elif files:
        listed = ", ".join(map(_literal, files))
        # Matching columns by name reads the footer of every file, so it is done only if the
        # columns differ. An earlier version can only have written the first parts.
        is_mixed = column_names(source.location, files[0]) != column_names(
            source.location, files[-1]
        )
        # By default, DuckDB reads a folder named depth=3 as a column.
        rows.append(
            f"select * from read_parquet([{listed}], union_by_name = {is_mixed}, "
            "hive_partitioning = false)"
        )
    if source.open_rows or not files:
        connection.register(f"open_{key}", rows_to_arrow(columns, source.open_rows))
        rows.append(f"select * from open_{key}")
    return " union all by name ".join(rows)


def _group_by_columns(location: StoreLocation, files: Sequence[str]) -> list[list[str]]:
    """Group parts that have the same columns: an Arrow dataset has those of its first file."""
    if column_names(location, files[0]) == column_names(location, files[-1]):
        return [list(files)]
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path in files:
        groups[tuple(column_names(location, path))].append(path)
    return list(groups.values())


def _with_new_names(connection: Any, rows: str, legacy_names: LegacyNames) -> str:
    """Select the rows with the current names and values; unchanged if no part is old."""
    described = connection.execute(f"describe {rows}").fetchall()
    names = [str(name) for name, *_ in described]
    old = {name: legacy_names.columns[name] for name in names if name in legacy_names.columns}
    if not old:
        return rows
    old_names: dict[str, list[str]] = defaultdict(list)
    for name, new in old.items():
        old_names[new].append(name)
    selected = []
    for name in dict.fromkeys(old.get(name, name) for name in names):
        quoted = [f'"{each}"' for each in (name, *old_names[name]) if each in names]
        value = quoted[0] if len(quoted) == 1 else f"coalesce({', '.join(quoted)})"
        for was, now in legacy_names.keys.get(name, {}).items():
            old_key, new_key = _literal(f'"{was}":'), _literal(f'"{now}":')
            value = f"replace({value}, {old_key}, {new_key})"
        cases = "".join(
            f" when {_literal(was)} then {_literal(now)}"
            for was, now in legacy_names.values.get(name, {}).items()
        )
        selected.append(
            f'{f"case {value}{cases} else {value} end" if cases else value} as "{name}"'
        )
    return f"select {', '.join(selected)} from ({rows})"


def _utc_times(columns: Sequence[Column]) -> str:
    """SQL that converts times to UTC without a time zone.

    DuckDB needs pytz to return a time with a zone, and does not install it.
    """
    times = [f'"{column.name}"' for column in columns if column.type == "time"]
    plain = ", ".join(f"{name} at time zone 'UTC' as {name}" for name in times)
    return f" replace ({plain})" if plain else ""


def _facets(facets: Mapping[str, str], columns: Sequence[Column]) -> Iterator[str]:
    """SQL for a column for each facet whose name is not taken. DuckDB ignores case."""
    # An empty name cannot be a column, either.
    taken = {"", "run", *(column.name for column in columns)}
    for name, kind in facets.items():
        if name.lower() not in taken:
            taken.add(name.lower())
            yield f", {_facet(name, kind)}"


def _facet(name: str, kind: str) -> str:
    # A JSON pointer: a JSON path has wildcards, and cannot contain a quote.
    path = _literal("/" + name.replace("~", "~0").replace("/", "~1"))
    value = f"json_extract_string(facets, {path})"
    if kind == "int":
        value = f"cast({value} as bigint)"
    quoted = name.replace('"', '""')
    return f'{value} as "{quoted}"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
