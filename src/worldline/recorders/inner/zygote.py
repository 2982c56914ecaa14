"""Requests come in on one socket, answers go out on another; a fork for each program.

A request is its length in eight bytes, with a memory file attached, and that much JSON. The answer
is a line `["started", pid]` and, in the end, `["exit", pid, status, was_timed_out]`. What the
program's process says, a line a scope and a step and a line `["end", …]` if it got there, is in the
memory file if it was recorded in C, between the two answers if not.
"""

import atexit
import builtins
import json
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from os import O_WRONLY, _exit, devnull
from resource import (
    RLIM_INFINITY,
    RLIMIT_AS,
    RLIMIT_CORE,
    RLIMIT_FSIZE,
    getrlimit,
    setrlimit,
)
from typing import Any, NoReturn

from .core import Core
from .interrupts import (
    FILENAME,
    HEADROOM,
    RECURSION_ERROR,
    Stack,
    defer_handlers,
    stack_height,
)
from .renderer import Renderer, could_shape_reprs
from .rendering import name_of
from .wire import OWN_BUILTINS, out_of_reach, to_line, write_all

__builtins__ = OWN_BUILTINS

MODULE = "program"
THREADS = "the program started threads: only the main thread is recorded"
INTERLEAVED = "the program started threads: their steps come as they happened to be at work"
PROCESSES = "the program started processes: only the first is recorded"
# Characters of what is said of an ending.
MOST_DETAIL = 100_000
UNTRACED = "tracing was switched off, by the program or a full stack: steps may be missing"


def serve(requests: int, answers: int, *, is_core: bool) -> None:
    """Record programs until the other side closes the socket."""
    reference: Any = None
    if not is_core:
        from .tracer import Tracer as reference  # noqa: N813
    for name in [name for name in sys.modules if name.split(".")[0] == "inner"]:
        # The program may have modules of that name.
        del sys.modules[name]
    with socket.socket(fileno=requests) as asked:
        while (found := _next_request(asked)) is not None:
            request, memory = found
            pid = os.fork()
            if pid == 0:
                os.setpgid(0, 0)
                asked.close()
                _record_and_exit(request, answers, memory, reference)
            os.close(memory)
            write_all(answers, to_line(["started", pid]))
            status, was_timed_out = _wait(pid, request["limits"]["seconds"])
            # On a line of its own, wherever the program's process was stopped.
            write_all(answers, b"\n" + to_line(["exit", pid, status, was_timed_out]))


def _next_request(asked: "socket.socket") -> "tuple[dict[str, Any], int] | None":
    """The next program and the memory file for it; none when there are no more."""
    head, files, _, _ = socket.recv_fds(asked, 8, 1)
    if len(head) < 8:
        return None
    parts, size = [], int.from_bytes(head, "little")
    while size:
        parts.append(asked.recv(min(size, 1 << 20)))
        if not parts[-1]:
            return None
        size -= len(parts[-1])
    return json.loads(b"".join(parts)), files[0]


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


def _record_and_exit(
    request: "dict[str, Any]", answers: int, memory: int, reference: Any
) -> NoReturn:
    """Set the limits, run the program under a recorder, say how it ended.

    `reference`: the recorder in Python, if that in C is not to be used.
    """
    notes: list[str] = []
    flush = _open_streams(request, notes)

    def finish(reason: str, detail: str, status: int = 0) -> NoReturn:
        recorder.stop()
        if reason == "memory_limit":
            give_back_memory()
        flush()
        recorder.close(to_line(["end", reason, detail[:MOST_DETAIL], notes]))
        _exit(status)

    def failed(error: BaseException) -> None:
        """Something went wrong inside the recorder, which must not look like the program's."""
        if isinstance(error, MemoryError):
            finish("memory_limit", "")
        # Calls from C have a limit of their own, which the program met first if it ends here.
        if isinstance(error, RecursionError):
            signals.append(RECURSION_ERROR)
            return
        import traceback

        finish("recorder_failed", "".join(traceback.format_exception(error)))

    # The program is executed from this very function, so this is how high it starts.
    height = eval("stack_height()", {"stack_height": stack_height})
    stack = Stack(height, headroom=HEADROOM if reference else 0)
    limits = request["limits"]
    signals: list[int] = []
    renderer = Renderer(limits["value_chars"], is_guarded=True)
    parts: dict[str, Any] = {
        "renderer": renderer,
        "signals": signals,
        "finish": finish,
        "failed": failed,
        "has_threads": request["threads"],
    }
    recorder: Any
    if reference:
        os.close(memory)
        recorder = reference(limits, out_of_reach(answers), stack=stack, **parts)
    else:
        os.close(answers)
        recorder = Core(limits, (memory, request["memory"]), **parts)
    defer_handlers(signals, recorder.is_busy)
    give_back_memory = _set_limits(limits, 0 if reference else request["memory"])
    namespace = _new_namespace(request)
    try:
        start = code = compile(request["text"], FILENAME, "exec", dont_inherit=True)
        renderer.is_guarded = bool(request["path"]) or could_shape_reprs(code)
        _watch_company(recorder, renderer, notes, has_threads=request["threads"])
        if request["entry"] is not None:
            start = compile(f"{request['entry']}()", "<recorder>", "eval")
            eval(code, namespace)
    except MemoryError:
        finish("memory_limit", "")
    except BaseException as error:  # noqa: BLE001
        finish("not_loaded", f"{name_of(type(error))}: {_text(error)}", 1)
    end: tuple[str, str, int] = ("finished", "", 0)
    recorder.start()
    try:
        # Held until recording is off: what happens as it is dropped comes after the trace.
        result = eval(start, namespace)
        is_traced = recorder.stop()
        del result
    except BaseException as error:  # noqa: BLE001
        is_traced = recorder.stop()
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


def _watch_company(
    recorder: Any, renderer: Renderer, notes: "list[str]", *, has_threads: bool
) -> None:
    """Note the threads and processes that the program starts; record its threads if that is asked
    for, processes never."""
    note = INTERLEAVED if has_threads else THREADS

    def on_thread(frame: object, event: str, arg: object) -> Any:
        """What a thread calls as it begins, at the first call that it makes."""
        if note not in notes:
            notes.append(note)
        return recorder.start_thread(frame) if has_threads else None

    def on_fork() -> None:
        if not renderer.is_rendering_apart and PROCESSES not in notes:
            notes.append(PROCESSES)

    threading.settrace(on_thread)
    os.register_at_fork(after_in_parent=on_fork, after_in_child=recorder.leave_to_parent)


def _leave_as_python_does(notes: "list[str]") -> None:
    """Wait for the program's threads and call what it registered for its exit."""
    for last_act in (threading._shutdown, atexit._run_exitfuncs):  # type: ignore[attr-defined]
        try:
            last_act()
        except BaseException as error:  # noqa: BLE001
            notes.append(f"failed at exit: {name_of(type(error))}")


def _set_limits(limits: "dict[str, Any]", shared: int) -> "Callable[[], None]":
    """Bound memory and output; gives what frees memory again, to tell that there was none left.

    `shared`: bytes that the recorder has mapped, which are not the program's.
    """
    size = limits["output_mb"] * 1_000_000
    setrlimit(RLIMIT_FSIZE, (size, size))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    setrlimit(RLIMIT_CORE, (0, 0))
    most = getrlimit(RLIMIT_AS)[1]
    memory = limits["memory_mb"] * 1_000_000 + shared
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
