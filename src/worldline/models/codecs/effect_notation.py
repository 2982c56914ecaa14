"""Notation with each executed line repeated, and its effect after it: `L5: n += 1 => n = 2`."""

import re
from collections.abc import Sequence

from worldline.models.codecs.decoded import Fragment
from worldline.models.codecs.item_text import parse_items, write_items
from worldline.models.codecs.row_notation import (
    ParsedRow,
    SourceLine,
    complete_line,
    source_line,
    strip_marks,
)
from worldline.models.codecs.rows import UNKNOWN_EFFECT, Row

_HEAD = re.compile(r"(?:[Ll]ine\s*|[Ll]\s?)(\d{1,9})(?!\w)(?:\*\*|`)?\s*[:.)]?(?:\*\*)?\s*")
_ARROW = re.compile(r"[\s`*]*(?:={1,3}>|-{1,3}>|→|⇒|=&gt;)")
_STRING = r"'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\""
_ARROWS = tuple(
    re.compile(rf"{_STRING}|(?P<arrow>[\s`*]*{arrow})")
    for arrow in ("={1,3}>", "(?:→|⇒|=&gt;)", "-{1,3}>")
)


class EffectNotation:
    """One row per executed line: `L4: if len(w) > 2: => True`."""

    writes_steps = False
    instructions = """\
You execute Python programs step by step. Write down every line that is executed, in the order of \
execution, one per row:
L<line number>: <the source line> => <its effect>
The effect of a line is the variables that it changed, as name = value, separated by "; ". Write \
values as Python's repr does. If nothing changed, write nothing after =>. For a condition write \
True or False. For a for loop write the new value of its variable, or done. For a return write the \
returned value.
A function that is called begins with the row of its def line: => enter, and the values of its \
parameters. A line that calls a function of the program has the effect call; the rows of the \
function follow, and then the line again with its effect. If a line raises an exception, write \
=> raise and the exception; if the exception leaves the function, also leave. A comprehension or a \
lambda has no rows of its own.
After the last row write ANSWER: and the value that the call returns, as a Python literal. Write \
nothing else."""

    def write(self, row: Row, source: SourceLine, *, quotes_all: bool = False) -> tuple[str, str]:
        """ "L5: best = w =>", " best = 'to'" """
        effect = write_items(
            row.items,
            is_return=source.is_return,
            is_yield=source.is_yield,
            quotes_all=quotes_all,
        )
        head = f"L{row.line}: {source.text}".rstrip()
        return f"{head} =>", f" {effect}" if effect else ""

    def parse(self, text: str, lines: Sequence[str]) -> ParsedRow | None:
        """Read a row; the number decides which line is meant."""
        line, start = strip_marks(text)
        head = _HEAD.match(line)
        if head is None:
            return None
        number, rest = int(head[1]), line[head.end() :]
        source = source_line(lines, number)
        effect = _effect_position(rest, source.text)
        if effect is None:
            return ParsedRow(Row(number, UNKNOWN_EFFECT), None)
        items = parse_items(rest[effect:], is_return=source.is_return, may_return=source.may_return)
        return ParsedRow(Row(number, items), start + head.end() + effect)

    def parse_truncated(self, text: str, lines: Sequence[str]) -> Fragment | None:
        """The line, once its number is complete."""
        line, _ = strip_marks(text)
        head = _HEAD.match(line)
        # A number at the very end may have more digits.
        if head is None or head.end(1) == len(line):
            return None
        return complete_line(None, int(head[1]), lines)


def _effect_position(rest: str, source: str) -> int | None:
    """Where the effect begins, after the source line and the arrow; None if there is none.

    The source line may contain an arrow; a model may write it differently.
    """
    if rest.startswith(source):
        arrow = _ARROW.match(rest, len(source))
        if arrow is not None:
            return arrow.end()
    for pattern in _ARROWS:
        for match in pattern.finditer(rest):
            if match["arrow"] is not None:
                return match.end()
    if source and rest.startswith(f"{source} "):
        return len(source) + 1
    return None
