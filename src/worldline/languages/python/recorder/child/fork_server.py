"""Fork server: reads requests from one socket, forks for each program, replies on another socket.

A request is its length in eight bytes, with three memory files attached (for the recording, the
program's input and its output), followed by JSON. The first request has no files and contains the
settings of the sandbox.

The reply is a line `["started", number]`, with a pidfd attached, and at the end
`["exit", number, status]`; or `["failed", number, message]` if the program could not be sandboxed.
Where there are no pidfds (macOS), the first line has the process id as a third item.
The number is the request's, so that no program can reply for another one.

A server for groups only has requests with several programs, which one process executes. The files
of such a request are a socket for the recordings and a memory file for output; see
`program_group.py`.

The process of the program writes rows (see `recording_protocol.py`): a tracer in C to the memory
file, a tracer in Python to the socket, after a line `["begin", number]`.
"""

import gc
import json
import os
import socket
import sys
from os import _exit
from typing import Any, NoReturn

from .assumed_imports import AssumedImports
from .assumed_session import AssumedSession
from .bounded_repr import type_name
from .c_tracer import CTracer
from .choice_session import ChoiceSession
from .choice_sources import replace_sources
from .interrupts import (
    FILENAME,
    HEADROOM,
    RECURSION_ERROR,
    RecursionLimit,
    defer_signal_handlers,
    stack_height,
)
from .json_lines import OWN_BUILTINS, protect_descriptor, to_line, write_all
from .program_group import record_group_and_exit
from .program_process import (
    MAX_DETAIL,
    end_of_exception,
    limit_memory,
    new_namespace,
    open_streams,
    run_exit_handlers,
    short_text,
    watch_threads_and_forks,
)
from .repeated_program import repeat_and_exit
from .repr_session import ReprSession, may_define_repr
from .sandbox_layers import apply_layers, fork_process, prepare_server, wait_for_exit
from .shared_state import InterpreterState
from .task_control import control_tasks
from .thread_choices import thread_chooser
from .thread_primitives import replace_threads
from .thread_scheduler import ThreadScheduler

__builtins__ = OWN_BUILTINS

# Files of a request.
_MAX_FILES = 3
UNTRACED_NOTE = "tracing was switched off, by the program or a full stack: steps may be missing"


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
    state: InterpreterState | None = None
    height = _program_stack_height()
    with socket.socket(fileno=requests) as source, socket.socket(fileno=replies) as out:
        while (received := _receive_request(source)) is not None:
            request, files = received
            if settings is None:
                settings = request
                prepare_server(settings)
                if settings["has_groups"]:
                    # Imports what programs of a group may import. A program that is alone must not
                    # find these modules imported.
                    state = InterpreterState()
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
                if not request.keys().isdisjoint(("repeats", "draws", "search")):
                    os.close(replies)
                    repeat_and_exit(request, files, settings)
                if state is not None:
                    os.close(replies)
                    record_group_and_exit(request, files, settings, height, state)
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
    head, files, _, _ = socket.recv_fds(source, 8, _MAX_FILES)
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
    choices = ChoiceSession(request, notes)
    memory, *streams = files
    flush = open_streams(streams, notes)

    def finish(reason: str, detail: str, status: int = 0) -> NoReturn:
        tracer.stop()
        if reason == "memory_limit":
            release_memory()
        flush()
        rows = choices.lines() + to_line(["end", reason, detail[:MAX_DETAIL], notes])
        tracer.close(rows)
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
    scheduler: ThreadScheduler | None = None
    if request["threads"]:
        scheduler = ThreadScheduler(
            thread_chooser(choices, request), lambda detail: finish("deadlock", detail)
        )
    options: dict[str, Any] = {
        "repr_session": repr_session,
        "signals": signals,
        "finish": finish,
        "on_error": on_error,
        "before_line": scheduler and scheduler.before_line,
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
    choices.step_count = tracer.step_count
    defer_signal_handlers(signals, tracer.is_busy)
    try:
        apply_layers(settings, limits, request["path"])
        release_memory = limit_memory(limits, 0 if settrace_tracer else request["memory"])
    except Exception as error:  # noqa: BLE001
        finish("recorder_failed", f"the sandbox: {error}")
    namespace = new_namespace(request)
    if "assume" in request:
        session = AssumedSession(request, repr_session=repr_session, finish=finish, notes=notes)
        AssumedImports(request["assume"], session, folders=request["path"])
    try:
        start = code = compile(request["text"], FILENAME, "exec", dont_inherit=True)
        repr_session.use_forks = bool(request["path"]) or may_define_repr(code)
        hook = watch_threads_and_forks(tracer, repr_session, notes, scheduler)
        if scheduler is not None:
            replace_threads(scheduler, hook, code)
            control_tasks(request, scheduler, tracer.set_thread, notes)
        if "assume" not in request:
            replace_sources(code, choices, imports_files=bool(request["path"]))
        if request["entry"] is not None:
            start = compile(f"{request['entry']}()", "<recorder>", "eval")
            eval(code, namespace)
    except MemoryError:
        finish("memory_limit", "")
    except BaseException as error:  # noqa: BLE001
        finish("not_loaded", f"{type_name(type(error))}: {short_text(error)}", 1)
    end: tuple[str, str, int] = ("finished", "", 0)
    tracer.start()
    try:
        # Keep the result until the tracer has stopped: its finalizer is not part of the trace.
        result = eval(start, namespace)
        was_traced = tracer.stop()
        del result
    except BaseException as error:  # noqa: BLE001
        was_traced = tracer.stop()
        end = end_of_exception(error)
    if not was_traced:
        notes.append(UNTRACED_NOTE)
    if end[0] != "memory_limit":
        run_exit_handlers(notes)
    finish(*end)
