"""How commands write: tables to a terminal, plain text to a pipe, progress beside them."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from worldline.errors import InputError


def make_console(file: IO[str] | None = None) -> Console:
    """For results, on standard output. A pipe or a file gets whole lines, however long."""
    is_terminal = file is None and sys.stdout.isatty()
    width = None if is_terminal or "COLUMNS" in os.environ else 200
    return Console(file=file, width=width, soft_wrap=not is_terminal, highlight=False, emoji=False)


@contextmanager
def output_console(path: Path | None) -> Iterator[Console]:
    """The console for results, or one that writes to a file."""
    if path is None:
        yield make_console()
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error
    with file:
        yield make_console(file)


def print_line(console: Console, line: Text) -> None:
    """One line, cut at the terminal's edge; whole where nobody's terminal has one."""
    if console.is_terminal:
        console.print(line, no_wrap=True, overflow="ellipsis", crop=True)
    else:
        console.print(line, soft_wrap=True)


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
