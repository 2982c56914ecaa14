"""Recorders run a program and return its trace."""

from typing import Protocol

from worldline.recorders.asking import Method
from worldline.recorders.holding import Holding, check_holding
from worldline.recorders.python import OF_A_CPU, PythonRecorder
from worldline.trace import Limits, Program, Trace


class Recorder(Protocol):
    """Runs programs and returns what they did. A new recorder is one class with this method."""

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """Run the program; a crash or a limit is an ending of the trace, not an exception."""
        ...


__all__ = ["OF_A_CPU", "Holding", "Method", "PythonRecorder", "Recorder", "check_holding"]
