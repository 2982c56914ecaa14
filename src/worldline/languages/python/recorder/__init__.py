"""Recorder of Python programs: executes a program and returns its trace."""

from worldline.languages.python.recorder.assumed_request import OpenCall
from worldline.languages.python.recorder.cancellation import Cancellation
from worldline.languages.python.recorder.choice_request import Execution, Thresholds
from worldline.languages.python.recorder.fork_server_client import Backend
from worldline.languages.python.recorder.literals import parse_literal
from worldline.languages.python.recorder.python_recorder import PythonRecorder, check_sandbox
from worldline.languages.python.recorder.recorder_protocol import Recorder
from worldline.languages.python.recorder.schedule_request import (
    ScheduleBounds,
    ScheduledOutcome,
    ScheduleSearch,
)
from worldline.languages.python.recorder.stored_trace_recorder import StoredTraceRecorder

__all__ = [
    "Backend",
    "Cancellation",
    "Execution",
    "OpenCall",
    "PythonRecorder",
    "Recorder",
    "ScheduleBounds",
    "ScheduleSearch",
    "ScheduledOutcome",
    "StoredTraceRecorder",
    "Thresholds",
    "check_sandbox",
    "parse_literal",
]
