"""Table of the samples of a run, with search, filters and sorting.

viewer/src/query.ts implements the same queries for a report file, which has no server.
"""

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, Literal

from worldline.analysis.diagnosis import label
from worldline.analysis.trust import Trust
from worldline.evaluation.runs import ScoredSample, sample_name
from worldline.interfaces.report import natural_key

Cell = str | int | None
Row = tuple[Cell, ...]
# A text column with at most this many different values gets a menu of them.
_MAX_MENU_VALUES = 40
# Columns that are searched, not chosen from.
_WITHOUT_MENU = ("id", "variable", "predicted", "actual")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in queries, its heading, and its values with their counts for a menu."""

    name: str
    title: str
    type: Literal["text", "number"]
    values: tuple[tuple[str, int], ...] | None


@dataclass(frozen=True)
class Table:
    """All samples of a run, a row each; the first column is the sample's name."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @cached_property
    def _labels(self) -> tuple[Mapping[str, str], ...]:
        """For each column of codes, what is searched for each of its texts."""
        return tuple(
            {}
            if column.name in _WITHOUT_MENU
            else {
                cell: _with_label(column.name, cell) for cell in set(cells) if isinstance(cell, str)
            }
            for column, cells in zip(self.columns, zip(*self.rows, strict=True), strict=True)
        )

    def searched_text(self, row: Row) -> str:
        """The texts of a row's cells and their labels, as they are searched."""
        cells = zip(row, self._labels, strict=True)
        return "\0".join(labels.get(cell, cell) for cell, labels in cells if isinstance(cell, str))


@dataclass(frozen=True, slots=True)
class Query:
    """A choice of rows.

    Attributes:
        search: Text that a cell or its label, the program or the output contains, in any case.
        facets: The value of each named column; "" for an empty cell.
        sort: The column to sort by; None for the order of the table.
        is_descending: Sort the largest value first.
        offset: Number of matching rows to skip.
        limit: Largest number of rows to return.
    """

    search: str = ""
    facets: Mapping[str, str] = field(default_factory=dict)
    sort: str | None = None
    is_descending: bool = False
    offset: int = 0
    limit: int = 100


# The columns of every run: name and heading. Those of the first divergence are adjacent.
_COLUMN_TITLES = {
    "id": "Sample",
    "verdict": "Verdict",
    "cause": "Cause",
    "actual": "Actual",
    "predicted": "Predicted",
    "where": "Differs in",
    "variable": "Variable",
    "step": "Step",
    "kind": "Kind of value",
    "outcome": "Trace",
    "steps": "Actual steps",
    "tokens": "Completion tokens",
}
# Left out if they are empty in all samples, as in a run with answers only.
_OPTIONAL_COLUMNS = ("cause", "variable", "tokens")
# Labels of the page that depend on the column: a verdict grades the answer, an outcome the trace,
# and "Correct" and "Truncated" are verdicts.
COLUMN_LABELS: Mapping[str, Mapping[str, str]] = {
    "outcome": {
        "correct": "Same execution",
        "truncated": "Ends too early",
        "answer_mismatch": "Same execution, other answer",
        "reference_mismatch": "Same execution, other reference",
        "malformed": "Not a trace",
    },
    "cause": {"truncated": "Token limit"},
    "possibility": {
        "possible": "Possible",
        "impossible": "Impossible",
        "undecided": "Undecided",
    },
}
# A facet of the benchmark may have the name of one of the columns above.
_FACET_PREFIX = "program_"


def build_table(
    samples: Sequence[ScoredSample], trust_by_question: Mapping[str, Trust] | None = None
) -> Table:
    """Build the table of a run: the columns of every run, then the benchmark's facets.

    Args:
        samples: The samples.
        trust_by_question: The trust in the results, for a column of its own.
    """
    facets = dict.fromkeys(name for sample in samples for name in sample.facets)
    titles = {
        **_COLUMN_TITLES,
        **{f"{_FACET_PREFIX}{name}": f"Program: {_words(name)}" for name in facets},
    }
    cells_by_name = {name: _cells(name, samples) for name in titles}
    for name in _OPTIONAL_COLUMNS:
        if all(cell is None for cell in cells_by_name[name]):
            del titles[name], cells_by_name[name]
    cells = list(cells_by_name.values())
    if trust_by_question is not None:
        names = [*titles]
        at = names.index("verdict") + 1
        titles = dict(
            [*list(titles.items())[:at], ("trust", "Trust (%)"), *list(titles.items())[at:]]
        )
        cells.insert(at, [_percent(trust_by_question.get(each.sample)) for each in samples])
    columns = tuple(map(_column, titles, titles.values(), cells))
    return Table(columns, tuple(zip(*cells, strict=True)))


