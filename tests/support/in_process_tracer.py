"""Recorder that executes programs in this process with the reference tracer.

For platforms without processes: Pyodide. Only the programs of the tests are executed with it.
"""

import builtins
import io
import json
import os
import sys
import tempfile
from contextlib import redirect_stdout
from typing import Any

from worldline.core.trace import Ending, Limits, Origin, Program, Trace
from worldline.languages.python.recorder.child.bounded_repr import type_name
from worldline.languages.python.recorder.child.interrupts import FILENAME
from worldline.languages.python.recorder.child.json_lines import to_line
from worldline.languages.python.recorder.child.repr_session import ReprSession
from worldline.languages.python.recorder.child.settrace_tracer import SettraceTracer
from worldline.languages.python.recorder.python_recorder import _scopes_with_variables
from worldline.languages.python.recorder.recording_protocol import RawRecording, decode_row


class _NoRecursionLimit:
    """Stands in for the program's recursion limit, which this recorder does not enforce."""

    @staticmethod
    def is_exceeded() -> bool:
        """Whether the program is beyond its limit."""
        return False


class InProcessRecorder:
    """Recorder with the interface of `PythonRecorder`; no sandbox, no limits but on steps."""

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
        assert recording.end is not None
        return Trace(
            program=program,
            steps=tuple(recording.steps),
            scopes=tuple(_scopes_with_variables(recording)),
            ending=Ending(*recording.end),  # type: ignore[arg-type]
            limits=limits,
            origin=Origin("settrace", ".".join(map(str, sys.version_info[:3])), "0", 0),
            stdout=output.getvalue(),
            notes=tuple(recording.notes),
        )


def _execute(program: Program, limits: Limits, rows: int) -> None:
    """Execute a program and write the rows of its recording to a file."""
    module = type(sys)("__main__" if program.entry is None else "program")
    module.__dict__["__builtins__"] = builtins
    replaced = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    settings = {name: getattr(limits, name) for name in limits.__slots__}
    tracer = SettraceTracer(
        settings,
        rows,
        repr_session=ReprSession(limits.value_chars, use_forks=False),
        recursion_limit=_NoRecursionLimit(),  # type: ignore[arg-type]
        signals=[],
        finish=_never,
        on_error=_raise,
        has_threads=False,
    )
    try:
        end = _run(tracer, program, module.__dict__)
    finally:
        tracer.stop()
        if replaced is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = replaced
    os.lseek(rows, 0, os.SEEK_END)
    tracer.close(to_line(["end", *end, []]))


def _run(tracer: SettraceTracer, program: Program, namespace: dict[str, Any]) -> tuple[str, str]:
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


def _never(reason: str, detail: str) -> None:
    raise AssertionError(f"the recording ended: {reason} {detail}")


def _raise(error: BaseException) -> None:
    raise error
