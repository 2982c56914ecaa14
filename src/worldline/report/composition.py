"""What compositions reached goes in; tables of it, beside what their parts promise, come out."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.diagnose import count
from worldline.measures.composition import Cell, CompositionResult, Paired, Tally
from worldline.report.numbers import part_cell, percent, points

_LEGEND = (
    "alone: the mean product of how often each function is right by itself, over (so many "
    "samples); gap: right minus alone, in points, over these. Of all, a cut counts as not right; "
    "of answered, only answers count, of compositions and of functions. cut: (so many of them "
    "had diverged before). Samples that failed are in no percentage."
)


def composition_tables(result: CompositionResult) -> RenderableType:
    """Functions alone, and compositions by data type, depth and form."""
    parts: list[RenderableType] = []
    if result.atoms:
        title = f"{count(len(result.atoms), 'function')} alone"
        parts += [Text(title, "bold"), atoms_table(result)]
    samples = sum(cell.tally.all + cell.tally.failed for cell in result.cells)
    title = f"{count(samples, 'composition')}: right, beside what the functions alone let expect"
    parts += [Text(title, "bold"), cells_table(result), Text(_LEGEND, "dim")]
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


def cells_table(result: CompositionResult) -> Table:
    """A row a data type, depth and form."""
    table = Table()
    table.add_column("type")
    table.add_column("depth", justify="right")
    table.add_column("form")
    for group in ("all", "answered"):
        for title in (f"right of {group} %", "alone %", "gap"):
            table.add_column(title, justify="right")
    for title in ("no answer", "cut", "failed"):
        table.add_column(title, justify="right")
    shown = ""
    for cell in result.cells:
        if shown and shown != cell.data_type:
            table.add_section()
        table.add_row(*_row(cell, "" if shown == cell.data_type else cell.data_type))
        shown = cell.data_type
    return table


def _row(cell: Cell, name: str) -> list[str]:
    of_all, of_answered = _shares(cell.tally)
    return [
        name,
        str(cell.depth),
        cell.form,
        of_all,
        *_pair(cell.of_all),
        of_answered,
        *_pair(cell.of_answered),
        *_rest(cell.tally),
    ]


def _shares(tally: Tally) -> tuple[str, str]:
    return part_cell(tally.right, tally.all), part_cell(tally.right, tally.answered)


def _pair(paired: Paired) -> tuple[str, str]:
    gap = points(paired.observed, paired.baseline)
    return f"{percent(paired.baseline)} ({paired.samples})", gap


def _rest(tally: Tally) -> tuple[str, str, str]:
    cut = f"{tally.cut} ({tally.diverged_before_cut})" if tally.cut else "0"
    return str(tally.no_answer), cut, str(tally.failed)
