"""Results of the composition benchmark as tables, with the accuracy that its parts predict."""

from collections.abc import Sequence
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.core.util.text import pluralize
from worldline.evaluation.metrics.composition import (
    BaselineComparison,
    CompositionCell,
    CompositionResult,
    VerdictCounts,
)
from worldline.interfaces.report.number_format import part_cell, percent, points

_Group = Literal["all", "answered"]
# Columns that one table with everything needs.
_WIDE = 130
_LEGEND = (
    "alone: mean product of the accuracies of the functions by themselves (number of samples). "
    "gap: correct minus alone, in percentage points. Of all: a truncated output counts as not "
    "correct. Of answered: only answers count, for compositions and for functions. trunc.: "
    "truncated (number that had diverged before). Infrastructure errors are in no percentage."
)


def composition_tables(result: CompositionResult, *, width: int = 200) -> RenderableType:
    """Tables of functions alone, and of compositions by data type, depth and form.

    Args:
        result: The measured results.
        width: The columns of the terminal. Below 130 there are two narrower tables.
    """
    parts: list[RenderableType] = []
    if result.atoms:
        title = f"{pluralize(len(result.atoms), 'function')} alone"
        parts += [Text(title, "bold"), atoms_table(result)]
    samples = sum(cell.tally.all + cell.tally.infra_error for cell in result.cells)
    title = f"{pluralize(samples, 'composition')}: correct, and expected from the functions alone"
    tables = [cells_table(result)]
    if width < _WIDE:
        tables = [cells_table(result, ("all",)), cells_table(result, ("answered",))]
    parts += [Text(title, "bold"), *tables, Text(_LEGEND, "dim")]
    left_out = sum(cell.of_all.left_out for cell in result.cells)
    if left_out:
        parts.append(
            Text(
                f"{pluralize(left_out, 'composition')} without a baseline: one of its functions "
                "was not asked about alone.",
                "yellow",
            )
        )
    return Group(*parts)


def atoms_table(result: CompositionResult) -> Table:
    """Table of functions alone, with one row per data type."""
    table = Table()
    table.add_column("type")
    for title in (
        "correct\nof all %",
        "correct of\nanswered %",
        "no\nanswer",
        "truncated",
        "infra\nerror",
    ):
        table.add_column(title, justify="right", no_wrap=True)
    for name, tally in result.atoms_by_type.items():
        table.add_row(name, *_shares(tally), *_unanswered(tally))
    return table


def cells_table(result: CompositionResult, groups: Sequence[_Group] = ("all", "answered")) -> Table:
    """Table of compositions, with one row per data type, depth and form.

    Args:
        result: The measured results.
        groups: Percentages of all samples, of answered ones, or both. Counts of samples without an
            answer are shown with those of all.
    """
    # Without lines between columns half of it fits a terminal of 80 columns.
    table = Table() if len(groups) > 1 else Table(box=SIMPLE_HEAD, padding=0)
    table.add_column("type", no_wrap=True)
    table.add_column("depth", justify="right")
    table.add_column("form", no_wrap=True)
    for group in groups:
        for title in (f"correct\nof {group} %", "alone %", "gap"):
            table.add_column(title, justify="right", no_wrap=True)
    for title in ("no answer", "trunc.", "infra error") if "all" in groups else ():
        table.add_column(title, justify="right")
    previous_type = ""
    for cell in result.cells:
        is_new = cell.data_type != previous_type
        if previous_type and is_new:
            table.add_section()
        table.add_row(*_row(cell, cell.data_type if is_new else "", groups))
        previous_type = cell.data_type
    return table


def _row(cell: CompositionCell, name: str, groups: Sequence[_Group]) -> list[str]:
    of_all, of_answered = _shares(cell.tally)
    numbers = {
        "all": [of_all, *_expected(cell.of_all)],
        "answered": [of_answered, *_expected(cell.of_answered)],
    }
    return [
        *(name, str(cell.depth), cell.form),
        *(number for group in groups for number in numbers[group]),
        *(_unanswered(cell.tally) if "all" in groups else ()),
    ]


def _shares(tally: VerdictCounts) -> tuple[str, str]:
    return part_cell(tally.correct, tally.all), part_cell(tally.correct, tally.answered)


def _expected(paired: BaselineComparison) -> tuple[str, str]:
    """The accuracy expected from the functions alone, and the gap to the observed one."""
    gap = points(paired.observed, paired.baseline)
    return f"{percent(paired.baseline)} ({paired.samples})", gap


def _unanswered(tally: VerdictCounts) -> tuple[str, str, str]:
    truncated = (
        f"{tally.truncated} ({tally.diverged_before_truncation})" if tally.truncated else "0"
    )
    return str(tally.no_answer), truncated, str(tally.infra_error)
