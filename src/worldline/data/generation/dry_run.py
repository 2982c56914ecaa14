"""Dry run of a program while it is being written, in this process.

A trace function stops the program at a limit on steps and on the size of values. Only generated
programs are executed this way.
"""

import sys
from dataclasses import dataclass
from types import FrameType
from typing import Any

_FILE = "<generated>"
# Limits on values that a small model can be expected to write.
_MAX_NUMBER, _MAX_STRING_CHARS, _MAX_ITEMS, _MAX_FLOAT_CHARS = 9999, 28, 10, 7


@dataclass(frozen=True, slots=True)
class DryRunResult:
    """Result of a dry run: the return value, the number of steps, and the lines executed."""

    result: Any
    steps: int
    lines: frozenset[int]


class _LimitError(Exception):
    """The program executed too many steps, or a value is too large."""


def fits(value: object) -> bool:
    """Whether a value is small enough for a question.

    12 -> True; 10**9 -> False; ["a"] * 50 -> False
    """
    if isinstance(value, int):
        return abs(value) <= _MAX_NUMBER
    if isinstance(value, str):
        return len(value) <= _MAX_STRING_CHARS
    if isinstance(value, float):
        return abs(value) <= _MAX_NUMBER and len(repr(value)) <= _MAX_FLOAT_CHARS
    if isinstance(value, dict):
        return len(value) <= _MAX_ITEMS and all(fits(k) and fits(v) for k, v in value.items())
    if isinstance(value, list | tuple | set):
        return len(value) <= _MAX_ITEMS and all(map(fits, value))
    return True


def execute_dry_run(source: str, call: str, *, max_steps: int) -> DryRunResult | None:
    """Execute a call; return None if it raises, has too many steps, or a value does not fit."""
    steps = 0
    lines: set[int] = set()

    def trace_step(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal steps
        if frame.f_code.co_filename != _FILE or frame.f_code.co_name == "<module>":
            return None
        steps += 1
        if event == "line":
            lines.add(frame.f_lineno)
        if steps > max_steps or not all(map(fits, frame.f_locals.values())):
            raise _LimitError
        return trace_step

    namespace: dict[str, Any] = {}
    exec(compile(source, _FILE, "exec"), namespace)
    code = compile(call, _FILE, "eval")
    previous = sys.gettrace()
    try:
        sys.settrace(trace_step)
        try:
            result = eval(code, namespace)
        finally:
            sys.settrace(previous)
    # A random program may raise anything; the caller then writes another one.
    except Exception:  # noqa: BLE001
        return None
    return DryRunResult(result, steps, frozenset(lines)) if fits(result) else None
