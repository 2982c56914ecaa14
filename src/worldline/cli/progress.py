"""How a run is coming along: a bar for people, a line of JSON now and then for machines."""

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

from worldline.cli.console import progress
from worldline.runs import VERDICTS, Judged
from worldline.stats import share

# What a shell expects of a command that ctrl-c ended.
INTERRUPTED = 130
# Seconds between two lines where nobody looks at a bar.
EVERY = 30.0


def go_on(is_restarted: bool) -> str:
    """What to do when a command was stopped: the same, but not to begin anew once more.

    True -> "the same command without --restart goes on"
    """
    return f"the same command{' without --restart' if is_restarted else ''} goes on"


class Teller:
    """Writes a line of JSON on standard error now and then, for whoever reads along later."""

    def __init__(self, *, every: float = EVERY) -> None:
        self._every = every
        self._told = time.monotonic()

    def tell(self, numbers: Callable[[], Mapping[str, Any]], *, is_last: bool = False) -> None:
        """Write them, if it has been long enough or nothing more is to come."""
        if is_last or time.monotonic() - self._told >= self._every:
            self._told = time.monotonic()
            click.echo(json.dumps(numbers()), err=True)


class RunProgress:
    """Counts what has been done since the start: samples a second, tokens a second, how many are
    right."""

    def __init__(self, total: int, *, bar: Progress | None = None, every: float = EVERY) -> None:
        self.total = total
        self.verdicts: Counter[str] = Counter()
        self.tokens = 0
        self._began = time.monotonic()
        self._bar = bar
        self._teller = Teller(every=every)

    @property
    def done(self) -> int:
        """Samples so far."""
        return self.verdicts.total()

    def advance(self, sample: Judged) -> None:
        """One more sample is done."""
        self.verdicts[sample.verdict] += 1
        self.tokens += sample.written_tokens or 0
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], advance=1, state=self._state())
        else:
            self._teller.tell(self.to_json, is_last=self.done == self.total)

    def _state(self) -> str:
        found = self.to_json()
        parts = []
        if found["judged"]:
            low, high = (round(100 * end) for end in found["right_interval"])
            parts.append(f"right {found['right'] / found['judged']:.1%} ({low}–{high})")
        parts += [
            f"{self.verdicts[word]} {word}" for word in ("failed", "cut") if self.verdicts[word]
        ]
        # Last is what a narrow terminal can do without.
        parts.append(f"{found['samples_per_second']:.1f}/s")
        if self.tokens:
            parts.append(f"{found['tokens_per_second']:,.0f} tokens/s")
        return " · ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """The same in numbers; `judged` is without what the infrastructure failed on."""
        passed = max(time.monotonic() - self._began, 1e-9)
        judged = self.done - self.verdicts["failed"]
        found = share(self.verdicts["right"], judged)
        return {
            "done": self.done,
            "total": self.total,
            "judged": judged,
            **{verdict: self.verdicts[verdict] for verdict in VERDICTS},
            "right_interval": [found.low, found.high],
            "seconds": round(passed, 1),
            "samples_per_second": round(self.done / passed, 3),
            "tokens_per_second": round(self.tokens / passed, 1),
            "seconds_left": round(passed / self.done * (self.total - self.done), 1)
            if self.done
            else None,
        }


@contextmanager
def run_progress(label: str, total: int) -> Iterator[RunProgress]:
    """A bar on standard error while somebody looks; else a line of JSON every half a minute."""
    if not sys.stderr.isatty():
        yield RunProgress(total)
        return
    with make_bar(Console(stderr=True)) as bar:
        bar.add_task(label, total=total, state="waiting for the first answer")
        yield RunProgress(total, bar=bar)


@contextmanager
def counting(
    label: str, total: int, *, every: float = EVERY
) -> Iterator[Callable[[int, int], None]]:
    """The same for what is only counted: give it how many of how many are done."""
    teller = Teller(every=every)

    def tell(done: int, total: int) -> None:
        if not bar.disable:
            bar.update(bar.task_ids[0], completed=done, total=total)
        else:
            teller.tell(lambda: {"done": done, "total": total})

    with progress(label, total) as bar:
        yield tell


def make_bar(console: Console) -> Progress:
    """A bar of one line, in which only the state gives way where the terminal is narrow."""
    columns = (
        TextColumn("{task.description}", table_column=Column(no_wrap=True)),
        BarColumn(bar_width=20 if console.width >= 100 else 8),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TextColumn(
            "{task.fields[state]}",
            table_column=Column(no_wrap=True, ratio=1, overflow="ellipsis"),
        ),
        TimeRemainingColumn(table_column=Column(no_wrap=True)),
    )
    return Progress(*columns, console=console, transient=True, expand=True)
