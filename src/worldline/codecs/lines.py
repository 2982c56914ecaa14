"""The line that a step is on goes in, how a format writes it comes out; and back."""

import re
from collections.abc import Sequence
from typing import Protocol

from worldline.codecs.course import Course
from worldline.codecs.pieces import Pieces
from worldline.codecs.specials import ARG
from worldline.codecs.values import NotAState, read, spell
from worldline.trace import Program

_NUMBER = re.compile(r"[0-9]{1,9}")


class Lines(Protocol):
    """A way to write lines."""

    @property
    def is_numbered(self) -> bool:
        """Whether numbers are written, so that lines are known which the program does not have."""
        ...

    def source(self, program: Program) -> str:
        """The program as a model is given it."""
        ...

    def spell(self, line: int, course: Course) -> Pieces:
        """A line by its number, as it is written; its pieces are apart by <|arg_sep|>."""
        ...

    def read(self, texts: Sequence[str], course: Course) -> tuple[int, str]:
        """The number and text of the line that was written so: 0 for one that is not there."""
        ...


class SourceLines:
    """Lines by their text; behind one that stands more than once, which of them it is."""

    is_numbered = False

    def source(self, program: Program) -> str:
        """The program as it is."""
        return program.text

    def spell(self, line: int, course: Course) -> Pieces:
        """ "    x += 1", or the second of that text: "    x += 1", <|arg_sep|>, "2" """
        text = course.text(line)
        rank = course.lines[: max(0, line - 1)].count(text) + 1
        return (spell(text),) if rank == 1 or not text else (spell(text), ARG, str(rank))

    def read(self, texts: Sequence[str], course: Course) -> tuple[int, str]:
        """The first line of that text, or the one that is meant."""
        rank = texts[1] if len(texts) > 1 else "1"
        if not texts[0] or not _NUMBER.fullmatch(rank) or len(texts) > 2:
            raise NotAState
        text = read(texts[0])
        places = [number for number, line in enumerate(course.lines, 1) if text and line == text]
        wanted = int(rank)
        if 0 < wanted <= len(places):
            return places[wanted - 1], text
        return 0, text if wanted == 1 else f"{text} (no {rank} of it)"


class LineNumbers:
    """Lines by their numbers, which the prompt shows as well."""

    is_numbered = True

    def source(self, program: Program) -> str:
        """ "def f():\\n    pass\\n" -> "1 def f():\\n2     pass\\n" """
        return "".join(f"{number} {line}\n" for number, line in enumerate(program.lines, 1))

    def spell(self, line: int, course: Course) -> Pieces:
        """7 -> "7" """
        return (str(line),)

    def read(self, texts: Sequence[str], course: Course) -> tuple[int, str]:
        """The line of that number, which may be one that the program does not have."""
        text = texts[0]
        if len(texts) > 1 or not _NUMBER.fullmatch(text):
            raise NotAState
        number = int(text)
        is_there = 0 < number <= len(course.lines)
        return number, course.text(number) if is_there else f"(no line {text})"
