"""How commands write: tables to a terminal, plain text to a pipe, progress beside them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


def make_console() -> Console:
    """For results, on standard output. A pipe gets whole lines, however long."""
    is_terminal = sys.stdout.isatty()
    return Console(width=None if is_terminal else 200, soft_wrap=not is_terminal, highlight=False)


@contextmanager
def progress(label: str, total: int) -> Iterator[Progress]:
    """A bar on standard error while something long runs; nothing where nobody looks."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    shown = sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not shown) as bar:
        bar.add_task(label, total=total)
        yield bar
