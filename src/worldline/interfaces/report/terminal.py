"""Consoles for terminals, pipes and files."""

import io
import os
import sys
from typing import IO, Any, cast

from rich.console import Console, RenderableType
from rich.text import Text

# Columns of tables in a pipe or a file.
PIPE_WIDTH = 100


class _TrimmedLines:
    """A text file without blanks at the ends of its lines."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._line = ""

    def write(self, text: str) -> int:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._file.write(f"{line.rstrip(' ')}\n")
        return len(text)

    def flush(self) -> None:
        self._file.write(self._line)
        self._line = ""
        self._file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def make_console(file: IO[str] | None = None) -> Console:
    """Make a console for results.

    A terminal has its own width. A pipe or a file has 100 columns (`COLUMNS` changes that), except
    for lines that are printed by `print_line`.

    Args:
        file: The file to write to; by default standard output.
    """
    if file is None and sys.stdout.isatty():
        return Console(highlight=False, emoji=False)
    trimmed = cast("IO[str]", _TrimmedLines(sys.stdout if file is None else file))
    width = None if "COLUMNS" in os.environ else PIPE_WIDTH
    return Console(file=trimmed, width=width, highlight=False, emoji=False)


def print_line(console: Console, line: Text) -> None:
    """Print a line: shortened to a terminal's width, complete in a pipe or a file."""
    if console.is_terminal:
        console.print(line, no_wrap=True, overflow="ellipsis", crop=True)
    else:
        console.print(line, soft_wrap=True)


def render_text(*parts: RenderableType, width: int = PIPE_WIDTH) -> str:
    """Return tables and lines as plain text.

    Args:
        parts: What to print, one below the other.
        width: The number of columns.
    """
    output = io.StringIO()
    file = cast("IO[str]", _TrimmedLines(output))
    console = Console(file=file, width=width, highlight=False, emoji=False)
    for part in parts:
        console.print(part)
    return output.getvalue()
