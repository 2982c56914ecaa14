"""Traces of the last calls, and the parts of them that resources show."""

from collections import OrderedDict
from dataclasses import dataclass

from worldline.core.errors import InputError
from worldline.core.trace import Trace, printable
from worldline.core.util.text import pluralize
from worldline.interfaces.mcp.answers import Line
from worldline.interfaces.mcp.executed_lines import ExecutedLine, lines_of_trace
from worldline.interfaces.mcp.text_limits import MAX_TEXT_BYTES, byte_length
from worldline.interfaces.mcp.trace_views import (
    line_history,
    line_text,
    shown_line,
    variable_history,
)

SCHEME = "worldline://traces"
# Characters of all stored traces together, about; the oldest ones are removed first.
MAX_STORED_CHARS = 64_000_000
_CHARS_PER_STEP = 100


@dataclass(frozen=True, slots=True)
class StoredTrace:
    """A trace, its executed lines, and about how much memory they need."""

    trace: Trace
    lines: list[ExecutedLine]
    chars: int


def make_stored_trace(trace: Trace) -> StoredTrace:
    """Prepare a trace for the store."""
    chars = len(trace.stdout) + sum(
        _CHARS_PER_STEP
        + len(step.value or "")
        + sum(len(name) + len(value) for name, value in step.changed.items())
        for step in trace.steps
    )
    return StoredTrace(trace, lines_of_trace(trace), chars)


class TraceStore:
    """The last traces by id."""

    def __init__(self, max_chars: int = MAX_STORED_CHARS) -> None:
        self._max_chars = max_chars
        self._traces: OrderedDict[str, StoredTrace] = OrderedDict()

    def add(self, id: str, stored: StoredTrace) -> None:
        """Store a trace; remove the oldest ones if they are too large together."""
        self._traces[id] = stored
        while len(self._traces) > 1 and self._size() > self._max_chars:
            self._traces.popitem(last=False)

    def _size(self) -> int:
        return sum(stored.chars for stored in self._traces.values())

    def get(self, id: str) -> StoredTrace:
        """A stored trace.

        Raises:
            InputError: There is no such trace, or it was removed.
        """
        if id not in self._traces:
            raise InputError(
                "there is no trace with this id; old traces are removed, so call trace_execution "
                "again"
            )
        return self._traces[id]


def resource_addresses(id: str, trace: Trace) -> list[str]:
    """Addresses of the parts of a stored trace."""
    addresses = [f"{SCHEME}/{id}/steps/0"] if trace.steps else []
    if trace.steps:
        addresses += [f"{SCHEME}/{id}/variables/NAME", f"{SCHEME}/{id}/lines/NUMBER"]
    return [*addresses, f"{SCHEME}/{id}/stdout/0"] if trace.stdout else addresses


def steps_page(id: str, stored: StoredTrace, first: int) -> str:
    """The executed lines from a step on, as many as one answer may have."""
    lines = [line for line in stored.lines if line.step >= first]
    return _page(stored, lines, f"{SCHEME}/{id}/steps")


def variable_page(stored: StoredTrace, name: str) -> str:
    """The lines that changed a variable."""
    lines = variable_history(stored.lines, name)
    if not lines:
        return f"No executed line changed a variable {printable(name[:60])}."
    return _page(stored, lines, None)


def line_page(stored: StoredTrace, number: int) -> str:
    """Every execution of a line, with the variables that it uses."""
    lines = line_history(stored.lines, number)
    if not lines:
        return f"Line {number} was not executed."
    return _page(stored, lines, None, shows_state=True)


def stdout_page(id: str, stored: StoredTrace, first: int) -> str:
    """What the program printed, from a character on."""
    text = stored.trace.stdout[first : first + MAX_TEXT_BYTES]
    shown = "\n".join(printable(line) for line in text.split("\n"))
    while byte_length(shown) > MAX_TEXT_BYTES:
        text = text[: len(text) * 3 // 4]
        shown = "\n".join(printable(line) for line in text.split("\n"))
    end = first + len(text)
    if text and end < len(stored.trace.stdout):
        shown += f"\n… continued at {SCHEME}/{id}/stdout/{end}"
    return shown


def _page(
    stored: StoredTrace,
    lines: list[ExecutedLine],
    address: str | None,
    *,
    shows_state: bool = False,
) -> str:
    """A listing of the first lines, and where it is continued."""
    texts: list[str] = []
    size = 0
    for number, line in enumerate(lines):
        steps = stored.trace.steps if shows_state else None
        shown: Line = shown_line(stored.trace.program, line, steps=steps)
        text = line_text(shown)
        size += byte_length(text) + 1
        if size > MAX_TEXT_BYTES - 200:
            rest = f"… {pluralize(len(lines) - number, 'more line')}"
            texts.append(f"{rest}, continued at {address}/{line.step}" if address else rest)
            break
        texts.append(text)
    return "\n".join(texts)
