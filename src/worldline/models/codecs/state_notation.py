"""Notation with one row per step and the state before its line: `LINE L4 | w = 'to'`."""

import re
from collections.abc import Sequence
from dataclasses import replace

from worldline.core.trace import Event
from worldline.models.codecs.decoded import Fragment
from worldline.models.codecs.item_text import parse_items, split_items, write_items
from worldline.models.codecs.row_notation import (
    ParsedRow,
    SourceLine,
    complete_line,
    strip_marks,
)
from worldline.models.codecs.rows import UNKNOWN_EFFECT, Item, Row

_EVENTS: dict[str, Event] = {
    "CALL": "call",
    "LINE": "line",
    "RETURN": "return",
    "EXCEPTION": "exception",
}
_HEAD = re.compile(
    r"(?:(?P<event>CALL|LINE|RETURN|EXCEPTION)\s+)?(?P<mark>L)?(?P<number>\d{1,9})(?!\w)"
    r"\s*(?:\*\*|`)?\s*(?P<separator>[|:])?\s*",
    re.IGNORECASE,
)


class StateNotation:
    """One row per step, with the variables that changed before its line."""

    writes_steps = True
    instructions = """\
You execute Python programs step by step. Write down every step, in the order of execution, one \
per row:
CALL L<line number> | <the parameters>, when a function is entered, with the line of its def
LINE L<line number> | <the changes>, before each line that is executed
RETURN L<line number> | <the returned value>, when a function returns
EXCEPTION L<line number> | raise <the exception>, when a line raises an exception
The changes are the variables that have changed since the last row of the same function, as \
name = value, separated by "; ". Write values as Python's repr does. If nothing changed, write \
nothing after |. If an exception leaves a function, write RETURN with leave. A comprehension or a \
lambda has no rows of its own.
After the last row write ANSWER: and the value that the call returns, as a Python literal. Write \
nothing else."""

    def write(self, row: Row, source: SourceLine, *, quotes_all: bool = False) -> tuple[str, str]:
        """ "LINE L4 |", " w = 'to'" """
        event = (row.event or "line").upper()
        state = write_items(row.items, is_return=True, is_yield=False, quotes_all=quotes_all)
        return f"{event} L{row.line} |", f" {state}" if state else ""

    def parse(self, text: str, lines: Sequence[str]) -> ParsedRow | None:
        """Read a row; one without an event is a line step."""
        line, start = strip_marks(text)
        head = _HEAD.match(line)
        # "Line 2 begins a loop." is prose: a row has two of the event, the L and the bar.
        marks = (head["event"], head["mark"], head["separator"] == "|") if head else ()
        if head is None or sum(map(bool, marks)) < 2:
            return None
        event = _EVENTS[(head["event"] or "LINE").upper()]
        has_value = event in ("return", "exception")
        items = parse_items(line[head.end() :], is_return=has_value)
        items = tuple(_with_event(item, event) for item in items)
        if has_value and not any(item.kind in ("raise", "return", "leave") for item in items):
            # The value is missing; without it there is no step.
            return None
        if event == "line" and any(item.kind in ("raise", "return", "leave") for item in items):
            items = UNKNOWN_EFFECT
        return ParsedRow(Row(int(head["number"]), items, event), start + head.end())

    def parse_truncated(self, text: str, lines: Sequence[str]) -> Fragment | None:
        """Event, line and the variables that are complete, once the number is complete."""
        line, _ = strip_marks(text)
        head = _HEAD.match(line)
        if head is None or not head["event"] or not head["separator"]:
            return None
        event = _EVENTS[head["event"].upper()]
        fragment = complete_line(event, int(head["number"]), lines)
        parts, _ = split_items(line[head.end() :])
        items = parse_items("; ".join(parts[:-1]))
        shown = {item.name: item.value for item in items if item.kind == "set"}
        name, equals, value = parts[-1].partition(" = ")
        if event in ("return", "exception") or not equals or value.startswith("\\"):
            return replace(fragment, locals=shown)
        return replace(fragment, locals=shown, open_name=name, open_value=value)


def _with_event(item: Item, event: Event) -> Item:
    """An item of an exception's row is what was raised."""
    return replace(item, kind="raise") if item.kind == "return" and event == "exception" else item
