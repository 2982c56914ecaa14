"""What compositions reached goes in; tables of it, beside what their parts promise, come out."""

from collections.abc import Sequence
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.diagnose import count
from worldline.measures.composition import Cell, CompositionResult, Paired, Tally
from worldline.report.numbers import part_cell, percent, points

_Group = Literal["all", "answered"]
# What one table of all columns takes.
_WIDE = 130
_LEGEND = (
    "alone: the mean product of how often each function is right by itself, over (so many "
    "samples); gap: right minus alone, in points, over these. Of all, a cut counts as not right; "
    "of answered, only answers count, of compositions and of functions. cut: (so many of them "
    "had diverged before). Samples that failed are in no percentage."
)


def composition_tables(result: CompositionResult, *, width: int = 200) -> RenderableType:
    """Functions alone, and compositions by data type, depth and form; where the terminal is too
    narrow for one table, of all and of answered have one each."""
    parts: list[RenderableType] = []
    if result.atoms:
        title = f"{count(len(result.atoms), 'function')} alone"
        parts += [Text(title, "bold"), atoms_table(result)]
    samples = sum(cell.tally.all + cell.tally.failed for cell in result.cells)
    title = f"{count(samples, 'composition')}: right, beside what the functions alone let expect"
    tables = [cells_table(result)]
    if width < _WIDE:
        tables = [cells_table(result, ("all",)), cells_table(result, ("answered",))]
    parts += [Text(title, "bold"), *tables, Text(_LEGEND, "dim")]
    left_out = sum(cell.of_all.left_out for cell in result.cells)
    if left_out:
        parts.append(
            Text(
                f"{count(left_out, 'composition')} without a baseline: a function of theirs was "
                "not asked about alone.",
                "yellow",
            )
        )
    return Group(*parts)


def atoms_table(result: CompositionResult) -> Table:
    """A row a data type: its functions, each asked about alone."""
    table = Table()
    table.add_column("type")
    for title in ("right of all %", "right of answered %", "no answer", "cut", "failed"):
        table.add_column(title, justify="right")
    for name, tally in result.atoms_by_type.items():
        table.add_row(name, *_shares(tally), *_rest(tally))
    return table


def cells_table(result: CompositionResult, groups: Sequence[_Group] = ("all", "answered")) -> Table:
    """A row a data type, depth and form; how many have no answer stands beside those of all."""
    # Without lines between columns half of it fits a terminal of 80.
    table = Table() if len(groups) > 1 else Table(box=SIMPLE_HEAD, padding=0)
    table.add_column("type", no_wrap=True)
    table.add_column("depth", justify="right")
    table.add_column("form", no_wrap=True)
    for group in groups:
        for title in (f"right\nof {group} %", "alone %", "gap"):
            table.add_column(title, justify="right", no_wrap=True)
    for title in ("no answer", "cut", "failed") if "all" in groups else ():
        table.add_column(title, justify="right")
    shown = ""
    for cell in result.cells:
        if shown and shown != cell.data_type:
            table.add_section()
        table.add_row(*_row(cell, "" if shown == cell.data_type else cell.data_type, groups))
        shown = cell.data_type
    return table


def _row(cell: Cell, name: str, groups: Sequence[_Group]) -> list[str]:
    of_all, of_answered = _shares(cell.tally)
    numbers = {
        "all": [of_all, *_pair(cell.of_all)],
        "answered": [of_answered, *_pair(cell.of_answered)],
    }
    return [
        *(name, str(cell.depth), cell.form),
        *(number for group in groups for number in numbers[group]),
        *(_rest(cell.tally) if "all" in groups else ()),
    ]


def _shares(tally: Tally) -> tuple[str, str]:
    return part_cell(tally.right, tally.all), part_cell(tally.right, tally.answered)


def _pair(paired: Paired) -> tuple[str, str]:
    gap = points(paired.observed, paired.baseline)
    return f"{percent(paired.baseline)} ({paired.samples})", gap


def _rest(tally: Tally) -> tuple[str, str, str]:
    cut = f"{tally.cut} ({tally.diverged_before_cut})" if tally.cut else "0"
    return str(tally.no_answer), cut, str(tally.failed)
