"""Protocol of the fork server: the rows that describe one recording, and how to decode them.

The child process writes one JSON list per row:

    ["scope", function, line, variables, parameters]    a new scope
    ["again", n]                                        a new scope, of the function of scope n
    ["line", line, scope, changed, gone]                a call or line step; both may be missing
    ["return", line, scope, value]                      a return or exception step
    ["thread", n]                                       the following steps are of thread n
    ["choice", name, arguments, value, domain, line, steps, thresholds, is_used]
                                                        a choice, after that many steps
    ["compiled", classes]                               what a tracer of another language compiled
    ["result", ending, text, choices]                   one of many executions, without steps
    ["end", reason, detail, notes]                      the ending
    ["epilogue", steps, scopes, secret]                 counts, written by the tracer in C; the
                                                        secret by tracers of other languages

The tracer in C writes the rows to shared memory (c/shared_memory.h), the one in Python to the
reply socket.
"""

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from worldline.core.trace import Event, Limits, Scope, Step, make_step
from worldline.core.util.garbage_collection import paused_garbage_collection

# Offset of the rows in shared memory; the first eight bytes are the length of the complete rows.
_ROWS_OFFSET = 64
# Space for the last rows, which do not count as part of the trace.
_LAST_ROWS_BYTES = 2_000_000
_READ_BYTES = 1 << 20


class RawRecording:
    """Decoded rows about one program, and what happened to its process."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.scopes: list[Scope] = []
        # The thread of the next steps.
        self.thread = 0
        # Number of steps and scopes according to the tracer in C.
        self.epilogue: tuple[int, int] | None = None
        # From the request to the tracer of another language; the program does not know it.
        self.secret = ""
        # The compiled program, as its tracer reads it again.
        self.compiled = ""
        # The fields of its choices.
        self.choices: list[list[Any]] = []
        # The fields of executions without steps.
        self.results: list[list[Any]] = []
        self.end: tuple[str, str] | None = None
        self.notes: list[str] = []
        self.stdout = b""
        # Wait status of the process; None if it was killed from outside.
        self.status: int | None = None
        # Process id, where there are no pidfds.
        self.pid: int | None = None
        self.was_started = False
        # Whether the process has announced that its own rows follow.
        self.has_begun = False
        self.was_timed_out = False
        self.was_cancelled = False
        # Whether the fork server died.
        self.is_dead = False
        self.is_tampered = False


def shared_memory_bytes(limits: Limits) -> int:
    """Size of the shared memory for one recording."""
    return _ROWS_OFFSET + limits.trace_mb * 1_000_000 + _LAST_ROWS_BYTES


def decode_shared_memory(memory: int, recording: RawRecording) -> None:
    """Add the rows that the tracer in C has written to a memory file."""
    is_used = False
    with paused_garbage_collection():
        for rows in complete_rows(memory):
            is_used = True
            _decode_part(rows, recording)
    recording.is_tampered = is_used and not _has_epilogue(recording)


def decode_rows(rows: bytes, recording: RawRecording) -> None:
    """Add the rows that the tracer in C has written, the last of which ends with a newline."""
    with paused_garbage_collection():
        _decode_part(rows.removesuffix(b"\n"), recording)
    recording.is_tampered = not _has_epilogue(recording)


def _decode_part(rows: bytes, recording: RawRecording) -> None:
    # Newlines occur only between rows: all complete rows can be decoded at once.
    for row in json.loads(b"[" + rows.replace(b"\n", b",") + b"]"):
        decode_row(recording, row)


def _has_epilogue(recording: RawRecording) -> bool:
    """Whether the last row has the right counts, or is missing together with the ending."""
    # The end and the epilogue are written together. Without them, the process was killed.
    counts = (len(recording.steps), len(recording.scopes)) if recording.end else None
    return recording.epilogue == counts


def read_rows(memory: int) -> Iterator[bytes]:
    """The bytes of the rows in a memory file, in parts: those of a long trace are never held."""
    remaining = int.from_bytes(os.pread(memory, 8, 0), "little")
    offset = _ROWS_OFFSET
    while remaining:
        part = os.pread(memory, min(remaining, _READ_BYTES), offset)
        offset, remaining = offset + len(part), remaining - len(part)
        yield part


def complete_rows(memory: int) -> Iterator[bytes]:
    """The rows in a memory file, in parts that end between two rows."""
    rest = b""
    for part in read_rows(memory):
        rows, newline, rest = (rest + part).rpartition(b"\n")
        if newline:
            yield rows


def decode_row(recording: RawRecording, row: list[Any]) -> None:
    """Add one row to a recording.

    Raises:
        InputError: The row has an unknown event.
        LookupError: The row refers to a scope that does not exist.
    """
    if row[0] == "epilogue":
        recording.epilogue = (row[1], row[2])
        recording.secret = row[3] if len(row) > 3 else ""
    elif row[0] == "thread":
        recording.thread = int(row[1])
    elif row[0] == "compiled":
        recording.compiled = str(row[1])
    elif row[0] == "choice":
        recording.choices.append(row[1:])
    elif row[0] == "result":
        recording.results.append(row[1:])
    elif row[0] == "end":
        recording.end, recording.notes = (row[1], row[2]), recording.notes + row[3]
    elif row[0] == "again":
        recording.scopes.append(recording.scopes[row[1]])
    elif row[0] == "scope":
        recording.scopes.append(Scope(row[1], row[2], tuple(row[3]), row[4]))
    else:
        step = decode_step(recording.thread, *row)
        _ = recording.scopes[step.scope]
        recording.steps.append(step)


def decode_step(
    thread: int,
    event: Event,
    line: int,
    scope: int,
    changed_or_value: Any = None,
    gone: Sequence[str] = (),
) -> Step:
    """Decode the row of a step; trailing fields that are empty may be missing.

    ["line", 3, 0], ["line", 3, 0, {"x": "1"}, ["y"]], ["return", 4, 0, "1"]
    """
    if event in ("call", "line"):
        return make_step(event, line, scope, changed_or_value, gone, None, thread)
    return make_step(event, line, scope, None, (), changed_or_value, thread)
