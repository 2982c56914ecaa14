"""A program that is being written goes in; whether it runs, with small values, comes out.

It is run in this process, line by line under a watch that ends it before it runs on or its values
grow. Only what is written here is run so.
"""

import sys
from dataclasses import dataclass
from types import FrameType
from typing import Any

_FILE = "<generated>"
# What a small model can be asked to write: wide enough for all levels.
_LARGEST, _LONGEST, _MOST_ITEMS, _FLOAT_CHARS = 9999, 28, 10, 7


@dataclass(frozen=True, slots=True)
class Tried:
    """What a program did: its result, how many lines it executed, and which of them."""

    result: Any
    steps: int
    lines: frozenset[int]


class _TooMuchError(Exception):
    """The program ran on, or a value grew."""


def fits(value: object) -> bool:
    """Whether a value is small enough to be asked about.

    12 -> True; 10**9 -> False; ["a"] * 50 -> False
    """
    if isinstance(value, int):
        return abs(value) <= _LARGEST
    if isinstance(value, str):
        return len(value) <= _LONGEST
    if isinstance(value, float):
        return abs(value) <= _LARGEST and len(repr(value)) <= _FLOAT_CHARS
    if isinstance(value, dict):
        return len(value) <= _MOST_ITEMS and all(fits(k) and fits(v) for k, v in value.items())
    if isinstance(value, list | tuple | set):
        return len(value) <= _MOST_ITEMS and all(map(fits, value))
    return True


def try_out(source: str, call: str, *, most_steps: int) -> Tried | None:
    """Run a call of a program; none where it raises, runs on, or a value does not fit."""
    steps = 0
    lines: set[int] = set()

    def watch(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal steps
        if frame.f_code.co_filename != _FILE or frame.f_code.co_name == "<module>":
            return None
        steps += 1
        if event == "line":
            lines.add(frame.f_lineno)
        if steps > most_steps or not all(map(fits, frame.f_locals.values())):
            raise _TooMuchError
        return watch

    space: dict[str, Any] = {}
    exec(compile(source, _FILE, "exec"), space)
    code = compile(call, _FILE, "eval")
    before = sys.gettrace()
    try:
        sys.settrace(watch)
        try:
            result = eval(code, space)
        finally:
            sys.settrace(before)
    # Whatever a random program may raise is no fault of ours: it is written anew.
    except Exception:  # noqa: BLE001
        return None
    return Tried(result, steps, frozenset(lines)) if fits(result) else None
