"""Traces one program. Executed by gdb in the sandbox, started by recorder/child/exec_server.py.

The tracer of a language calls it.

Descriptors: 0 the program's input, 1 its output, 3 the recording, 4 the request.
"""

import fcntl
import json
import os
import signal
import traceback
from typing import Any, NoReturn

import gdb

from .inferior_setup import SetupError, prepare_inferior
from .recording_file import LimitReached, RecordingFile
from .tracer import Tracer

_RECORDING, _REQUEST = 3, 4
_FIRST_FD = 100
_SETTINGS = (
    *("pagination off", "confirm off", "width 0", "startup-with-shell off"),
    *("auto-load off", "print thread-events off", "print inferior-events off"),
    *("breakpoint pending off", "breakpoint always-inserted on", "disable-randomization on"),
    *("step-mode off", "detach-on-fork on", "follow-fork-mode parent", "schedule-multiple off"),
)
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
_ENDINGS = {
    signal.SIGXFSZ: ("output_limit", "more than {output_mb:,} MB printed"),
    signal.SIGXCPU: ("time_limit", "more than {cpu_seconds:g} s of a CPU"),
    signal.SIGSYS: ("forbidden_call", "a system call that no program needs"),
}


def _finish(recording: RecordingFile, reason: str, detail: str = "") -> NoReturn:
    recording.end(reason, detail)
    os._exit(0)


def _private(fd: int) -> int:
    """Move a descriptor to where the program does not inherit it."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FIRST_FD)
    os.close(fd)
    return moved


def trace_program(tracer_class: Any) -> None:
    """Start the program, trace it to its end, and write how it ended.

    Args:
        tracer_class: The subclass of `Tracer` of its language.
    """
    with open(_private(_REQUEST), "rb") as file:
        request = json.load(file)
    recording = RecordingFile(_private(_RECORDING), request["limits"], request["secret"])
    try:
        _trace(tracer_class, request, recording)
    except SetupError as error:
        _finish(recording, "recorder_failed", f"the sandbox: {error}")
    except Exception:  # noqa: BLE001
        _finish(recording, "recorder_failed", traceback.format_exc())


def _trace(tracer_class: Any, request: "dict[str, Any]", recording: RecordingFile) -> None:
    for setting in (*_SETTINGS, f"language {tracer_class.LANGUAGE}"):
        gdb.execute(f"set {setting}", to_string=True)
    # The program gets none of gdb's own variables.
    gdb.execute("unset environment", to_string=True)
    for name, value in _ENVIRONMENT.items():
        gdb.execute(f"set environment {name} = {value}", to_string=True)
    gdb.execute("handle all nostop noprint pass", to_string=True)
    gdb.execute("handle SIGTRAP stop nopass", to_string=True)
    gdb.execute(f"file {request['program']}", to_string=True)
    exits: list[Any] = []
    gdb.events.exited.connect(exits.append)
    gdb.execute("starti", to_string=True)
    if request["needs_filter"] and not request.get("filter"):
        raise SetupError("the seccomp filter is missing")
    prepare_inferior(request["limits"], bytes.fromhex(request.get("filter", "")))
    tracer: Tracer = tracer_class(request, recording)
    tracer.insert_breakpoints()
    gdb.execute("continue", to_string=True)
    if tracer.failure:
        _finish(recording, "recorder_failed", tracer.failure)
    if tracer.reason:
        _finish(recording, tracer.reason)
    if tracer.uncaught is not None:
        _finish(recording, *tracer.ending(tracer.uncaught))
    if tracer.has_returned:
        gdb.execute("delete breakpoints", to_string=True)
        if not exits:
            gdb.execute("continue", to_string=True)
        if not exits or not hasattr(exits[-1], "exit_code"):
            recording.notes.append("the program failed after its entry point had returned")
        _finish(recording, "finished")
    _finish_otherwise(tracer, recording, exits, request["limits"])


def _finish_otherwise(
    tracer: Tracer, recording: RecordingFile, exits: "list[Any]", limits: "dict[str, Any]"
) -> NoReturn:
    """Write the ending of a program whose entry point has not returned."""
    if exits and hasattr(exits[-1], "exit_code"):
        _finish(recording, "exited", str(exits[-1].exit_code))
    number = gdb.convenience_variable("_exitsignal")
    name = signal.SIGTRAP if number is None else signal.Signals(int(number))
    if name in _ENDINGS:
        reason, detail = _ENDINGS[name]
        _finish(recording, reason, detail.format(**limits))
    try:
        text = tracer.end_by_exception()
    except LimitReached as limit:
        _finish(recording, str(limit))
    if text is not None and name == signal.SIGABRT:
        _finish(recording, *tracer.ending(text))
    _finish(recording, "killed", name.name)
