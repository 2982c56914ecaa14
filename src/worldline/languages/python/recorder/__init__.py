"""Recorder of Python programs: executes a program and returns its trace."""

from worldline.languages.python.recorder.assumed_request import OpenCall
from worldline.languages.python.recorder.cancellation import Cancellation
from worldline.languages.python.recorder.fork_server_client import Backend
from worldline.languages.python.recorder.literals import parse_literal
from worldline.languages.python.recorder.python_recorder import PythonRecorder, check_sandbox
from worldline.languages.python.recorder.recorder_protocol import Recorder
from worldline.languages.python.recorder.stored_trace_recorder import StoredTraceRecorder

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
