"""Recorder: executes a program and returns its trace."""

from typing import Protocol

from worldline.core.trace import Limits, Program, Trace


class Recorder(Protocol):
    """Executes programs and returns their traces; a new recorder is one class with `record`."""

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """Execute a program; a crash or a limit is the trace's ending, not an exception."""
        ...
