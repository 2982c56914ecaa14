"""The samples of a run go in; a table that can be searched, filtered and sorted comes out.

The page does the same with a table that it has in a file (viewer/src/query.ts).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from worldline.runs import Judged, sample_name

Cell = str | int | None
# A column with at most so many different texts can be chosen from.
_FEW = 40


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what its head says, and the values to choose from, where there are few."""

    name: str
    title: str
    type: Literal["text", "number"]
    values: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Table:
    """All samples of a run; the first column is the name that each is asked for by."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Query:
    """Which rows to show: those with `search` in any text, and in each named column the value that
    is named (empty for none), sorted by a column; of those, `limit` from `offset` on."""

    search: str = ""
    facets: Mapping[str, str] = field(default_factory=dict)
    sort: str | None = None
    is_descending: bool = False
    offset: int = 0
    limit: int = 100


_FACET = "program_"
# What every sample has: the name of the column, and what its head says.
_KNOWN = {
    "id": "sample",
    "verdict": "verdict",
    "outcome": "outcome",
    "where": "differs in",
    "kind": "kind",
    "cause": "cause",
    "action": "action",
    "step": "at step",
    "right_steps": "right steps",
    "steps": "steps",
    "tokens": "tokens written",
}


def table_of(rows: Sequence[Judged]) -> Table:
    """The samples of a run, with what the benchmark knows of each beside."""
    facets = dict.fromkeys(name for row in rows for name in row.facets)
    # What the benchmark calls by one of our words is its own.
    names = {**_KNOWN, **{f"{_FACET}{name}": f"program's {name}" for name in facets}}
    cells = tuple(tuple(_cells(row, names)) for row in rows)
    return Table(
        tuple(
            _column(name, title, [row[place] for row in cells])
            for place, (name, title) in enumerate(names.items())
        ),
        cells,
    )


def _cells(row: Judged, names: Mapping[str, str]) -> list[Cell]:
    steps = row.true_steps if row.true_steps is not None else row.difficulty.get("steps")
    known: dict[str, Cell] = {
        "id": sample_name(row),
        "verdict": row.verdict,
        "outcome": row.outcome,
        # As the summary counts them: of what diverged alone, and of no kind where no value differs.
        "where": row.differs_in,
        "kind": row.kind if row.kind or row.differs_in is None else "-",
        "cause": row.cause,
        "action": row.action,
        "step": row.step,
        "right_steps": row.matched_steps,
        "steps": steps,
        "tokens": row.written_tokens,
    }
    return [
        known[name] if name in known else row.facets.get(name.removeprefix(_FACET))
        for name in names
    ]


def _column(name: str, title: str, cells: Sequence[Cell]) -> Column:
    texts = {cell for cell in cells if isinstance(cell, str)}
    values = tuple(sorted(texts)) if texts and len(texts) <= _FEW and name != "id" else None
    is_number = not texts and any(cell is not None for cell in cells)
    return Column(name, title, "number" if is_number else "text", values)


def find_rows(table: Table, query: Query) -> tuple[int, list[tuple[Cell, ...]]]:
    """How many rows there are of a query, and those that it asks for."""
    places = {column.name: place for place, column in enumerate(table.columns)}
    wanted = [(places[name], value) for name, value in query.facets.items() if name in places]
    needle = query.search.lower()
    found = [
        row
        for row in table.rows
        if all(_text(row[place]) == value for place, value in wanted)
        and (not needle or any(isinstance(c, str) and needle in c.lower() for c in row))
    ]
    if query.sort in places:
        place = places[query.sort]
        # Where there is nothing stands last, whatever the order.
        something = [row for row in found if row[place] is not None]
        nothing = [row for row in found if row[place] is None]
        found = _in_order(something, place, query.is_descending) + nothing
    return len(found), found[query.offset : query.offset + query.limit]


def _in_order(
    rows: list[tuple[Cell, ...]], place: int, is_descending: bool
) -> list[tuple[Cell, ...]]:
    def key(row: tuple[Cell, ...]) -> tuple[bool, Any]:
        # Numbers before texts, where a column has both.
        return isinstance(row[place], str), row[place]

    return sorted(rows, key=key, reverse=is_descending)


def _text(cell: Cell) -> str:
    return "" if cell is None else str(cell)
