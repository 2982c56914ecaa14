"""Recorder of Python programs: executes a program and returns its trace."""

from typing import Protocol

from worldline.core.trace import Limits, Program, Trace
from worldline.languages.python.recorder.assumed_request import OpenCall
from worldline.languages.python.recorder.cancellation import Cancellation
from worldline.languages.python.recorder.fork_server_client import Backend
from worldline.languages.python.recorder.literals import parse_literal
from worldline.languages.python.recorder.python_recorder import PythonRecorder, check_sandbox
from worldline.languages.python.recorder.stored_trace_recorder import StoredTraceRecorder


class Recorder(Protocol):
    """Executes programs and returns their traces; a new recorder is one class with `record`."""

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """Execute a program; a crash or a limit is the trace's ending, not an exception."""
        ...


__all__ = [
    "Backend",
    "Cancellation",
    "OpenCall",
    "PythonRecorder",
    "Recorder",
    "StoredTraceRecorder",
    "check_sandbox",
    "parse_literal",
]
