"""Requests come in on one pipe, recorded steps go out on another; a fork for each program.

A request is one line of JSON. The answer is a line `["started", pid]`, a line a scope and a
step, then a line `["end", …]` from the program's process if it got there, and always a line
`["exit", status, was_timed_out]` from here.
"""

import atexit
import builtins
import json
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from os import O_WRONLY, _exit, close, devnull, dup2
from os import open as open_fd
from resource import (
    RLIM_INFINITY,
    RLIMIT_AS,
    RLIMIT_CORE,
    RLIMIT_FSIZE,
    getrlimit,
    setrlimit,
)
from sys import gettrace, settrace
from typing import Any, NoReturn

from .interrupts import FILENAME, Stack, defer_handlers, stack_height
from .rendering import name_of
from .tracer import Tracer, could_shape_reprs
from .wire import OWN_BUILTINS, out_of_reach, to_line, write_all

__builtins__ = OWN_BUILTINS

MODULE = "program"
THREADS = "the program started threads: only the main thread is recorded"
PROCESSES = "the program started processes: only the first is recorded"
UNTRACED = "tracing was switched off, by the program or a full stack: steps may be missing"


def serve(requests: int, answers: int) -> None:
    """Record programs until the other side closes the pipe."""
    for name in [name for name in sys.modules if name.split(".")[0] == "inner"]:
        # The program may have modules of that name.
        del sys.modules[name]
    with os.fdopen(requests, "rb", closefd=False) as lines:
        for line in lines:
            pid = os.fork()
            if pid == 0:
                os.setpgid(0, 0)
                os.close(requests)
                _record_and_exit(json.loads(line), out_of_reach(answers))
            status, was_timed_out = _wait(pid, json.loads(line)["limits"]["seconds"])
            # On a line of its own, wherever the program's process was stopped.
            write_all(answers, b"\n" + to_line(["exit", status, was_timed_out]))


def _wait(pid: int, seconds: float) -> "tuple[int, bool]":
    """Wait for the program's process, and end it and all it started when its time is up."""
    was_timed_out = not _has_exited(pid, seconds)
    # The whole group, always: a program may have left processes behind.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    if was_timed_out:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
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


# -- in the fork ------------------------------------------------------------------------------


def _record_and_exit(request: "dict[str, Any]", out: int) -> NoReturn:
    """Set the limits, run the program under the tracer, say how it ended."""
    write_all(out, to_line(["started", os.getpid()]))
    notes: list[str] = []
    flush = _open_streams(request, notes)

    def finish(reason: str, detail: str, status: int = 0) -> NoReturn:
        settrace(None)
        if reason == "memory_limit":
            give_back_memory()
        flush()
        write_all(out, to_line(["end", reason, detail, notes]))
        _exit(status)

    give_back_memory = _set_limits(request["limits"])
    namespace = _new_namespace(request)
    # The program is executed from this very function, so this is how high it starts.
    stack = Stack(eval("stack_height()", {"stack_height": stack_height}))
    signals: list[int] = []
    defer_handlers(signals)
    try:
        start = code = compile(request["text"], FILENAME, "exec", dont_inherit=True)
        tracer = Tracer(
            request["limits"],
            out,
            is_guarded=bool(request["path"]) or could_shape_reprs(code),
            stack=stack,
            signals=signals,
            finish=finish,
        )
        _watch_company(tracer, notes)
        if request["entry"] is not None:
            start = compile(f"{request['entry']}()", "<recorder>", "eval")
            eval(code, namespace)
    except MemoryError:
        finish("memory_limit", "")
    except BaseException as error:  # noqa: BLE001
        finish("not_loaded", f"{name_of(type(error))}: {_text(error)}", 1)
    end: tuple[str, str, int] = ("finished", "", 0)
    hook = tracer.on_call
    settrace(hook)
    try:
        # Held until tracing is off: what happens as it is dropped comes after the trace.
        result = eval(start, namespace)
        is_traced = gettrace() == hook
        settrace(None)
        del result
    except BaseException as error:  # noqa: BLE001
        is_traced = gettrace() == hook
        settrace(None)
        end = _end(error)
    if not is_traced:
        notes.append(UNTRACED)
    if end[0] != "memory_limit":
        _leave_as_python_does(notes)
    finish(*end)


