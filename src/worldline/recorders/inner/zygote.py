"""Requests come in on one socket, answers go out on another; a fork for each program.

A request is its length in eight bytes, with three memory files attached (for the recording, the
program's input and its output), and that much JSON; the first has none of these and says what
programs are held by. The answer is a line `["started", number]`, with a pidfd attached, and, in the
end, `["exit", number, status]`, or `["failed", number, why]` where the program could not be held;
the number is the request's, so that no program speaks for another. What the program's
process says, a line a scope and a step and a line `["end", …]` if it got there, is in the memory
file if it was recorded in C, and behind a line `["begin", number]` of its own if not.
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

from .core import Core
from .interrupts import (
    FILENAME,
    HEADROOM,
    RECURSION_ERROR,
    Stack,
    defer_handlers,
    stack_height,
)
from .jail import RESERVE, hold, prepare, start_process, wait_status
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
    told: dict[str, Any] | None = None
    height = _height()
    with socket.socket(fileno=requests) as asked, socket.socket(fileno=answers) as out:
        while (found := _next_request(asked)) is not None:
            request, files = found
            if told is None:
                told = request
                prepare(told)
                # What is there by now is never garbage, and a program that looks for it copies it.
                gc.collect()
                gc.freeze()
                continue
            try:
                pid, pidfd = start_process(told["layers"])
            except OSError as error:
                for file in files:
                    os.close(file)
                _send(out, ["failed", request["number"], str(error)])
                continue
            if pid == 0:
                asked.close()
                out.detach()
                _record_and_exit(request, answers, files, told, reference, height)
            for file in files:
                os.close(file)
            _send(out, ["started", request["number"]], pidfd)
            os.close(pidfd)
            # On a line of its own, wherever the program's process was stopped.
            status = wait_status(told["layers"], pid)
            write_all(answers, b"\n" + to_line(["exit", request["number"], status]))


def _height() -> int:
    """How high the stack is in a function that `serve` calls: where programs are executed."""
    return int(eval("stack_height()", {"stack_height": stack_height}))


def _send(out: "socket.socket", row: "list[Any]", *files: int) -> None:
    """A line, with files attached; at once, as the program's process may be writing, too."""
    socket.send_fds(out, [to_line(row)], files)


def _next_request(asked: "socket.socket") -> "tuple[dict[str, Any], list[int]] | None":
    """The next program and the memory files for it; none when there are no more."""
    head, files, _, _ = socket.recv_fds(asked, 8, 3)
    if len(head) < 8:
        return None
    parts, size = [], int.from_bytes(head, "little")
    while size:
        parts.append(asked.recv(min(size, 1 << 20)))
        if not parts[-1]:
            return None
        size -= len(parts[-1])
    return json.loads(b"".join(parts)), list(files)


# -- in the fork ------------------------------------------------------------------------------


def _record_and_exit(
    request: "dict[str, Any]",
    answers: int,
    files: "list[int]",
    told: "dict[str, Any]",
    reference: Any,
    height: int,
) -> NoReturn:
    """Hold the process, run the program under a recorder, say how it ended.

    `reference`: the recorder in Python, if that in C is not to be used; `height`: of the stack in
    here, where the program is executed.
    """
    notes: list[str] = []
    memory, *streams = files
    flush = _open_streams(streams, notes)

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
        told_to = out_of_reach(answers)
        # What a program before it may have left there is no part of what follows.
        write_all(told_to, to_line(["begin", request["number"]]))
        recorder = reference(limits, told_to, stack=stack, **parts)
    else:
        os.close(answers)
        recorder = Core(limits, (memory, request["memory"]), **parts)
    defer_handlers(signals, recorder.is_busy)
    try:
        hold(told, limits, request["path"])
        give_back_memory = _limit_memory(limits, 0 if reference else request["memory"])
    except Exception as error:  # noqa: BLE001
        finish("recorder_failed", f"the sandbox: {error}")
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


def _limit_memory(limits: "dict[str, Any]", shared: int) -> "Callable[[], None]":
    """Bound memory; gives what frees some again, to tell that there was none left.

    `shared`: bytes that the recorder has mapped, which are not the program's.
    """
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    known = getrlimit(RLIMIT_AS)[1]
    memory = limits["memory_mb"] * 1_000_000 + shared
    most = memory + RESERVE if known == RLIM_INFINITY else min(memory + RESERVE, known)
    setrlimit(RLIMIT_AS, (min(memory, most), most))
    return partial(setrlimit, RLIMIT_AS, (most, most))


def _open_streams(streams: "list[int]", notes: "list[str]") -> "Callable[[], None]":
    """Its input from a file, its output into one, its error output nowhere: gives what flushes."""
    for fd, opened in enumerate((*streams, os.open(devnull, O_WRONLY))):
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
