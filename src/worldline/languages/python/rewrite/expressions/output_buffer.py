"""Output buffer: new text of a program, turned into edits of the old text."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from worldline.languages.python.rewrite.expressions.unparse import OutputLine
from worldline.languages.python.rewrite.source_layout import SourceLayout
from worldline.languages.python.rewrite.source_map import Edit


@dataclass(slots=True)
class OutputBuffer:
    """The new text of a program, written from the first line to the last.

    Attributes:
        layout: the layout of the old text.
        next_line: the next line of the old text.
        shifts: blocks that are indented more than before: the old indentation, and what is added to
            it.
    """

    layout: SourceLayout
    next_line: int = 1
    shifts: list[tuple[str, str]] = field(default_factory=list)
    _lines: list[tuple[str, int]] = field(default_factory=list)

    def copy_until(self, line: int) -> None:
        """Copy the old lines up to before this one."""
        for number in range(self.next_line, line):
            text = self.layout.lines[number - 1]
            is_shiftable = number not in self.layout.string_lines
            self._lines.append((self._shift(text) if is_shiftable else text, number))
        self.next_line = max(self.next_line, line)

    def write(self, indent: str, text: str, origin: int) -> None:
        """Add a new line."""
        self._lines.append((self._shift(indent + text), origin))

    def write_lines(self, lines: list[OutputLine], indent: str, unit: str) -> None:
        """Add new lines, in blocks that are indented by `unit`."""
        for line in lines:
            self.write(indent + unit * line.depth, line.text, line.origin)

    def skip_until(self, line: int) -> None:
        """Drop the old lines up to before this one."""
        self.next_line = line

    def indentation(self, line: int) -> str:
        """Indentation of an old line."""
        text = self.layout.lines[line - 1]
        return text[: len(text) - len(text.lstrip())]

    def _shift(self, text: str) -> str:
        if not text.strip():
            return text
        for base, unit in self.shifts:
            column = len(base) if text.startswith(base) else 0
            text = text[:column] + unit + text[column:]
        return text

    def make_edits(self) -> Iterator[Edit]:
        """Yield the edits of the old text."""
        self.copy_until(len(self.layout.lines) + 1)
        first, new_lines = 1, list[tuple[str, int]]()
        for text, origin in [*self._lines, ("", len(self.layout.lines) + 1)]:
            is_end = origin > len(self.layout.lines)
            if not is_end and (origin < first or self.layout.lines[origin - 1] != text):
                new_lines.append((text, origin))
                continue
            # An unchanged old line.
            if new_lines or origin > first:
                yield Edit(first, origin - 1, tuple(new_lines))
            first, new_lines = origin + 1, []
