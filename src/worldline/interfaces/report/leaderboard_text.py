"""Leaderboard of runs as a table and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from worldline.core.trace import printable
from worldline.core.util.text import pluralize
from worldline.evaluation.metrics import Leaderboard, LeaderboardRow
from worldline.interfaces.report.accuracy_text import accuracy_to_json
from worldline.interfaces.report.number_format import (
    interval_text,
    p_text,
    percent,
    share_cell,
    signed,
)

# An adjusted p below this is marked.
_SIGNIFICANT = 0.05


def leaderboard_report(leaderboard: Leaderboard) -> Iterator[RenderableType]:
    """Yield the table of runs, and how to read it."""
    others = len(leaderboard.rows) - 1
    title = f"{others + 1} runs, compared with the baseline {leaderboard.baseline}"
    yield Text(printable(title), "bold")
    # The names have their own lines: with long ones, the table would not fit.
    for rank, row in enumerate(leaderboard.rows, 1):
        yield Text(printable(f"{rank:>2}  {row.run}"))
    yield leaderboard_table(leaderboard)
    for line in leaderboard_notes(leaderboard):
        yield Text(printable(line), "dim")


def leaderboard_notes(leaderboard: Leaderboard) -> Iterator[str]:
    """Yield how to read the table, and which samples are not in it."""
    others = len(leaderboard.rows) - 1
    yield (
        "Difference: to the baseline in points, on the samples that both runs answered (pairs), "
        "with its 95% interval. p is that of the paired test, adjusted for "
        f"{pluralize(others, 'comparison')} (Benjamini–Hochberg). Truncated samples, samples "
        "without an answer and infrastructure errors are in no difference. Of all: the share of "
        "correct samples, if samples without an answer count as not correct."
    )
    for row in leaderboard.rows:
        if row.difference is not None and row.difference.not_shared:
            number = pluralize(row.difference.not_shared, "sample")
            yield f"{row.run}: {number} in only one of the two runs, not compared"


def leaderboard_table(leaderboard: Leaderboard) -> Table:
    """Table with one row for each run, the most accurate first."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for title in (
        "run",
        "correct\nof answered, %",
        "differ-\nence",
        "95%\ninterval",
        "pairs",
        "adj. p",
        "of\nall, %",
        "trun-\ncated",
        "no\nans.",
        "infra\nerr.",
    ):
        table.add_column(title, justify="right", no_wrap=True)
    for rank, row in enumerate(leaderboard.rows, 1):
        is_significant = row.difference is not None and row.difference.adjusted_p < _SIGNIFICANT
        table.add_row(str(rank), *_cells(row), style="bold" if is_significant else "")
    return table


def _cells(row: LeaderboardRow) -> Iterator[RenderableType]:
    accuracy, difference = row.accuracy, row.difference
    yield share_cell(accuracy.of_answered)
    if difference is None:
        yield from ("base", "", "", "")
    elif difference.answered.value is None:
        yield from ("–", "", "0", "")
    else:
        yield signed(100 * difference.answered.value)
        yield interval_text(difference.answered, scale=100)
        yield f"{difference.answered.of:,}"
        yield p_text(difference.adjusted_p).removeprefix("= ")
    yield percent(accuracy.of_all.value)
    for number in (accuracy.truncated, accuracy.no_answer, accuracy.infra_error):
        yield f"{number:,}" if number else "·"


def leaderboard_to_json(leaderboard: Leaderboard) -> dict[str, Any]:
    """Return the leaderboard as plain JSON data."""
    return {
        "baseline": leaderboard.baseline,
        "runs": [
            {
                "run": row.run,
                "accuracy": accuracy_to_json(row.accuracy),
                "difference": None if row.difference is None else asdict(row.difference),
            }
            for row in leaderboard.rows
        ],
        "notes": list(leaderboard_notes(leaderboard)),
    }
