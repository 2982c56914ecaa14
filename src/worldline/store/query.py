"""SQL over stored runs goes in; columns and rows come out, by DuckDB."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldline.errors import InputError
from worldline.store.columns import Column
from worldline.store.parts import column_names, rows_to_arrow
from worldline.store.place import Place


@dataclass(frozen=True, slots=True)
class Source:
    """A stored run: its parts, and the rows that are in no part yet. `facets` are the names in its
    JSON column `facets`, each with "int" or "text"."""

    place: Place
    files: Sequence[str]
    open_rows: Sequence[dict[str, Any]] = ()
    facets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def query(sql: str, sources: Sequence[Source], columns: Sequence[Column]) -> QueryResult:
    """Run one query; the view `samples` holds the rows of all runs, with `run` and facets beside.

    "select verdict, count(*) from samples group by all" -> ("right", 312), ("wrong", 433)
    """
    duckdb = require_duckdb()
    with duckdb.connect() as connection:
        names = _names([source.place for source in sources])
        try:
            views = [
                _view(connection, number, named, columns)
                for number, named in enumerate(zip(names, sources, strict=True))
            ]
            connection.execute(f"create view samples as {' union all by name '.join(views)}")
        except duckdb.Error as error:
            raise InputError(f"cannot read {', '.join(names)}: {error}") from None
        try:
            cursor = connection.execute(sql)
            if cursor is None:
                raise InputError('the query is empty; try "select * from samples limit 3"')
            found = tuple(column[0] for column in cursor.description or ())
            return QueryResult(found, tuple(cursor.fetchall()))
        except duckdb.Error as error:
            raise InputError(f"{error}\n(the rows are in the view `samples`)") from None


def require_duckdb() -> Any:
    """DuckDB, or an error that says how to get it."""
    try:
        import duckdb
    except ImportError:
        raise InputError(
            "queries need duckdb; install it with: pip install 'worldline[runs]'"
        ) from None
    return duckdb


def _names(places: Sequence[Place]) -> list[str]:
    """The runs' names; the paths of those that would have one name.

    a/base, b/base, b/tuned -> a/base, b/base, tuned
    """
    paths = defaultdict(set)
    for place in places:
        paths[place.name].add(place.path)
    return [place.name if len(paths[place.name]) == 1 else place.address for place in places]


def _view(
    connection: Any, number: int, named: tuple[str, Source], columns: Sequence[Column]
) -> str:
    """The select that has all rows of one run."""
    name, source = named
    rows = []
    files = list(source.files)
    if files and source.place.is_remote:
        import pyarrow.dataset

        found = pyarrow.dataset.dataset(files, filesystem=source.place.filesystem)
        connection.register(f"parts_{number}", found)
        rows.append(f"select * from parts_{number}")
    elif files:
        listed = ", ".join(map(_literal, files))
        # To go by names it reads the end of every file first; a version of ours that had other
        # columns wrote the first of them, or none.
        is_mixed = column_names(source.place, files[0]) != column_names(source.place, files[-1])
        # By itself it takes a folder that is called budget=512 for a column.
        rows.append(
            f"select * from read_parquet([{listed}], union_by_name = {is_mixed}, "
            "hive_partitioning = false)"
        )
    if source.open_rows or not files:
        connection.register(f"open_{number}", rows_to_arrow(columns, source.open_rows))
        rows.append(f"select * from open_{number}")
    facets = "".join(_facets(source.facets, columns))
    every = " union all by name ".join(rows)
    times = _plain_times(columns)
    return f"select {_literal(name)} as run, *{times}{facets} from ({every})"


def _plain_times(columns: Sequence[Column]) -> str:
    """Times in UTC, without a zone: to hand out one with a zone DuckDB needs pytz, and does not
    bring it along."""
    times = [f'"{column.name}"' for column in columns if column.kind == "time"]
    plain = ", ".join(f"{name} at time zone 'UTC' as {name}" for name in times)
    return f" replace ({plain})" if plain else ""


def _facets(facets: Mapping[str, str], columns: Sequence[Column]) -> Iterator[str]:
    """A column for each facet whose name is free; to DuckDB, "Depth" is "depth"."""
    # What has no name cannot be a column, either.
    taken = {"", "run", *(column.name for column in columns)}
    for name, kind in facets.items():
        if name.lower() not in taken:
            taken.add(name.lower())
            yield f", {_facet(name, kind)}"


def _facet(name: str, kind: str) -> str:
    # A JSON pointer: paths have wildcards, and no way to write a quote.
    path = _literal("/" + name.replace("~", "~0").replace("/", "~1"))
    value = f"json_extract_string(facets, {path})"
    if kind == "int":
        value = f"cast({value} as bigint)"
    quoted = name.replace('"', '""')
    return f'{value} as "{quoted}"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
