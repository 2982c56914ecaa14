"""Notation of source lines: by their text, or by their number."""

import re
from collections.abc import Sequence
from typing import Protocol

from worldline.core.trace import Program
from worldline.models.codecs.cwm_tokens import ARG
from worldline.models.codecs.replay_state import ReplayState
from worldline.models.codecs.segments import Segments
from worldline.models.codecs.value_notation import StateParseError, parse_value, write_value

_NUMBER = re.compile(r"[0-9]{1,9}")


class LineNotation(Protocol):
    """Notation of the line of a step."""

    @property
    def is_numbered(self) -> bool:
        """Whether lines are written by number, which may be one that the program does not have."""
        ...

    def source(self, program: Program) -> str:
        """The program as the prompt shows it."""
        ...

    def write(self, line: int, replay: ReplayState) -> Segments:
        """Write the line of that number; <|arg_sep|> separates a rank from its text."""
        ...

    def parse(self, texts: Sequence[str], replay: ReplayState) -> tuple[int, str]:
        """Number and text of the line that `write` wrote; number 0 for a line not in the source."""
        ...


class SourceLines:
    """Lines by their text, followed by a rank if the same text occurs more than once."""

    is_numbered = False

    def source(self, program: Program) -> str:
        """The program as it is."""
        return program.text

    def write(self, line: int, replay: ReplayState) -> Segments:
        """ "    x += 1"; for the second line with that text: "    x += 1", <|arg_sep|>, "2" """
        text = replay.source_line(line)
        rank = replay.lines[: max(0, line - 1)].count(text) + 1
        if rank == 1 or not text:
            return (write_value(text),)
        return (write_value(text), ARG, str(rank))

    def parse(self, texts: Sequence[str], replay: ReplayState) -> tuple[int, str]:
        """Find the line with that text, and, if there is a rank, that rank."""
        rank = texts[1] if len(texts) > 1 else "1"
        if not texts[0] or not _NUMBER.fullmatch(rank) or len(texts) > 2:
            raise StateParseError
        text = parse_value(texts[0])
        numbers = [number for number, line in enumerate(replay.lines, 1) if text and line == text]
        if 0 < int(rank) <= len(numbers):
            return numbers[int(rank) - 1], text
        return 0, text if int(rank) == 1 else f"{text} (no {rank} of it)"


class LineNumbers:
    """Lines by their numbers, which the prompt shows as well."""

    is_numbered = True

    def source(self, program: Program) -> str:
        """ "def f():\\n    pass\\n" -> "1 def f():\\n2     pass\\n" """
        return "".join(f"{number} {line}\n" for number, line in enumerate(program.lines, 1))

    def write(self, line: int, replay: ReplayState) -> Segments:
        """7 -> "7" """
        return (str(line),)

    def parse(self, texts: Sequence[str], replay: ReplayState) -> tuple[int, str]:
        """The line of that number, which may be one that the program does not have."""
        text = texts[0]
        if len(texts) > 1 or not _NUMBER.fullmatch(text):
            raise StateParseError
        number = int(text)
        exists = 0 < number <= len(replay.lines)
        return number, replay.source_line(number) if exists else f"(no line {text})"
