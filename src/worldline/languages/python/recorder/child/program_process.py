"""Process of one program: its streams, its global names, its memory limit, and how it ends."""

import atexit
import builtins
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from os import O_WRONLY, devnull
from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit, setrlimit
from typing import Any

from .bounded_repr import type_name
from .json_lines import OWN_BUILTINS
from .repr_session import ReprSession
from .sandbox_layers import RESERVE

__builtins__ = OWN_BUILTINS

MODULE = "program"
# Notes about a recording.
THREADS_NOTE = "the program started threads: only the main thread is recorded"
SCHEDULED_NOTE = "the program started threads: one runs at a time, in the order of the choices"
PROCESSES_NOTE = "the program started processes: only the first is recorded"
# Characters of an ending's detail.
MAX_DETAIL = 100_000


def end_of_exception(error: BaseException) -> "tuple[str, str, int]":
    """The ending of a program that raised an exception: reason, detail and exit status."""
    if isinstance(error, SystemExit):
        is_number = isinstance(error.code, int)
        status = error.code & 0xFF if is_number else int(error.code is not None)  # type: ignore[operator]
        return "exited", short_text(error.code), status
    if isinstance(error, MemoryError):
        return "memory_limit", "", 1
    return "raised", f"{type_name(type(error))}: {short_text(error)}", 1


def short_text(value: object) -> str:
    try:
        # `join` converts an instance of a subclass of str to a str.
        return "".join([str(value)])
    # A __str__ of the program may raise anything.
    except BaseException as error:  # noqa: BLE001
        return f"<unrenderable: {type_name(type(error))}>"


def new_namespace(request: "dict[str, Any]") -> "dict[str, Any]":
    """The program's global names: those of a script if there is no call, else of a module."""
    sys.argv = [MODULE]
    sys.path[:0] = request["path"]
    module = type(sys)("__main__" if request["entry"] is None else MODULE)
    sys.modules[module.__name__] = module
    module.__dict__["__builtins__"] = builtins
    return module.__dict__


def watch_threads_and_forks(
    tracer: Any, repr_session: ReprSession, notes: "list[str]", scheduler: Any = None
) -> Any:
    """Note that the program starts threads or processes; record those of a scheduler.

    Returns:
        The trace function of new threads.
    """
    note = THREADS_NOTE if scheduler is None else SCHEDULED_NOTE

    def on_thread(frame: object, event: str, arg: object) -> Any:
        """Trace function of a new thread, at its first call."""
        if note not in notes:
            notes.append(note)
        return tracer.start_thread(frame, scheduler.begin()) if scheduler else None

    def on_fork() -> None:
        if not repr_session.is_forking and PROCESSES_NOTE not in notes:
            notes.append(PROCESSES_NOTE)

    threading.settrace(on_thread)
    os.register_at_fork(after_in_parent=on_fork, after_in_child=tracer.stop_in_fork)
    return on_thread


def run_exit_handlers(notes: "list[str]") -> None:
    """Wait for the program's threads and call its exit handlers, as Python does."""
    for shut_down in (threading._shutdown, atexit._run_exitfuncs):  # type: ignore[attr-defined]
        try:
            shut_down()
        except BaseException as error:  # noqa: BLE001
            notes.append(f"failed at exit: {type_name(type(error))}")


def limit_memory(limits: "dict[str, Any]", shared: int) -> "Callable[[], None]":
    """Limit the memory; returns a function that releases the reserve for the last rows.

    `shared`: bytes of the recorder's shared memory, which are not the program's.
    """
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    if sys.platform == "darwin":
        # macOS refuses limits below what every process has mapped.
        return lambda: None
    hard_limit = getrlimit(RLIMIT_AS)[1]
    memory = limits["memory_mb"] * 1_000_000 + shared
    with_reserve = memory + RESERVE
    if hard_limit != RLIM_INFINITY:
        with_reserve = min(with_reserve, hard_limit)
    setrlimit(RLIMIT_AS, (min(memory, with_reserve), with_reserve))
    return partial(setrlimit, RLIMIT_AS, (with_reserve, with_reserve))


def open_streams(streams: "list[int]", notes: "list[str]") -> "Callable[[], None]":
    """Redirect input and output to files, and the error output to /dev/null; returns `flush`."""
    for fd, opened in enumerate((*streams, os.open(devnull, O_WRONLY))):
        os.dup2(opened, fd)
        os.close(opened)
    # The stream objects are those of the interpreter's start, as in any program.
    stdout = sys.stdout
    stdout_buffer = stdout.buffer

    def flush() -> None:
        for stream in (getattr(sys, "stdout", None), stdout, stdout_buffer):
            try:
                if stream is not None:
                    stream.flush()
            # The program has closed or detached it, which flushed it.
            except ValueError:
                pass
            # A stream of the program may raise anything, and the disk may be full.
            except BaseException as error:  # noqa: BLE001
                notes.append(f"output lost: {type_name(type(error))}")

    return flush
