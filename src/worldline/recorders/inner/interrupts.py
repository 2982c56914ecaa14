"""What breaks into a program between two of its instructions, and never into the recorder.

That is RecursionError, at the limit the program knows, and its own signal handlers.
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

from .wire import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

# An object of its own, which no constant of a program is.
FILENAME = "".join(["<", "program", ">"])
OWN_FOLDER = dirname(__file__)
# Stack frames that a recorder written in Python may need on top of the program's.
HEADROOM = 200

RECURSION_ERROR = signal.SIGUSR2
TOO_DEEP = "maximum recursion depth exceeded"
# The last of the ids that Python leaves to tools.
_TOOL = 5


def strike(signum: int) -> "Iterator[object]":
    """Iterating over this makes a signal pending, as the last act of a trace function.

    A for loop calls the function from C, so that the interpreter first notices the signal when
    the recorder has returned and the program's own frame goes on; and tracing stays on, which
    it would not if the trace function itself raised.
    """
    return iter(partial(interrupt_main, signum), None)  # type: ignore[arg-type]


# -- recursion to the limit -----------------------------------------------------------------


def stack_height() -> int:
    """The lowest recursion limit that Python accepts where this is called."""
    before = getrecursionlimit()
    for height in count(1):
        try:
            setrecursionlimit(height)
        except RecursionError:
            continue
        setrecursionlimit(before)
        return height
    raise AssertionError


class Stack:
    """The stack as the program knows it, with room for a recorder in Python above its limit.

    No recursion error may strike inside the recorder, so the real limit is higher than the one
    the program sees, and the error it would have met is raised for it. (On 3.11 calls of C
    functions count, too; those that go over the limit while it is traced are let pass.) A recorder
    in C needs no room: the limit is what the program would have, were there nothing below it.
    """

    def __init__(self, height: int, *, headroom: int) -> None:
        """`height`: what `stack_height` says where the program is going to be run."""
        self.height = height
        self.headroom = headroom
        if not headroom:
            # Some of it a script has as well: its own frame, its function's, and one to spare; on
            # 3.11, a call from C counts too.
            self.height -= 3 if sys.version_info >= (3, 12) else 4
        self.limit = getrecursionlimit()
        setrecursionlimit(self.limit + self.height + headroom)
        signal.signal(RECURSION_ERROR, _raise_recursion_error)
        sys.getrecursionlimit = lambda: self.limit
        sys.setrecursionlimit = self._set_limit
        if headroom:
            self._watch_calls()

    def _watch_calls(self) -> None:
        # From 3.12 a watcher of calls may simply raise; before, a trace function has to strike.
        self.is_watched = sys.version_info >= (3, 12)
        if sys.version_info >= (3, 12):
            watch, events = sys.monitoring, sys.monitoring.events
            watch.use_tool_id(_TOOL, "worldline")
            for event in (events.PY_START, events.PY_RESUME):
                watch.register_callback(_TOOL, event, self._raise_if_full)
            watch.set_events(_TOOL, events.PY_START | events.PY_RESUME)

    def _raise_if_full(self, code: types.CodeType, offset: int) -> None:
        if self.is_full():
            raise RecursionError(TOO_DEEP)

    def is_full(self) -> bool:
        """Whether the frame whose watcher calls this is one too many."""
        # Python refuses a limit that has been reached: the one exact way to ask.
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


# -- handlers of the program ------------------------------------------------------------------


def defer_handlers(waiting: "list[int]", is_busy: "Callable[[], bool]") -> None:
    """Let a handler that the program installs wait while the recorder is at work.

    The numbers of signals that came meanwhile are put into `waiting`; `is_busy`: whether a recorder
    without frames of its own is what was interrupted.
    """
    install, installed = signal.signal, signal.getsignal

    def deferred(handler: "Callable[..., Any]") -> "Callable[..., Any]":
        def handle(signum: int, frame: "types.FrameType | None") -> None:
            if is_busy() or is_recorder(frame):
                waiting.append(signum)
            else:
                handler(signum, frame)

        handle.__wrapped__ = handler  # type: ignore[attr-defined]
        return handle

    def install_deferred(signum: int, handler: Any) -> Any:
        is_plain = not callable(handler) or isinstance(handler, signal.Handlers)
        before = install(signum, handler if is_plain else deferred(handler))
        return getattr(before, "__wrapped__", before)

    def installed_really(signum: int) -> Any:
        found = installed(signum)
        return getattr(found, "__wrapped__", found)

    signal.signal = install_deferred  # type: ignore[assignment]
    signal.getsignal = installed_really  # type: ignore[assignment]


def is_recorder(frame: "types.FrameType | None") -> bool:
    """Whether the recorder, not the program, is what a signal has interrupted."""
    while frame is not None and frame.f_code.co_filename != FILENAME:
        if frame.f_code.co_filename.startswith(OWN_FOLDER):
            return True
        frame = frame.f_back
    return False
