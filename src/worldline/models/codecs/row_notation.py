"""Protocol of row notations, and what they share: marks around a row, and its source line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from worldline.core.trace import Event
from worldline.models.codecs.decoded import Fragment
from worldline.models.codecs.rows import Row

# List bullets, quotation marks and numbers of a list, then marks of bold text and of code.
_BULLET = re.compile(r"\s*(?:(?:[-*+•>]|\d{1,4}[.)])\s+)?")
_MARKS = ("**", "__", "`")
_RETURN = re.compile(r"return\b")
_HAS_RETURN = re.compile(r"\breturn\b")
_HAS_YIELD = re.compile(r"\byield\b")


@dataclass(frozen=True, slots=True)
class ParsedRow:
    """A row, and where its effect begins in the text; None if no effect is written."""

    row: Row
    effect_start: int | None


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source line as the notations show it: without indentation."""

    text: str

    @property
    def is_return(self) -> bool:
        """Whether the line is a return statement."""
        return _RETURN.match(self.text) is not None

    @property
    def may_return(self) -> bool:
        """Whether a return statement is on the line, after something else."""
        return _HAS_RETURN.search(self.text) is not None

    @property
    def is_yield(self) -> bool:
        """Whether the line contains a `yield`."""
        return _HAS_YIELD.search(self.text) is not None


class RowNotation(Protocol):
    """Text of rows: a part that says which line is executed, and one that says its effect."""

    @property
    def writes_steps(self) -> bool:
        """Whether there is one row per step, instead of one per executed line."""
        ...

    @property
    def instructions(self) -> str:
        """What the notation means, in words for a model."""
        ...

    def write(self, row: Row, source: SourceLine, *, quotes_all: bool = False) -> tuple[str, str]:
        """Action and state of a row, without the newline that ends it.

        Args:
            row: the row.
            source: its source line.
            quotes_all: write every value as JSON, so that none is ambiguous.
        """
        ...

    def parse(self, text: str, lines: Sequence[str]) -> ParsedRow | None:
        """Read one line of text as a row; None if it is not a row.

        Args:
            text: the line, without its newline.
            lines: lines of the program.
        """
        ...

    def parse_truncated(self, text: str, lines: Sequence[str]) -> Fragment | None:
        """Fragment of a truncated row; None if the text does not begin one."""
        ...


def source_line(lines: Sequence[str], number: int) -> SourceLine:
    """The line of that number; empty if there is none."""
    return SourceLine(lines[number - 1].strip() if 0 < number <= len(lines) else "")


def strip_marks(text: str) -> tuple[str, int]:
    """Strip bullets and Markdown emphasis; return the text and where it begins.

    "- **L2: x = 1 => x = 1**" -> "L2: x = 1 => x = 1", 4
    """
    start = _BULLET.match(text).end()  # type: ignore[union-attr]  # it matches anything
    text = text[start:].rstrip()
    for mark in _MARKS:
        if text.startswith(mark):
            start += len(mark)
            text = text.removeprefix(mark).removesuffix(mark)
    return text, start


def complete_line(event: Event | None, number: int, lines: Sequence[str]) -> Fragment:
    """Fragment of a step of which only the line is known."""
    exists = 0 < number <= len(lines)
    text = lines[number - 1] if exists else f"(no line {number})"
    return Fragment(event, line=text, is_line_complete=True)
