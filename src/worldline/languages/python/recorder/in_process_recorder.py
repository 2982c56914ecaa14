"""Recorder that executes programs in this process with the reference tracer, without a sandbox.

For platforms without processes, such as Pyodide, where the browser isolates the program. Its limits
on steps, time and the size of the trace take effect at a step of the program. A program that never
comes to its next step, or that catches every exception, has to be ended from outside.
"""

import builtins
import io
import json
import os
import sys
import tempfile
import time
import types
from contextlib import redirect_stdout
from typing import Any

from worldline.core.trace import Limits, Origin, Program, Trace
from worldline.languages.python.recorder.child.bounded_repr import type_name
from worldline.languages.python.recorder.child.interrupts import FILENAME
from worldline.languages.python.recorder.child.json_lines import to_line
from worldline.languages.python.recorder.child.repr_session import ReprSession
from worldline.languages.python.recorder.child.settrace_tracer import SettraceTracer
from worldline.languages.python.recorder.python_recorder import (
    WORLDLINE_VERSION,
    scopes_with_variables,
)
from worldline.languages.python.recorder.recording_ending import recording_ending
from worldline.languages.python.recorder.recording_protocol import RawRecording, decode_row


class _LimitExceededError(BaseException):
    """Leaves the program at a limit."""


class _NoRecursionLimit:
    """Stands in for the program's recursion limit, which this recorder does not enforce."""

    @staticmethod
    def is_exceeded() -> bool:
        """Whether the program is beyond its limit."""
        return False


class _LimitedTracer(SettraceTracer):
    """Tracer that leaves the program with an exception when a limit is exceeded."""

    def __init__(self, limits: Limits, rows: int) -> None:
        super().__init__(
            {name: getattr(limits, name) for name in limits.__slots__},
            rows,
            repr_session=ReprSession(limits.value_chars, use_forks=False),
            recursion_limit=_NoRecursionLimit(),  # type: ignore[arg-type]
            signals=[],
            finish=self._leave,
            on_error=_raise,
        )
        self._end_time = time.monotonic() + limits.seconds
        self._time_detail = f"more than {limits.seconds:g} s"
        # Why the recording ended, although the program may have caught the exception.
        self.limit: tuple[str, str] | None = None

    def on_event(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        """Record a step, unless the time is over."""
        if time.monotonic() > self._end_time:
            self._leave("time_limit", self._time_detail)
        return super().on_event(frame, event, arg)

    def _leave(self, reason: str, detail: str) -> None:
        self.limit = self.limit or (reason, detail)
        raise _LimitExceededError(reason)


class InProcessRecorder:
    """Recorder with the interface of `PythonRecorder`, but without a sandbox.

    Only for programs that may do anything that this process may do.
    """

    backend = "settrace"

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """Execute a program and return its trace."""
        limits = limits or Limits()
        recording, output = RawRecording(), io.StringIO()
        with tempfile.TemporaryFile() as rows, redirect_stdout(output):
            before = sys.stdin, sys.argv
            sys.stdin, sys.argv = io.StringIO(program.stdin), ["program"]
            try:
                _execute(program, limits, rows.fileno())
            finally:
                sys.stdin, sys.argv = before
            rows.seek(0)
            for line in rows:
                decode_row(recording, json.loads(line))
        python = ".".join(map(str, sys.version_info[:3]))
        return Trace(
            program=program,
            steps=tuple(recording.steps),
            scopes=tuple(scopes_with_variables(recording)),
            ending=recording_ending(recording, limits),
            limits=limits,
            origin=Origin("settrace", python, WORLDLINE_VERSION, 0),
            stdout=output.getvalue(),
            notes=tuple(recording.notes),
        )


def _execute(program: Program, limits: Limits, rows: int) -> None:
    """Execute a program and write the rows of its recording to a file."""
    module = type(sys)("__main__" if program.entry is None else "program")
    module.__dict__["__builtins__"] = builtins
    replaced = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    tracer = _LimitedTracer(limits, rows)
    try:
        end = _run(tracer, program, module.__dict__)
    finally:
        tracer.stop()
        if replaced is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = replaced
    os.lseek(rows, 0, os.SEEK_END)
    tracer.close(to_line(["end", *(tracer.limit or end), []]))


def _run(tracer: _LimitedTracer, program: Program, namespace: dict[str, Any]) -> tuple[str, str]:
    """Execute a program under the tracer; returns why it ended, as `Ending`."""
    try:
        start = code = compile(program.text, FILENAME, "exec", dont_inherit=True)
        if program.entry is not None:
            start = compile(f"{program.entry}()", "<recorder>", "eval")
            eval(code, namespace)
    except BaseException as error:  # noqa: BLE001
        return "not_loaded", f"{type_name(type(error))}: {error}"
    tracer.start()
    try:
        result = eval(start, namespace)
        tracer.stop()
        del result
    except SystemExit as error:
        tracer.stop()
        return "exited", str(error.code)
    except BaseException as error:  # noqa: BLE001
        tracer.stop()
        return "raised", f"{type_name(type(error))}: {error}"
    return "finished", ""


def _raise(error: BaseException) -> None:
    raise error
