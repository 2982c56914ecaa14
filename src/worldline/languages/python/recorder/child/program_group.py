"""Execution of a group of programs in one process, one after the other.

Each program has two memory files, for the recording and for its output. The process marks the file
of the recording when it begins a program. A program that must not share the process has no rows:
it is executed alone later. The process ends after the last program, or at the first one that
exceeds a limit or leaves the interpreter changed.
"""

import os
import sys
from fcntl import F_DUPFD_CLOEXEC, fcntl
from gc import freeze
from os import O_RDWR, _exit, devnull, dup2, pwrite
from resource import RUSAGE_SELF, getrusage
from types import CodeType
from typing import Any, NoReturn

from .bounded_repr import type_name
from .c_tracer import CTracer
from .interrupts import FILENAME, RECURSION_ERROR, RecursionLimit, defer_signal_handlers
from .json_lines import OWN_BUILTINS, to_line
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
from .shared_process import has_generators, imports_modules, may_share_process
from .shared_state import InterpreterState

__builtins__ = OWN_BUILTINS

# Linux sends at most 253 files with one message.
MAX_FILES = 250
# Where the file of a recording has a mark if its program was begun; the rows come after it.
MARK_OFFSET = 8
# Descriptors of the group's files.
_FIRST_FD = 300
# A program that needs a larger part of its memory limit is executed alone.
_MEMORY_SHARE = 0.25


def record_group_and_exit(
    request: "dict[str, Any]", files: "list[int]", settings: "dict[str, Any]", height: int
) -> NoReturn:
    """Sandbox the process, and execute the programs of a group under the tracer in C.

    Args:
        request: The programs, their limits and the size of a memory file.
        files: Two memory files for each program: for the recording and for its output.
        settings: The settings of the sandbox.
        height: The stack height in this function, which executes the programs.
    """
    # As for a program that is alone, the low descriptors are free.
    files = [_move_up(fd) for fd in files]
    null = _move_up(os.open(devnull, O_RDWR))
    for fd in (0, 1, 2):
        dup2(null, fd)
    notes: list[str] = []
    limits, size = request["limits"], request["memory"]
    signals: list[int] = []
    tracer: Any = None

    def finish(reason: str, detail: str) -> NoReturn:
        """End the process: the program has exceeded a limit."""
        tracer.stop()
        if suspends and state.depends_on_collection():
            _exit(1)
        if reason != "memory_limit":
            sys.stdout.flush()
            tracer.close(to_line(["end", reason, detail[:MAX_DETAIL], notes]))
        _exit(0)

    def on_error(error: BaseException) -> None:
        if isinstance(error, RecursionError):
            signals.append(RECURSION_ERROR)
            return
        # Alone, the program ends in the same way, and says how.
        _exit(1)

    RecursionLimit(height, headroom=0)
    state = InterpreterState()
    is_watched = suspends = False
    try:
        apply_layers(settings, limits, [])
        limit_memory(limits, size)
    except Exception:  # noqa: BLE001
        # Alone, the first program says why.
        _exit(1)
    freeze()
    memory_kb = getrusage(RUSAGE_SELF).ru_maxrss + _MEMORY_SHARE * limits["memory_mb"] * 1000
    for program, memory, output in zip(request["group"], files[::2], files[1::2], strict=True):
        pwrite(memory, b"\1", MARK_OFFSET)
        code = _compile(program["text"])
        if code is None or not may_share_process(code):
            continue
        dup2(output, 1)
        notes, suspends = [], has_generators(code)
        repr_session = ReprSession(limits["value_chars"], use_forks=False)
        tracer = CTracer(
            limits,
            (memory, size),
            repr_session=repr_session,
            signals=signals,
            finish=finish,
            on_error=on_error,
        )
        if not is_watched:
            is_watched = True
            defer_signal_handlers(signals, tracer.is_busy)
            watch_threads_and_forks(tracer, repr_session, notes)
        namespace = new_namespace(program | {"path": []})
        state.begin()
        end: tuple[str, str, int] = ("finished", "", 0)
        try:
            start = compile(f"{program['entry']}()", "<recorder>", "eval")
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
        dup2(null, 1)
        os.close(output)
        is_small = getrusage(RUSAGE_SELF).ru_maxrss < memory_kb
        namespace.clear()
        sys.modules.pop(MODULE, None)
        if not is_small or notes or not _is_unchanged(state, code):
            _exit(1)
        tracer.close(to_line(["end", end[0], end[1][:MAX_DETAIL], notes]))
    _exit(0)


def _is_unchanged(state: InterpreterState, code: CodeType) -> bool:
    """Whether a program has left nothing behind, and nothing in the buffer of its output."""
    imports, suspends = imports_modules(code), has_generators(code)
    if not state.is_unchanged(has_imports=imports, has_generators=suspends):
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
