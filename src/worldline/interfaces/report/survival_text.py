"""Survival curve of predictions as a table: the share without a divergence after n steps."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.core.util.text import pluralize
from worldline.evaluation.metrics.survival import Survival, SurvivalPoint
from worldline.interfaces.report.number_format import part_cell, percent

# One wrong step in a thousand decides about long programs.
_DIGITS = 3
_LEGEND = (
    "correct: samples without a divergence up to this step, of those whose program has that many "
    "steps. lost: diverged since the row before. unseen: correct until they were truncated, which "
    "was earlier. survival: Kaplan–Meier estimate (samples still observed). per step: correct "
    "steps since the row before, of all steps predicted by samples that were correct until then."
)


def survival_tables(survival: Survival) -> RenderableType:
    """The survival curve, its legend, and how the samples ended."""
    parts: list[RenderableType] = [
        Text(f"Steps without a divergence: {pluralize(survival.samples, 'sample')}", "bold"),
        curve_table(survival),
        Text(_LEGEND, "dim"),
        Text(_endings(survival)),
    ]
    if survival.steps:
        correct = survival.steps - survival.lost
        parts.append(
            Text(f"Correct per step, overall: {part_cell(correct, survival.steps, digits=_DIGITS)}")
        )
    if survival.unknown_length:
        parts.append(
            Text(
                f"{pluralize(survival.unknown_length, 'sample')}: the program's number of steps is "
                "unknown; counted only as far as the prediction goes.",
                "yellow",
            )
        )
    return Group(*parts)


def curve_table(survival: Survival) -> Table:
    """Table with a row for 1, 2, 4, 8 … steps."""
    table = Table()
    for title in ("steps", "correct %", "lost", "unseen", "survival %", "per step %"):
        table.add_column(title, justify="right")
    for point in survival.points:
        table.add_row(*_row(point))
    return table


def _row(point: SurvivalPoint) -> list[str]:
    return [
        str(point.step),
        part_cell(point.correct, point.reached),
        str(point.lost),
        str(point.unseen),
        f"{percent(point.survival)} ({point.at_risk})",
        part_cell(point.steps - point.lost_since, point.steps, digits=_DIGITS),
    ]


def _endings(survival: Survival) -> str:
    parts = [
        f"{survival.whole} correct to the end",
        f"{survival.diverged} diverged",
        f"{survival.malformed} malformed",
        f"{survival.unseen} truncated while correct",
    ]
    if survival.ran_on:
        parts[0] += f" ({survival.ran_on} of them continued past it)"
    errors = pluralize(survival.infra_error, "infrastructure error")
    not_counted = f"Not counted: {survival.without_steps} without steps, {errors}."
    return f"{', '.join(parts)}. {not_counted}"
