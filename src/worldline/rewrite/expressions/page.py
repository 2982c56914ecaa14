"""A program's lines and new ones for some of them go in; the edits that make them come out."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from worldline.rewrite.expressions.lines import Layout, Line
from worldline.rewrite.rewritten import Edit


@dataclass(slots=True)
class Page:
    """The program as it is written anew, from the first line to the last.

    `following`: the line of the old text that comes next. `shifts`: blocks that stand deeper than
    they did: the indentation of the old block, and what is put in behind it.
    """

    layout: Layout
    following: int = 1
    shifts: list[tuple[str, str]] = field(default_factory=list)
    _lines: list[tuple[str, int]] = field(default_factory=list)

    def copy_to(self, line: int) -> None:
        """Take over the old lines up to before this one."""
        for number in range(self.following, line):
            text = self.layout.source[number - 1]
            is_free = number not in self.layout.within
            self._lines.append((self._shifted(text) if is_free else text, number))
        self.following = max(self.following, line)

    def put(self, indent: str, text: str, origin: int) -> None:
        """Add a new line."""
        self._lines.append((self._shifted(indent + text), origin))

    def put_lines(self, lines: list[Line], indent: str, unit: str) -> None:
        """Add new lines, in blocks that are indented by `unit`."""
        for line in lines:
            self.put(indent + unit * line.depth, line.text, line.origin)

    def skip_to(self, line: int) -> None:
        """Leave out the old lines up to before this one."""
        self.following = line

    def indent(self, line: int) -> str:
        """How far an old line is indented."""
        text = self.layout.source[line - 1]
        return text[: len(text) - len(text.lstrip())]

    def _shifted(self, text: str) -> str:
        if not text.strip():
            return text
        for base, unit in self.shifts:
            at = len(base) if text.startswith(base) else 0
            text = text[:at] + unit + text[at:]
        return text

    def edits(self) -> Iterator[Edit]:
        """What is to be done to the old text."""
        self.copy_to(len(self.layout.source) + 1)
        first, new = 1, list[tuple[str, int]]()
        for text, origin in [*self._lines, ("", len(self.layout.source) + 1)]:
            is_end = origin > len(self.layout.source)
            if not is_end and (origin < first or self.layout.source[origin - 1] != text):
                new.append((text, origin))
                continue
            # An old line that stays as it is.
            if new or origin > first:
                yield Edit(first, origin - 1, tuple(new))
            first, new = origin + 1, []
