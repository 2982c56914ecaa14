"""SQL over stored runs goes in; columns and rows come out, by DuckDB."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worldline.errors import InputError
from worldline.store.columns import Column
from worldline.store.parts import rows_to_arrow
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
        views = [_view(connection, number, s, columns) for number, s in enumerate(sources)]
        connection.execute(f"create view samples as {' union all by name '.join(views)}")
        try:
            cursor = connection.execute(sql)
            names = tuple(column[0] for column in cursor.description or ())
            return QueryResult(names, tuple(cursor.fetchall()))
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


def _view(connection: Any, number: int, source: Source, columns: Sequence[Column]) -> str:
    """The select that has all rows of one run."""
    rows = []
    files = list(source.files)
    if files and source.place.is_remote:
        import pyarrow.dataset

        found = pyarrow.dataset.dataset(files, filesystem=source.place.filesystem)
        connection.register(f"parts_{number}", found)
        rows.append(f"select * from parts_{number}")
    elif files:
        rows.append(f"select * from read_parquet([{', '.join(map(_literal, files))}])")
    if source.open_rows or not files:
        connection.register(f"open_{number}", rows_to_arrow(columns, source.open_rows))
        rows.append(f"select * from open_{number}")
    known = {"run", *(column.name for column in columns)}
    facets = "".join(
        f", {_facet(name, kind)}" for name, kind in source.facets.items() if name not in known
    )
    every = " union all by name ".join(rows)
    return f"select {_literal(source.place.name)} as run, *{facets} from ({every})"


def _facet(name: str, kind: str) -> str:
    path = _literal(f'$."{name}"')
    value = f"json_extract_string(facets, {path})"
    if kind == "int":
        value = f"cast({value} as bigint)"
    quoted = name.replace('"', '""')
    return f'{value} as "{quoted}"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
