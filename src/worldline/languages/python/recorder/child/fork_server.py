"""Fork server: reads requests from one socket, forks for each program, replies on another socket.

A request is its length in eight bytes, with three memory files attached (for the recording, the
program's input and its output), followed by JSON. The first request has no files and contains the
settings of the sandbox.

The reply is a line `["started", number]`, with a pidfd attached, and at the end
`["exit", number, status]`; or `["failed", number, message]` if the program could not be sandboxed.
Where there are no pidfds (macOS), the first line has the process id as a third item.
The number is the request's, so that no program can reply for another one.

The process of the program writes rows (see `recording_protocol.py`): a tracer in C to the memory
file, a tracer in Python to the socket, after a line `["begin", number]`.
"""

import atexit
import builtins
import gc
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from functools import partial
from os import O_WRONLY, _exit, devnull
from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit, setrlimit
from typing import Any, NoReturn

from .assumed_imports import AssumedImports
from .assumed_session import AssumedSession
from .bounded_repr import type_name
from .c_tracer import CTracer
from .interrupts import (
    FILENAME,
    HEADROOM,
    RECURSION_ERROR,
    RecursionLimit,
    defer_signal_handlers,
    stack_height,
)
from .json_lines import OWN_BUILTINS, protect_descriptor, to_line, write_all
from .repr_session import ReprSession, may_define_repr
from .sandbox_layers import RESERVE, apply_layers, fork_process, prepare_server, wait_for_exit

__builtins__ = OWN_BUILTINS

MODULE = "program"
# Notes about a recording.
THREADS_NOTE = "the program started threads: only the main thread is recorded"
INTERLEAVED_NOTE = "the program started threads: their steps come as they happened to be at work"
PROCESSES_NOTE = "the program started processes: only the first is recorded"
UNTRACED_NOTE = "tracing was switched off, by the program or a full stack: steps may be missing"
# Characters of an ending's detail.
MAX_DETAIL = 100_000


def serve(requests: int, replies: int, *, in_c: bool) -> None:
    """Record programs until the client closes the socket.

    Args:
        requests: File descriptor of the socket to read from.
        replies: File descriptor of the socket to write to.
        in_c: Whether to use the tracer in C.
    """
    settrace_tracer: Any = None
    if not in_c:
        from .settrace_tracer import SettraceTracer as settrace_tracer  # noqa: N813
    for name in [name for name in sys.modules if name.split(".")[0] == "child"]:
        # The program may have modules of that name.
        del sys.modules[name]
    settings: dict[str, Any] | None = None
    height = _program_stack_height()
    with socket.socket(fileno=requests) as source, socket.socket(fileno=replies) as out:
        while (received := _receive_request(source)) is not None:
            request, files = received
            if settings is None:
                settings = request
                prepare_server(settings)
                # Exclude the existing objects from garbage collection: a collection in a fork
                # would copy their memory pages.
                gc.collect()
                gc.freeze()
                continue
            try:
                pid, pidfd = fork_process(settings["layers"])
            except OSError as error:
                for file in files:
                    os.close(file)
                _send(out, ["failed", request["number"], str(error)])
                continue
            if pid == 0:
                source.close()
                out.detach()
                _record_and_exit(request, replies, files, settings, settrace_tracer, height)
            for file in files:
                os.close(file)
            if pidfd < 0:
                _send(out, ["started", request["number"], pid])
            else:
                _send(out, ["started", request["number"]], pidfd)
                os.close(pidfd)
            # Start a new line: the program's process may have been killed within one.
            status = wait_for_exit(settings["layers"], pid)
            write_all(replies, b"\n" + to_line(["exit", request["number"], status]))


def _program_stack_height() -> int:
    """The stack height in a function that `serve` calls, as the one that executes programs."""
    return int(eval("stack_height()", {"stack_height": stack_height}))


def _send(out: "socket.socket", row: "list[Any]", *files: int) -> None:
    """Send a line with files attached, in one call: the program's process may write, too."""
    socket.send_fds(out, [to_line(row)], files)


def _receive_request(source: "socket.socket") -> "tuple[dict[str, Any], list[int]] | None":
    """The next request and its memory files; None if there are no more."""
    head, files, _, _ = socket.recv_fds(source, 8, 3)
    if len(head) < 8:
        return None
    parts, size = [], int.from_bytes(head, "little")
    while size:
        parts.append(source.recv(min(size, 1 << 20)))
        if not parts[-1]:
            return None
        size -= len(parts[-1])
    return json.loads(b"".join(parts)), list(files)


# -- in the fork ------------------------------------------------------------------------------


