"""Execution of a group of programs in one process, one after the other.

The process sends the recording and the output of each program when it has ended, and nothing of it
can be changed afterwards. A program that must not share the process has an empty recording: it is
executed alone later. The process ends after the last program, or at the first one that exceeds a
limit or leaves the interpreter changed.

A message is the length of the rows in four bytes, the length of the output in four bytes, a byte
that is 1 if the process ends with this program, the rows, and the output.
"""

import os
import sys
from fcntl import F_DUPFD_CLOEXEC, fcntl
from gc import freeze
from os import O_RDWR, SEEK_END, SEEK_SET, _exit, devnull, dup2, ftruncate, lseek, pread
from resource import RUSAGE_SELF, getrusage
from types import CodeType
from typing import Any, NoReturn

from .bounded_repr import type_name
from .c_tracer import CTracer
from .interrupts import FILENAME, RECURSION_ERROR, RecursionLimit, defer_signal_handlers
from .json_lines import OWN_BUILTINS, to_line, write_all
from .program_process import (
    MAX_DETAIL,
    MODULE,
    end_of_exception,
    limit_memory,
    new_namespace,
    short_text,
    watch_threads_and_forks,
)
from .repr_session import ReprSession
from .sandbox_layers import apply_layers
from .shared_process import ProgramCode
from .shared_state import InterpreterState

__builtins__ = OWN_BUILTINS

# Descriptors of the group's files.
_FIRST_FD = 300
_OUTPUT = 1
# A program that needs a larger part of its memory limit is executed alone.
_MEMORY_SHARE = 0.25
_FINISHED = to_line(["end", "finished", "", []])


def record_group_and_exit(
    request: "dict[str, Any]",
    files: "list[int]",
    settings: "dict[str, Any]",
    height: int,
    state: InterpreterState,
) -> NoReturn:
    """Sandbox the process, and execute the programs of a group under the tracer in C.

    Args:
        request: The programs, their limits and the memory of a recording.
        files: The socket to send the recordings on, and a memory file for the programs' output.
        settings: The settings of the sandbox.
        height: The stack height in this function, which executes the programs.
        state: The state of the interpreter before the first program.
    """
    # As for a program that is alone, the low descriptors are free.
    recordings, output = (_move_up(fd) for fd in files)
    null = os.open(devnull, O_RDWR)
    for fd, opened in enumerate((null, output, null)):
        dup2(opened, fd)
    for fd in {null, output} - {0, 1, 2}:
        os.close(fd)
    notes: list[str] = []
    limits = request["limits"]
    signals: list[int] = []
    has_generators = False

    def send(recording: "bytes | None", *, is_last: bool = False) -> None:
        """Send the recording of a program and what it has printed."""
        rows = recording or b""
        size = lseek(_OUTPUT, 0, SEEK_END)
        printed = pread(_OUTPUT, size, 0) if size and rows else b""
        lengths = len(rows).to_bytes(4, "little") + len(printed).to_bytes(4, "little")
        try:
            write_all(recordings, lengths + bytes([is_last]) + rows + printed)
        except OSError:
            _exit(1)

    def finish(reason: str, detail: str) -> NoReturn:
        """End the process: the program has exceeded a limit."""
        tracer.stop()
        if has_generators and state.depends_on_collection():
            _exit(1)
        if reason != "memory_limit":
            sys.stdout.flush()
            send(tracer.close(to_line(["end", reason, detail[:MAX_DETAIL], notes])), is_last=True)
        _exit(0)

    def on_error(error: BaseException) -> None:
        if isinstance(error, RecursionError):
            signals.append(RECURSION_ERROR)
            return
        # Alone, the program ends in the same way, and says how.
        _exit(1)

    RecursionLimit(height, headroom=0)
    state.note_settings()
    try:
        apply_layers(settings, limits, [])
        limit_memory(limits, request["memory"])
    except Exception:  # noqa: BLE001
        # Alone, the first program says why.
        _exit(1)
    freeze()
    memory_kb = getrusage(RUSAGE_SELF).ru_maxrss + _MEMORY_SHARE * limits["memory_mb"] * 1000
    repr_session = ReprSession(limits["value_chars"], use_forks=False)
    tracer = CTracer(
        limits,
        (-1, request["memory"]),
        repr_session=repr_session,
        signals=signals,
        finish=finish,
        on_error=on_error,
    )
    tracer.close(b"")
    defer_signal_handlers(signals, tracer.is_busy)
    watch_threads_and_forks(tracer, repr_session, notes)
    starts: dict[str, CodeType] = {}
    for program in request["group"]:
        code = _compile(program["text"])
        facts = None if code is None else ProgramCode(code)
        if code is None or facts is None or not facts.may_share_process():
            send(b"")
            continue
        if lseek(_OUTPUT, 0, SEEK_END):
            ftruncate(_OUTPUT, 0)
            lseek(_OUTPUT, 0, SEEK_SET)
        has_generators = facts.has_generators
        tracer.reopen()
        namespace = new_namespace(program | {"path": []})
        state.begin(has_generators=has_generators)
        end: tuple[str, str, int] = ("finished", "", 0)
        try:
            start = _start_code(program["entry"], starts)
            eval(code, namespace)
        except BaseException as error:  # noqa: BLE001
            end = ("not_loaded", f"{type_name(type(error))}: {short_text(error)}", 1)
        if end[0] == "finished":
            tracer.start()
            try:
                # Keep the result until the tracer has stopped, as for a program that is alone.
                result = eval(start, namespace)
                was_traced = tracer.stop()
                del result
            except BaseException as error:  # noqa: BLE001
                was_traced = tracer.stop()
                end = end_of_exception(error)
            if not was_traced:
                _exit(1)
        if end[0] == "memory_limit" or "MemoryError" in end[1]:
            _exit(1)
        sys.stdout.flush()
        printed = lseek(_OUTPUT, 0, SEEK_END)
        is_small = getrusage(RUSAGE_SELF).ru_maxrss < memory_kb
        namespace.clear()
        sys.modules.pop(MODULE, None)
        if not is_small or notes or not _is_unchanged(state, facts):
            _exit(1)
        if lseek(_OUTPUT, 0, SEEK_END) != printed:
            _exit(1)
        is_plain = end[0] == "finished"
        last_row = _FINISHED if is_plain else to_line(["end", end[0], end[1][:MAX_DETAIL], []])
        send(tracer.close(last_row))
    _exit(0)


def _is_unchanged(state: InterpreterState, facts: ProgramCode) -> bool:
    """Whether a program has left nothing behind, and nothing in the buffer of its output."""
    if not state.is_unchanged(has_imports=facts.has_imports, has_generators=facts.has_generators):
        return False
    try:
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001
        return False
    return True


def _move_up(fd: int) -> int:
    moved = int(fcntl(fd, F_DUPFD_CLOEXEC, _FIRST_FD))
    os.close(fd)
    return moved


def _compile(text: str) -> "CodeType | None":
    try:
        return compile(text, FILENAME, "exec", dont_inherit=True)
    except BaseException:  # noqa: BLE001
        return None


def _start_code(entry: str, starts: "dict[str, CodeType]") -> CodeType:
    """The code that calls the entry point; `starts` has that of earlier programs."""
    if entry not in starts:
        starts[entry] = compile(f"{entry}()", "<recorder>", "eval")
    return starts[entry]
