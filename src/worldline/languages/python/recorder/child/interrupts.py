"""Interrupts of a program: its recursion limit and its signal handlers.

They take effect between two instructions of the program, never inside the recorder.
"""

import signal
import sys
import types
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from os.path import dirname
from sys import getrecursionlimit, setrecursionlimit
from typing import Any

from .json_lines import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

# A unique string object, which no constant of a program can be identical to.
FILENAME = "".join(["<", "program", ">"])
OWN_FOLDER = dirname(__file__)
# Stack frames that a tracer in Python may need on top of the program's.
HEADROOM = 200

RECURSION_ERROR = signal.SIGUSR2
TOO_DEEP = "maximum recursion depth exceeded"
# The last of the tool ids of sys.monitoring.
_TOOL_ID = 5


def raise_at_next_instruction(signum: int) -> "Iterator[object]":
    """An iterator; iterating over it, as the last act of a trace function, makes a signal pending.

    A for loop calls `interrupt_main` from C, so the interpreter notices the signal only after the
    trace function has returned, at the program's next instruction. Tracing stays on, which it would
    not if the trace function itself raised.
    """
    return iter(partial(interrupt_main, signum), None)  # type: ignore[arg-type]


# -- recursion limit --------------------------------------------------------------------------


def stack_height() -> int:
    """The height of the stack: the lowest recursion limit that Python accepts in the caller."""
    before = getrecursionlimit()
    for height in count(1):
        try:
            setrecursionlimit(height)
        except RecursionError:
            continue
        setrecursionlimit(before)
        return height
    raise AssertionError


class RecursionLimit:
    """The recursion limit as the program sees it, plus headroom for a tracer in Python.

    No RecursionError may be raised inside the tracer. So the limit of the interpreter is higher
    than the one that the program sees, and the program's RecursionError is raised for it. (On 3.11
    calls of C functions count, too; those beyond the limit are allowed while the program is
    traced.) A tracer in C needs no headroom: the limit is only corrected for the frames below the
    program.
    """

    def __init__(self, height: int, *, headroom: int) -> None:
        """`height`: the result of `stack_height` in the frame that executes the program."""
        self.height = height
        self.headroom = headroom
        if not headroom:
            # A script has some of these frames, too: its own, its function's, and one more; on
            # 3.11, also a call from C.
            self.height -= 3 if sys.version_info >= (3, 12) else 4
        self.limit = getrecursionlimit()
        setrecursionlimit(self.limit + self.height + headroom)
        signal.signal(RECURSION_ERROR, _raise_recursion_error)
        sys.getrecursionlimit = lambda: self.limit
        sys.setrecursionlimit = self._set_limit
        if headroom:
            self._monitor_calls()

    def _monitor_calls(self) -> None:
        # From 3.12 sys.monitoring can raise; before, the trace function has to send a signal.
        self.is_monitored = sys.version_info >= (3, 12)
        if sys.version_info >= (3, 12):
            monitoring, events = sys.monitoring, sys.monitoring.events
            monitoring.use_tool_id(_TOOL_ID, "worldline")
            for event in (events.PY_START, events.PY_RESUME):
                monitoring.register_callback(_TOOL_ID, event, self._raise_if_exceeded)
            monitoring.set_events(_TOOL_ID, events.PY_START | events.PY_RESUME)

    def _raise_if_exceeded(self, code: types.CodeType, offset: int) -> None:
        if self.is_exceeded():
            raise RecursionError(TOO_DEEP)

    def is_exceeded(self) -> bool:
        """Whether the frame whose trace function calls this is beyond the program's limit."""
        # Python refuses to set a limit below the current height: the only exact test.
        try:
            setrecursionlimit(self.limit + self.height)
        except RecursionError:
            return True
        setrecursionlimit(self.limit + self.height + self.headroom)
        return False

    def _set_limit(self, limit: int, /) -> None:
        if limit < 1:
            raise ValueError("recursion limit must be greater or equal than 1")
        setrecursionlimit(limit + self.height)
        setrecursionlimit(limit + self.height + self.headroom)
        self.limit = limit


def _raise_recursion_error(signum: int, frame: "types.FrameType | None") -> None:
    raise RecursionError(TOO_DEEP)


# -- signal handlers --------------------------------------------------------------------------


def defer_signal_handlers(pending: "list[int]", is_busy: "Callable[[], bool]") -> None:
    """Delay the program's signal handlers while the recorder is running.

    Args:
        pending: The list to which such signals are appended.
        is_busy: Whether a tracer in C, which has no frames, was interrupted.
    """
    set_handler, get_handler = signal.signal, signal.getsignal

    def deferred(handler: "Callable[..., Any]") -> "Callable[..., Any]":
        def handle(signum: int, frame: "types.FrameType | None") -> None:
            if is_busy() or is_recorder_frame(frame):
                pending.append(signum)
            else:
                handler(signum, frame)

        handle.__wrapped__ = handler  # type: ignore[attr-defined]
        return handle

    def set_deferred(signum: int, handler: Any) -> Any:
        is_constant = not callable(handler) or isinstance(handler, signal.Handlers)
        before = set_handler(signum, handler if is_constant else deferred(handler))
        return getattr(before, "__wrapped__", before)

    def get_unwrapped(signum: int) -> Any:
        handler = get_handler(signum)
        return getattr(handler, "__wrapped__", handler)

    signal.signal = set_deferred  # type: ignore[assignment]
    signal.getsignal = get_unwrapped  # type: ignore[assignment]


def is_recorder_frame(frame: "types.FrameType | None") -> bool:
    """Whether a signal has interrupted the recorder, not the program."""
    while frame is not None and frame.f_code.co_filename != FILENAME:
        if frame.f_code.co_filename.startswith(OWN_FOLDER):
            return True
        frame = frame.f_back
    return False