def _record_and_exit(
    request: "dict[str, Any]",
    replies: int,
    files: "list[int]",
    settings: "dict[str, Any]",
    settrace_tracer: Any,
    height: int,
) -> NoReturn:
    """Sandbox the process, execute the program under a tracer, and report how it ended.

    Args:
        request: The program, its limits and options.
        replies: The socket to reply on.
        files: Memory files: for the recording, the program's input and its output.
        settings: The settings of the sandbox.
        settrace_tracer: The class of the tracer in Python; None for the tracer in C.
        height: The stack height in this function, which executes the program.
    """
    notes: list[str] = []
    memory, *streams = files
    flush = _open_streams(streams, notes)

    def finish(reason: str, detail: str, status: int = 0) -> NoReturn:
        tracer.stop()
        if reason == "memory_limit":
            release_memory()
        flush()
        tracer.close(to_line(["end", reason, detail[:MAX_DETAIL], notes]))
        _exit(status)

    def on_error(error: BaseException) -> None:
        """Report an error of the recorder, which must not look like one of the program."""
        if isinstance(error, MemoryError):
            finish("memory_limit", "")
        # Calls from C have a recursion limit of their own, which the program has reached.
        if isinstance(error, RecursionError):
            signals.append(RECURSION_ERROR)
            return
        import traceback

        finish("recorder_failed", "".join(traceback.format_exception(error)))

    recursion_limit = RecursionLimit(height, headroom=HEADROOM if settrace_tracer else 0)
    limits = request["limits"]
    signals: list[int] = []
    repr_session = ReprSession(limits["value_chars"], use_forks=True)
    options: dict[str, Any] = {
        "repr_session": repr_session,
        "signals": signals,
        "finish": finish,
        "on_error": on_error,
        "has_threads": request["threads"],
    }
    tracer: Any
    if settrace_tracer:
        os.close(memory)
        rows = protect_descriptor(replies)
        # Whatever an earlier program may have written there does not belong to this one.
        write_all(rows, to_line(["begin", request["number"]]))
        tracer = settrace_tracer(limits, rows, recursion_limit=recursion_limit, **options)
    else:
        os.close(replies)
        tracer = CTracer(limits, (memory, request["memory"]), **options)
    defer_signal_handlers(signals, tracer.is_busy)
    try:
        apply_layers(settings, limits, request["path"])
        release_memory = _limit_memory(limits, 0 if settrace_tracer else request["memory"])
    except Exception as error:  # noqa: BLE001
        finish("recorder_failed", f"the sandbox: {error}")
    namespace = _new_namespace(request)
    if "assume" in request:
        session = AssumedSession(request, repr_session=repr_session, finish=finish, notes=notes)
        AssumedImports(request["assume"], session, folders=request["path"])
    try:
        start = code = compile(request["text"], FILENAME, "exec", dont_inherit=True)
        repr_session.use_forks = bool(request["path"]) or may_define_repr(code)
        _watch_threads_and_forks(tracer, repr_session, notes, has_threads=request["threads"])
        if request["entry"] is not None:
            start = compile(f"{request['entry']}()", "<recorder>", "eval")
            eval(code, namespace)
    except MemoryError:
        finish("memory_limit", "")
    except BaseException as error:  # noqa: BLE001
        finish("not_loaded", f"{type_name(type(error))}: {_text(error)}", 1)
    end: tuple[str, str, int] = ("finished", "", 0)
    tracer.start()
    try:
        # Keep the result until the tracer has stopped: its finalizer is not part of the trace.
        result = eval(start, namespace)
        was_traced = tracer.stop()
        del result
    except BaseException as error:  # noqa: BLE001
        was_traced = tracer.stop()
        end = _end_of_exception(error)
    if not was_traced:
        notes.append(UNTRACED_NOTE)
    if end[0] != "memory_limit":
        _run_exit_handlers(notes)
    finish(*end)


def _end_of_exception(error: BaseException) -> "tuple[str, str, int]":
    """The ending of a program that raised an exception: reason, detail and exit status."""
    if isinstance(error, SystemExit):
        is_number = isinstance(error.code, int)
        status = error.code & 0xFF if is_number else int(error.code is not None)  # type: ignore[operator]
        return "exited", _text(error.code), status
    if isinstance(error, MemoryError):
        return "memory_limit", "", 1
    return "raised", f"{type_name(type(error))}: {_text(error)}", 1


def _text(value: object) -> str:
    try:
        # `join` converts an instance of a subclass of str to a str.
        return "".join([str(value)])
    # A __str__ of the program may raise anything.
    except BaseException as error:  # noqa: BLE001
        return f"<unrenderable: {type_name(type(error))}>"


def _new_namespace(request: "dict[str, Any]") -> "dict[str, Any]":
    """The program's global names: those of a script if there is no call, else of a module."""
    sys.argv = [MODULE]
    sys.path[:0] = request["path"]
    module = type(sys)("__main__" if request["entry"] is None else MODULE)
    sys.modules[module.__name__] = module
    module.__dict__["__builtins__"] = builtins
    return module.__dict__


def _watch_threads_and_forks(
    tracer: Any, repr_session: ReprSession, notes: "list[str]", *, has_threads: bool
) -> None:
    """Note that the program starts threads or processes; record the threads if requested."""
    note = INTERLEAVED_NOTE if has_threads else THREADS_NOTE

    def on_thread(frame: object, event: str, arg: object) -> Any:
        """Trace function of a new thread, at its first call."""
        if note not in notes:
            notes.append(note)
        return tracer.start_thread(frame) if has_threads else None

    def on_fork() -> None:
        if not repr_session.is_forking and PROCESSES_NOTE not in notes:
            notes.append(PROCESSES_NOTE)

    threading.settrace(on_thread)
    os.register_at_fork(after_in_parent=on_fork, after_in_child=tracer.stop_in_fork)


def _run_exit_handlers(notes: "list[str]") -> None:
    """Wait for the program's threads and call its exit handlers, as Python does."""
    for shut_down in (threading._shutdown, atexit._run_exitfuncs):  # type: ignore[attr-defined]
        try:
            shut_down()
        except BaseException as error:  # noqa: BLE001
            notes.append(f"failed at exit: {type_name(type(error))}")


def _limit_memory(limits: "dict[str, Any]", shared: int) -> "Callable[[], None]":
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


def _open_streams(streams: "list[int]", notes: "list[str]") -> "Callable[[], None]":
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
