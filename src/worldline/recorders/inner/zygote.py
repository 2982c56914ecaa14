"""Requests come in on one pipe, recorded steps go out on another; a fork for each program.

A request is one line of JSON. The answer is a line a step, then a line `["end", …]` from the
program's process if it got there, and always a line `["exit", status, was_timed_out]` from here.
"""

import json
import os
import resource
import select
import signal
import sys
import threading
import time
from typing import Any, NoReturn

from .tracer import FILENAME, Tracer, install_recursion_guard, write_all

MODULE = "program"
THREADS = "the program started threads: only the main thread is recorded"


def serve(requests: int, answers: int) -> None:
    """Record programs until the other side closes the pipe."""
    with os.fdopen(requests, "rb", closefd=False) as lines:
        for line in lines:
            pid = os.fork()
            if pid == 0:
                _record_and_exit(json.loads(line), requests, answers)
            status, was_timed_out = _wait(pid, json.loads(line)["limits"]["seconds"])
            write_all(answers, json.dumps(["exit", status, was_timed_out]).encode() + b"\n")


def _wait(pid: int, seconds: float) -> "tuple[int, bool]":
    """Wait for the program's process, and end it and all it started when its time is up."""
    was_timed_out = not _has_exited(pid, seconds)
    # The whole group, always: a program may have left processes behind.
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    if was_timed_out:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), was_timed_out


def _has_exited(pid: int, seconds: float) -> bool:
    """Whether the process ended in time; it is left to be reaped."""
    if hasattr(os, "pidfd_open"):
        fd = os.pidfd_open(pid)
        try:
            return bool(select.select([fd], [], [], seconds)[0])
        finally:
            os.close(fd)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return True
        time.sleep(0.002)
    return False


def _record_and_exit(request: "dict[str, Any]", requests: int, answers: int) -> NoReturn:
    """In the fork: set the limits, run the program under the tracer, say how it ended."""
    os.setpgid(0, 0)
    os.close(requests)

    notes: list[str] = []

    def finish(reason: str, detail: str) -> NoReturn:
        sys.settrace(None)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            # Whatever the program has put there, or a full disk: the recording is what counts.
            except BaseException as error:
                notes.append(f"output lost: {type(error).__name__}")
        write_all(answers, json.dumps(["end", reason, detail, notes]).encode() + b"\n")
        os._exit(0)

    def on_thread(frame: object, event: str, arg: object) -> None:
        if THREADS not in notes:
            notes.append(THREADS)

    _set_limits(request["limits"])
    _open_streams(request)
    sys.argv = [MODULE]
    sys.path[:0] = request["path"]
    threading.settrace(on_thread)
    # Run as a script where no call is asked for, else loaded as a module.
    module = type(sys)("__main__" if request["entry"] is None else MODULE)
    sys.modules[module.__name__] = module
    namespace = module.__dict__
    try:
        code = compile(request["text"], FILENAME, "exec", dont_inherit=True)
        if request["entry"] is not None:
            exec(code, namespace)
    except BaseException as error:
        finish("not_loaded", f"{type(error).__name__}: {error}")
    tracer = Tracer(code, request["limits"], answers, finish)
    install_recursion_guard(tracer, used=_depth())
    reason, detail = "finished", ""
    hook = tracer.on_call
    sys.settrace(hook)
    try:
        if request["entry"] is None:
            exec(code, namespace)
        else:
            namespace[request["entry"]]()
    except SystemExit as error:
        reason, detail = "exited", str(error.code)
    except MemoryError:
        reason, detail = "memory_limit", ""
    # The program's exception is a result, whatever it is.
    except BaseException as error:
        reason, detail = "raised", f"{type(error).__name__}: {_text(error)}"
    if sys.gettrace() != hook:
        notes.append("the program switched tracing off: steps may be missing")
    finish(reason, detail)


def _depth() -> int:
    """How many frames the recorder has on the stack below the program."""
    frame, depth = sys._getframe(1), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    return depth


def _text(error: BaseException) -> str:
    try:
        return str(error)
    # A __str__ of the program's own.
    except BaseException as second:
        return f"<unrenderable: {type(second).__name__}>"


def _set_limits(limits: "dict[str, Any]") -> None:
    memory = limits["memory_mb"] * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    size = limits["output_mb"] * 1_000_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


def _open_streams(request: "dict[str, Any]") -> None:
    """The program's own standard streams: its input from a file, its output into one."""
    for fd, path, flags in (
        (0, request["stdin"], os.O_RDONLY),
        (1, request["stdout"], os.O_WRONLY | os.O_APPEND),
        (2, request["stdout"], os.O_WRONLY | os.O_APPEND),
    ):
        opened = os.open(path, flags)
        os.dup2(opened, fd)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
