"""Progress of a command: a bar on a terminal, otherwise lines of JSON on standard error."""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from worldline.analysis.stats import share
from worldline.evaluation.runs import VERDICTS, ScoredSample
from worldline.interfaces.cli.quiet import is_quiet

# Seconds between two lines of JSON.
EVERY = 30.0


class ProgressReporter:
    """Reports the progress of one command, on a bar or as lines of JSON on standard error.

    A line is written at most every `every` seconds; a `silent` reporter writes none.
    """

    def __init__(
        self, *, bar: Progress | None = None, every: float = EVERY, silent: bool = False
    ) -> None:
        self._bar = bar
        self._silent = silent
        self._every = every
        self._written = time.monotonic()

    def update(
        self,
        done: int,
        *,
        total: int | None = None,
        state: Callable[[], str] | None = None,
        numbers: Callable[[], Mapping[str, Any]] | None = None,
        is_last: bool = False,
    ) -> None:
        """Report progress. Only what is shown is computed.

        Args:
            done: The number of items that are done.
            total: The number of all items; by default unchanged.
            state: The text after the bar; by default unchanged.
            numbers: The fields of the line of JSON; without them no line is written.
            is_last: Write the line even if the last one is recent.
        """
        if self._bar is not None:
            fields: dict[str, Any] = {} if state is None else {"state": state()}
            self._bar.update(self._bar.task_ids[0], completed=done, total=total, **fields)
        elif not self._silent and numbers is not None and (is_last or self._is_due()):
            self._written = time.monotonic()
            click.echo(json.dumps(numbers()), err=True)

    def _is_due(self) -> bool:
        return time.monotonic() - self._written >= self._every

    def count(self, done: int, total: int) -> None:
        """Report how many of how many are done, on the bar and as JSON."""
        self.update(done, total=total, numbers=lambda: {"done": done, "total": total})

    def advance(self) -> None:
        """Report one more item, on the bar only."""
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0])


@contextmanager
def report_progress(
    label: str, total: int | None, *, state: str = ""
) -> Iterator[ProgressReporter]:
    """Report progress on standard error: a bar on a terminal, otherwise JSON every 30 seconds.

    Args:
        label: The text before the bar.
        total: The number of items, if known.
        state: The text after the bar.
    """
    if is_quiet() or not sys.stderr.isatty():
        yield ProgressReporter(silent=is_quiet())
        return
    with make_bar(Console(stderr=True)) as bar:
        bar.add_task(label, total=total, state=state)
        yield ProgressReporter(bar=bar)


def make_bar(console: Console) -> Progress:
    """Make a bar of one line; in a narrow terminal only the state is shortened."""
    columns = (
        TextColumn("{task.description}", table_column=Column(no_wrap=True)),
        BarColumn(bar_width=20 if console.width >= 100 else 5),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TextColumn(
            "{task.fields[state]}",
            table_column=Column(no_wrap=True, ratio=1, overflow="ellipsis"),
        ),
        TimeRemainingColumn(table_column=Column(no_wrap=True)),
    )
    return Progress(*columns, console=console, transient=True, expand=True)


class RunProgress:
    """Progress of a run: accuracy so far, samples per second and tokens per second."""

    def __init__(self, total: int, reporter: ProgressReporter) -> None:
        self.total = total
        self.verdicts: Counter[str] = Counter()
        self.tokens = 0
        self._began = time.monotonic()
        self._reporter = reporter

    @property
    def done(self) -> int:
        """The number of samples since the start."""
        return self.verdicts.total()

    def advance(self, sample: ScoredSample) -> None:
        """Count one more sample."""
        self.verdicts[sample.verdict] += 1
        self.tokens += sample.completion_tokens or 0
        self._reporter.update(
            self.done,
            state=self._state,
            numbers=self.to_json,
            is_last=self.done == self.total,
        )

    def _state(self) -> str:
        numbers = self.to_json()
        parts = []
        if numbers["judged"]:
            low, high = (round(100 * end) for end in numbers["correct_interval"])
            parts.append(f"correct {numbers['correct'] / numbers['judged']:.1%} ({low}–{high})")
        parts += [
            f"{self.verdicts[verdict]} {word}"
            for verdict, word in (("infra_error", "error"), ("truncated", "truncated"))
            if self.verdicts[verdict]
        ]
        # A narrow terminal cuts the last ones.
        parts.append(f"{numbers['samples_per_second']:.1f}/s")
        if self.tokens:
            parts.append(f"{numbers['tokens_per_second']:,.0f} tokens/s")
        return " · ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Return the progress as JSON data; `judged` excludes infrastructure errors."""
        seconds = max(time.monotonic() - self._began, 1e-9)
        judged = self.done - self.verdicts["infra_error"]
        correct = share(self.verdicts["correct"], judged)
        return {
            "done": self.done,
            "total": self.total,
            "judged": judged,
            **{verdict: self.verdicts[verdict] for verdict in VERDICTS},
            "correct_interval": [correct.low, correct.high],
            "seconds": round(seconds, 1),
            "samples_per_second": round(self.done / seconds, 3),
            "tokens_per_second": round(self.tokens / seconds, 1),
            "seconds_left": round(seconds / self.done * (self.total - self.done), 1)
            if self.done
            else None,
        }


@contextmanager
def run_progress(label: str, total: int) -> Iterator[RunProgress]:
    """Report the progress of a run, sample by sample."""
    with report_progress(label, total, state="waiting for the first answer") as reporter:
        yield RunProgress(total, reporter)
