"""Tracer in C: interface to the extension `_tracer`, if that was built."""

import opcode
from collections.abc import Callable
from typing import Any

from .interrupts import FILENAME
from .json_lines import OWN_BUILTINS
from .repr_session import ReprSession

try:
    from . import _tracer
except ImportError:  # installed without a compiler, or for another version of Python
    _tracer = None  # type: ignore[assignment]

__builtins__ = OWN_BUILTINS

IS_BUILT = _tracer is not None
_INSTRUCTIONS = ("RESUME", "RETURN_VALUE", "RETURN_CONST", "YIELD_VALUE")


class CTracer:
    """Writes the events of the program's frames as rows into shared memory."""

    def __init__(
        self,
        limits: "dict[str, Any]",
        memory: "tuple[int, int]",
        *,
        repr_session: ReprSession,
        signals: "list[int]",
        finish: "Callable[[str, str], None]",
        on_error: "Callable[[BaseException], None]",
        before_line: "Callable[[], None] | None" = None,
    ):
        """Open the memory of the recording.

        Args:
            limits: The limits of the recording.
            memory: A memory file, which is closed here, and its size; -1 for memory of this
                process, whose rows `close` returns.
            repr_session: Renders the values that C code cannot.
            signals: Signals that arrived for the program while the tracer was running.
            finish: Ends the recording with a reason and a detail.
            on_error: Called with an exception of the tracer itself.
            before_line: Called before each line, to switch threads; if it is None, only the main
                thread is recorded.
        """
        fd, size = memory
        _tracer.open(
            fd,
            size,
            FILENAME,
            steps=limits["steps"],
            trace_bytes=limits["trace_mb"] * 1_000_000,
            value_chars=limits["value_chars"],
            instructions=tuple(opcode.opmap.get(name, -1) for name in _INSTRUCTIONS),
            render=repr_session.render,
            finish=finish,
            on_error=on_error,
            signals=signals,
            before_line=before_line,
            has_threads=before_line is not None,
        )
        # For other recordings in memory of this process.
        self.reopen = _tracer.reopen
        self.start, self.stop, self.close = _tracer.start, _tracer.stop, _tracer.close
        self.is_busy, self.start_thread = _tracer.is_busy, _tracer.start_thread
        self.step_count, self.set_thread = _tracer.step_count, _tracer.set_thread

    def stop_in_fork(self) -> None:
        """Stop in a process that the program has forked, which is not recorded."""
        _tracer.stop()
