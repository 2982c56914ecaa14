"""How long predictions stay right goes in; a table, a row a step, comes out."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.diagnose import count
from worldline.measures.horizon import Horizon, Point
from worldline.report.numbers import part_cell, percent

# One wrong step in a thousand is what decides about long programs.
_DIGITS = 3
_LEGEND = (
    "right: up to this step and with it, of all samples whose programs have so many steps. unseen: "
    "cut before, and right so far; nothing is known of them here. survival: the estimate that "
    "counts such samples as long as they were seen (so many still were). per step: right steps "
    "since the row before, of all that were written by samples that had been right."
)


def horizon_tables(horizon: Horizon) -> RenderableType:
    """The curve, and what all samples came to."""
    parts: list[RenderableType] = [
        Text(f"Right for how many steps: {count(horizon.samples, 'sample')}", "bold"),
        curve_table(horizon),
        Text(_LEGEND, "dim"),
        Text(_ends(horizon)),
    ]
    if horizon.steps:
        right = horizon.steps - horizon.lost
        parts.append(
            Text(f"Right per step, over all: {part_cell(right, horizon.steps, digits=_DIGITS)}")
        )
    if horizon.unknown_length:
        parts.append(
            Text(
                f"Of {count(horizon.unknown_length, 'sample')} it is not known how many steps the "
                "program has; in the columns that count samples they are only as far as they "
                "were seen.",
                "yellow",
            )
        )
    return Group(*parts)


def curve_table(horizon: Horizon) -> Table:
    """A row for 1, 2, 4, 8 … steps."""
    table = Table()
    for title in ("steps", "right %", "lost", "unseen", "survival %", "right per step %"):
        table.add_column(title, justify="right")
    for point in horizon.points:
        table.add_row(*_row(point))
    return table


def _row(point: Point) -> list[str]:
    return [
        str(point.step),
        part_cell(point.right, point.reached),
        str(point.lost),
        str(point.unseen),
        f"{percent(point.survival)} ({point.at_risk})",
        part_cell(point.steps - point.lost_since, point.steps, digits=_DIGITS),
    ]


def _ends(horizon: Horizon) -> str:
    parts = [
        f"{horizon.whole} right to the end",
        f"{horizon.diverged} diverged",
        f"{horizon.malformed} malformed",
        f"{horizon.unseen} cut while right",
    ]
    if horizon.ran_on:
        parts[0] += f" (of which {horizon.ran_on} ran on behind it)"
    outside = f"Outside: {horizon.without_steps} without steps, {horizon.failed} failed."
    return f"{', '.join(parts)}. {outside}"