def _end(error: BaseException) -> "tuple[str, str, int]":
    """How a program ended that something was raised in: the reason, its detail, its status."""
    if isinstance(error, SystemExit):
        is_number = isinstance(error.code, int)
        status = error.code & 0xFF if is_number else int(error.code is not None)  # type: ignore[operator]
        return "exited", _text(error.code), status
    if isinstance(error, MemoryError):
        return "memory_limit", "", 1
    return "raised", f"{name_of(type(error))}: {_text(error)}", 1


def _text(value: object) -> str:
    try:
        # Joined, so that no string of a class of the program's comes out.
        return "".join([str(value)])
    # A __str__ of the program's own.
    except BaseException as error:  # noqa: BLE001
        return f"<unrenderable: {name_of(type(error))}>"


def _new_namespace(request: "dict[str, Any]") -> "dict[str, Any]":
    """Where the program's names live: as a script's if no call is asked for, else a module's."""
    sys.argv = [MODULE]
    sys.path[:0] = request["path"]
    module = type(sys)("__main__" if request["entry"] is None else MODULE)
    sys.modules[module.__name__] = module
    module.__dict__["__builtins__"] = builtins
    return module.__dict__


def _watch_company(tracer: Tracer, notes: "list[str]") -> None:
    """Note the threads and processes that the program starts, and leave them unrecorded."""

    def on_thread(frame: object, event: str, arg: object) -> None:
        if THREADS not in notes:
            notes.append(THREADS)

    def on_fork() -> None:
        if not tracer.is_rendering_apart and PROCESSES not in notes:
            notes.append(PROCESSES)

    def be_unrecorded() -> None:
        settrace(None)
        nowhere = open_fd(devnull, O_WRONLY)
        dup2(nowhere, tracer.out)
        close(nowhere)

    threading.settrace(on_thread)
    os.register_at_fork(after_in_parent=on_fork, after_in_child=be_unrecorded)


def _leave_as_python_does(notes: "list[str]") -> None:
    """Wait for the program's threads and call what it registered for its exit."""
    for last_act in (threading._shutdown, atexit._run_exitfuncs):  # type: ignore[attr-defined]
        try:
            last_act()
        except BaseException as error:  # noqa: BLE001
            notes.append(f"failed at exit: {name_of(type(error))}")


def _set_limits(limits: "dict[str, Any]") -> "Callable[[], None]":
    """Bound memory and output; gives what frees memory again, to tell that there was none left."""
    size = limits["output_mb"] * 1_000_000
    setrlimit(RLIMIT_FSIZE, (size, size))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    setrlimit(RLIMIT_CORE, (0, 0))
    most = getrlimit(RLIMIT_AS)[1]
    memory = limits["memory_mb"] * 1_000_000
    setrlimit(RLIMIT_AS, (memory if most == RLIM_INFINITY else min(memory, most), most))
    return partial(setrlimit, RLIMIT_AS, (most, most))


def _open_streams(request: "dict[str, Any]", notes: "list[str]") -> "Callable[[], None]":
    """Its input from a file, its output into one, its error output nowhere: gives what flushes."""
    for fd, path, flags in (
        (0, request["stdin"], os.O_RDONLY),
        (1, request["stdout"], O_WRONLY | os.O_APPEND),
        (2, devnull, O_WRONLY),
    ):
        opened = os.open(path, flags)
        os.dup2(opened, fd)
        os.close(opened)
    # The streams are those that this interpreter was started with: as any program has them.
    first = sys.stdout
    first_buffer = first.buffer

    def flush() -> None:
        for stream in (getattr(sys, "stdout", None), first, first_buffer):
            try:
                if stream is not None:
                    stream.flush()
            # Closed or detached by the program, and flushed by that.
            except ValueError:
                pass
            # Whatever the program has put there, or a full disk: the recording is what counts.
            except BaseException as error:  # noqa: BLE001
                notes.append(f"output lost: {name_of(type(error))}")

    return flush