def _percent(trust: Trust | None) -> int | None:
    return None if trust is None else round(100 * trust.probability)


def _words(identifier: str) -> str:
    """ "data_type" -> "data type" """
    return identifier.replace("_", " ")


# The cell of a sample in each column of every run.
_CELLS: Mapping[str, Callable[[ScoredSample], Cell]] = {
    "id": sample_name,
    "verdict": attrgetter("verdict"),
    "outcome": attrgetter("outcome"),
    # As in the summary: samples that did not diverge have neither, and a divergence in something
    # other than a value has the kind "-".
    "where": attrgetter("differs_in"),
    "kind": lambda sample: sample.kind if sample.kind or sample.differs_in is None else "-",
    "cause": attrgetter("cause"),
    "variable": attrgetter("variable"),
    "predicted": lambda sample: shown_value(sample, sample.predicted_value),
    "actual": lambda sample: shown_value(sample, sample.actual_value),
    "step": attrgetter("step"),
    "steps": lambda sample: (
        sample.difficulty.get("steps") if sample.actual_steps is None else sample.actual_steps
    ),
    "tokens": attrgetter("completion_tokens"),
}


def _cells(name: str, samples: Sequence[ScoredSample]) -> list[Cell]:
    """The cells of one column."""
    if name in _CELLS:
        return list(map(_CELLS[name], samples))
    facet = name.removeprefix(_FACET_PREFIX)
    return [sample.facets.get(facet) for sample in samples]


def shown_value(sample: ScoredSample, value: str | None) -> str | None:
    """A value that differs; source lines without their indentation."""
    if value is None or sample.differs_in not in ("action", "end"):
        return value
    return value.strip()


def _column(name: str, title: str, cells: Sequence[Cell]) -> Column:
    texts = Counter(cell for cell in cells if isinstance(cell, str))
    has_menu = texts and len(texts) <= _MAX_MENU_VALUES and name not in _WITHOUT_MENU
    is_number = not texts and any(cell is not None for cell in cells)
    values = tuple(sorted(texts.items())) if has_menu else None
    return Column(name, title, "number" if is_number else "text", values)


def query_rows(table: Table, query: Query, matching: Container[Cell] = ()) -> tuple[int, list[Row]]:
    """Return the number of rows that match a query, and the page it asks for.

    Args:
        table: All rows.
        query: The rows to choose.
        matching: The names of the samples that contain the searched text, from a `TextIndex`.
    """
    rows = filter_rows(table, table.rows, query.facets)
    if query.search:
        rows = [row for row in rows if row[0] in matching]
    indexes = _indexes(table)
    if query.sort in indexes:
        by_name = query.sort == "id"
        rows = _sorted_rows(
            rows, indexes[query.sort], by_name=by_name, descending=query.is_descending
        )
    return len(rows), list(rows[query.offset : query.offset + query.limit])


def filter_rows(table: Table, rows: Sequence[Row], facets: Mapping[str, str]) -> Sequence[Row]:
    """The rows with the value of every facet; facets of unknown columns are ignored."""
    indexes = _indexes(table)
    for name, value in facets.items():
        if name in indexes:
            index = indexes[name]
            rows = [row for row in rows if _text(row[index]) == value]
    return rows


def _indexes(table: Table) -> dict[str, int]:
    return {column.name: index for index, column in enumerate(table.columns)}


def _with_label(column: str, cell: str) -> str:
    """A cell and the label shown for it."""
    words = COLUMN_LABELS.get(column, {}).get(cell) or label(cell)
    return cell if words == cell else f"{cell}\0{words}"


def _sorted_rows(rows: Sequence[Row], index: int, *, by_name: bool, descending: bool) -> list[Row]:
    """Sort by a column: numbers before texts, empty cells last in both directions.

    Names are sorted by the numbers in them: "sample_3" before "sample_26".
    """

    def key(row: Row) -> tuple[bool, Any]:
        cell = row[index]
        is_text = isinstance(cell, str)
        return is_text, natural_key(str(cell)) if by_name and is_text else cell

    filled = [row for row in rows if row[index] is not None]
    empty = [row for row in rows if row[index] is None]
    return sorted(filled, key=key, reverse=descending) + empty


def _text(cell: Cell) -> str:
    return "" if cell is None else str(cell)
