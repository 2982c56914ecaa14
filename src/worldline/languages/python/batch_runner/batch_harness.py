"""Harness that executes a source and then evaluates many items, in the sandbox.

`batch_runner.py` sends this file as a program. It uses the standard library only.

Standard input is one JSON object: `source`, `items` (each a kind, a text and a time limit),
`load_seconds`, `value_chars` and `max_slow_items`. Standard output has one JSON list per item,
written as soon as it is known: a status and a detail. The last line is `["end", CPU seconds,
kilobytes of memory]`. A source that does not load has one line: `["not_loaded", ""]`.
"""

import io
import json
import os
import resource
import signal
import sys
import time
import zlib
from types import CodeType, FrameType
from typing import Any

# After this many items that exceed their limit, the others have a tenth of theirs.
SLOW_ITEM_FACTOR = 0.1
# The kernel ends the process after this multiple of a limit: the source has caught the exception,
# or waits within a function of C.
HARD_CPU_FACTOR, HARD_ELAPSED_FACTOR, HARD_ELAPSED_SECONDS = 10.0, 30.0, 2.0


class TimeLimitExceeded(BaseException):
    """The item has used its CPU time. No `except Exception` of the source catches it."""


class Timer:
    """CPU-time limit of one item: an exception at the limit, and the end of the process later."""

    def __init__(self) -> None:
        self.is_armed = False
        signal.signal(signal.SIGPROF, self._on_signal)
        for number in (signal.SIGVTALRM, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)

    def _on_signal(self, number: int, frame: "FrameType | None") -> None:
        if self.is_armed:
            # Only once, so that no second exception is raised while the first one is handled.
            self.is_armed = False
            raise TimeLimitExceeded

    def start(self, seconds: float) -> None:
        """Start an item."""
        self.is_armed = True
        signal.setitimer(signal.ITIMER_VIRTUAL, HARD_CPU_FACTOR * seconds)
        signal.setitimer(signal.ITIMER_REAL, HARD_ELAPSED_SECONDS + HARD_ELAPSED_FACTOR * seconds)
        signal.setitimer(signal.ITIMER_PROF, seconds)

    def stop(self) -> None:
        """End an item."""
        self.is_armed = False
        for timer in (signal.ITIMER_PROF, signal.ITIMER_VIRTUAL, signal.ITIMER_REAL):
            signal.setitimer(timer, 0)


def bounded_text(value: object, limit: int) -> str:
    """The `repr` of a value; a longer one is shortened, with a checksum of the complete text."""
    text = repr(value)
    if len(text) <= limit:
        return text
    checksum = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    return f"{text[:limit]}… {len(text)} characters, CRC {checksum:08x}"


def compile_item(kind: str, text: str) -> "CodeType | None":
    """The code of an item; None if it does not compile."""
    try:
        mode = "eval" if kind == "expression" else "exec"
        return compile(text, "<item>", mode, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def evaluate(
    code: "CodeType | None",
    namespace: "dict[str, Any]",
    timer: Timer,
    seconds: float,
    value_chars: int,
    *,
    is_expression: bool,
) -> "list[str]":
    """The status of an item, and an expression's value or the name of its exception."""
    if code is None:
        return ["invalid", ""]
    try:
        try:
            timer.start(seconds)
            # A copy: what the item defines is not seen by the source or by other items.
            value = eval(code, dict(namespace))
            return ["value", bounded_text(value, value_chars)] if is_expression else ["passed", ""]
        except TimeLimitExceeded:
            return ["time_limit", ""]
        except BaseException as error:  # noqa: BLE001
            if is_expression:
                return ["raised", type(error).__name__]
            return ["failed" if isinstance(error, AssertionError) else "raised", ""]
        finally:
            timer.stop()
    except TimeLimitExceeded:
        # It was raised within one of the clauses above.
        timer.stop()
        return ["time_limit", ""]


def main() -> None:  # << START_OF_TRACE
    """Evaluate the items of standard input."""
    # Only this line is traced.
    sys.settrace(None)
    request = json.loads(sys.stdin.buffer.read())
    output, null = os.dup(1), os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), io.StringIO(), io.StringIO()
    write, encode = os.write, json.dumps

    def report(row: "list[Any]") -> None:
        write(output, encode(row).encode() + b"\n")

    timer, value_chars = Timer(), request["value_chars"]
    namespace: dict[str, Any] = {"__name__": "candidate", "__builtins__": __builtins__}
    code = compile_item("statement", request["source"])
    try:
        try:
            timer.start(request["load_seconds"])
            if code is None:
                raise SyntaxError
            exec(code, namespace)
        finally:
            timer.stop()
    except BaseException:  # noqa: BLE001
        report(["not_loaded", ""])
        return
    slow = 0
    for kind, text, seconds in request["items"]:
        is_hurried = slow >= request["max_slow_items"]
        row = evaluate(
            compile_item(kind, text),
            namespace,
            timer,
            seconds * SLOW_ITEM_FACTOR if is_hurried else seconds,
            value_chars,
            is_expression=kind == "expression",
        )
        slow += row[0] == "time_limit"
        # What the source prints is not kept.
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
        report(row)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report(["end", round(time.process_time(), 6), memory])
