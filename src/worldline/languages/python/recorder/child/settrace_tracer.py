"""Reference tracer on `sys.settrace`: simple and slow; the tracer in C has to write the same."""

import opcode
import types
from _thread import _local as local
from _thread import allocate_lock, get_ident
from collections.abc import Callable
from gc import get_referents
from inspect import CO_ASYNC_GENERATOR, CO_OPTIMIZED, CO_VARARGS, CO_VARKEYWORDS
from os import O_WRONLY, close, devnull, dup2
from os import open as open_fd
from sys import gettrace, settrace
from typing import Any

from .bounded_repr import type_name
from .frame_locals import local_values, release_locals
from .interrupts import (
    FILENAME,
    OWN_FOLDER,
    RECURSION_ERROR,
    TOO_DEEP,
    RecursionLimit,
    raise_at_next_instruction,
)
from .json_lines import OWN_BUILTINS, to_line, write_all
from .repr_session import ReprSession

__builtins__ = OWN_BUILTINS

_RESUME = opcode.opmap.get("RESUME")


def _opcodes(*names: str) -> "frozenset[int]":
    return frozenset(opcode.opmap[name] for name in names if name in opcode.opmap)


_RETURNS = _opcodes("RETURN_VALUE", "RETURN_CONST")
_YIELDS = _opcodes("YIELD_VALUE", "YIELD_FROM")

Finish = Callable[[str, str], None]


class SettraceTracer:
    """Writes the events of the program's frames as rows, as they happen."""

    def __init__(
        self,
        limits: "dict[str, Any]",
        out: int,
        *,
        repr_session: ReprSession,
        recursion_limit: RecursionLimit,
        signals: "list[int]",
        finish: Finish,
        on_error: "Callable[[BaseException], None]",
        before_line: "Callable[[], None] | None" = None,
    ):
        """Prepare a tracer.

        Args:
            limits: The limits of the recording.
            out: The file descriptor to write rows to.
            repr_session: Renders values.
            recursion_limit: The program's recursion limit.
            signals: Signals that arrived for the program while the tracer was running.
            finish: Ends the recording with a reason and a detail.
            on_error: Called with an exception of the tracer itself.
            before_line: Called before each line, to switch threads; if it is None, only the main
                thread is recorded.
        """
        self.repr_session = repr_session
        self.steps_left: int = limits["steps"]
        self.bytes_left: int = limits["trace_mb"] * 1_000_000
        self.out = out
        self.recursion_limit = recursion_limit
        self.signals = signals
        self.finish = finish
        self.on_error = on_error
        self.hook: object = None
        # Only one thread at a time writes rows.
        self.lock = allocate_lock() if before_line is not None else None
        self.before_line = before_line
        self.thread_local = local()
        self.main_thread = get_ident()
        # The thread of the last row, and the thread that has the lock.
        self.thread, self.owner = 0, 0
        self.is_closed = False
        # Whether events were lost: the program disabled line events, or the stack was full.
        self.is_interrupted = False
        self.steps = self.scopes = 0
        # Scope numbers by the id of the frame.
        self.scope_numbers: dict[int, int] = {}
        # The first scope of a code object, by its id: equal code objects may have different names,
        # and hashing one hashes its constants.
        self.first_scopes: dict[int, tuple[types.CodeType, int]] = {}
        # By the number of a scope that is alive: its code, its locals and its line at its last
        # step, its namespace if it is not a function, and the instruction at which an exception
        # was raised since it was entered, with the line of its last line step after that.
        self.codes: dict[int, types.CodeType] = {}
        self.last_locals: dict[int, dict[str, str]] = {}
        self.last_line: dict[int, int] = {}
        self.namespaces: dict[int, Any] = {}
        self.raised_at: dict[int, tuple[int, int | None]] = {}

    def start(self) -> None:
        """Record the calling thread from its next event on."""
        self.hook = self.on_call
        settrace(self.hook)

    def stop(self) -> bool:
        """Stop; the result is whether it was recording until now."""
        is_tracing = gettrace() == self.hook and not self.is_interrupted
        settrace(None)
        return is_tracing

    def start_thread(self, frame: types.FrameType, number: int) -> Any:
        """Record the calling thread, whose first frame this is; returns its trace function."""
        self.thread_local.number = number
        settrace(self.on_call)
        return self.on_call(frame, "call", None)

    def set_thread(self, number: int) -> None:
        """Give the following steps of the calling thread the number of another one."""
        self.thread_local.number = number

    @staticmethod
    def is_busy() -> bool:
        """Whether a tracer without frames is running; this one has frames."""
        return False

    def step_count(self) -> int:
        """The number of steps that were written."""
        return self.steps

    def close(self, row: bytes) -> None:
        """Write the last row."""
        if self.lock is not None and self.owner != get_ident():
            self.lock.acquire()
        self.is_closed = True
        write_all(self.out, row)

    def stop_in_fork(self) -> None:
        """Stop in a process that the program has forked, which is not recorded."""
        settrace(None)
        null = open_fd(devnull, O_WRONLY)
        dup2(null, self.out)
        close(null)

    # -- events ---------------------------------------------------------------------------

    def on_call(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        """Global trace function: trace only frames of the program's source."""
        filename = frame.f_code.co_filename
        if filename.startswith(OWN_FOLDER):
            return None
        if self.recursion_limit.is_exceeded():
            if not self.recursion_limit.is_monitored:
                self._raise_recursion_error()
            return None
        return self.on_event(frame, event, arg) if filename is FILENAME else None

    def _raise_recursion_error(self) -> None:
        if self.lock is not None and get_ident() != self.main_thread:
            # A signal would be handled in the main thread. An exception of a trace function ends
            # the tracing of this thread.
            self.is_interrupted = True
            raise RecursionError(TOO_DEEP)
        for _ in raise_at_next_instruction(RECURSION_ERROR):
            pass

    def on_event(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        """Local trace function: calls, lines, returns and exceptions of a frame."""
        if event == "opcode":
            return self.on_event
        if event == "line" and self.before_line is not None:
            self.before_line()
        if self.lock is None:
            self._write_step(frame, event, arg)
        else:
            self._write_step_locked(frame, event, arg)
        release_locals(frame)
        if self.signals:
            for _ in raise_at_next_instruction(self.signals.pop()):
                pass
        return self.on_event

    def _thread_number(self) -> int:
        """The number of the calling thread."""
        return getattr(self.thread_local, "number", 0) if self.lock is not None else 0

    def _write_step_locked(self, frame: types.FrameType, event: str, arg: Any) -> None:
        with self.lock:  # type: ignore[union-attr]
            self.owner = get_ident()
            if self.is_closed:
                return
            if self._thread_number() != self.thread:
                self.thread = self._thread_number()
                self._write(["thread", self.thread])
            self._write_step(frame, event, arg)
            self.owner = 0

    def _write_step(self, frame: types.FrameType, event: str, arg: Any) -> None:
        try:
            if not frame.f_trace_lines:
                self.is_interrupted = True
            if self.steps_left <= 0:
                self.finish("step_limit", "")
            self.steps_left -= 1
            scope = self._scope(frame, event)
            # During the cleanup after an exception, Python may have no line.
            line = frame.f_lineno or self.last_line[scope]
            self.last_line[scope] = line
            if event == "call":
                self.raised_at.pop(scope, None)
            elif event == "line" and scope in self.raised_at:
                self.raised_at[scope] = (self.raised_at[scope][0], line)
            if event in ("call", "line"):
                changed, gone = self._changes(frame, scope)
                fields = [changed, gone] if gone else [changed] if changed else []
                self._write([event, line, scope, *fields])
            else:
                value = self._value(frame, event, scope, arg)
                self._write([event, line, scope, value])
            self.steps += 1
        except BaseException as error:  # noqa: BLE001
            self.on_error(error)

    def _write(self, row: "list[Any]") -> None:
        line = to_line(row)
        self.bytes_left -= len(line)
        if self.bytes_left < 0:
            self.finish("trace_limit", "")
        write_all(self.out, line)

    # -- scopes ---------------------------------------------------------------------------

    def _scope(self, frame: types.FrameType, event: str) -> int:
        # A generator re-enters its frame with a call event, so the scope is looked up, not pushed.
        # A frame that ended without an event may have left its id to a new frame.
        known = self.scope_numbers.get(id(frame))
        code = frame.f_code
        is_same_code = known is not None and self.codes.get(known) is code
        if known is not None and is_same_code and not (event == "call" and is_fresh(frame)):
            return known
        names = code.co_varnames + code.co_cellvars + code.co_freevars
        variables = list(dict.fromkeys(names)) if code.co_flags & CO_OPTIMIZED else []
        parameters = (
            code.co_argcount
            + code.co_kwonlyargcount
            + bool(code.co_flags & CO_VARARGS)
            + bool(code.co_flags & CO_VARKEYWORDS)
        )
        name = getattr(code, "co_qualname", code.co_name)
        scope = self.scopes
        first = self.first_scopes.setdefault(id(code), (code, scope))[1]
        if first == scope:
            self._write(["scope", name, code.co_firstlineno, variables, parameters])
        else:
            self._write(["again", first])
        self.scopes += 1
        self.scope_numbers[id(frame)] = scope
        self.codes[scope] = code
        self.last_locals[scope] = {}
        self.last_line[scope] = code.co_firstlineno
        if not code.co_flags & CO_OPTIMIZED:
            self.namespaces[scope] = frame.f_locals
        return scope

    def _value(self, frame: types.FrameType, event: str, scope: int, arg: Any) -> "str | None":
        if event == "exception":
            self.raised_at[scope] = (frame.f_lasti, None)
            return self._render(arg)
        # Python reports a frame that an exception leaves as a return of None. The current
        # instruction distinguishes the two, except if an exception was thrown into a generator at
        # its yield.
        if is_yielding(frame) and not self._is_at_raise(frame, scope):
            return self._render(yielded(frame, arg))
        for table in (
            self.last_locals,
            self.last_line,
            self.namespaces,
            self.raised_at,
            self.codes,
        ):
            table.pop(scope, None)
        self.scope_numbers.pop(id(frame), None)
        return self._render(arg) if is_returning(frame) else None

    def _render(self, value: Any) -> str:
        return self.repr_session.render([value])[0]

    def _is_at_raise(self, frame: types.FrameType, scope: int) -> bool:
        """At a return event: whether the frame is at the instruction that raised an exception, and
        has not executed that line again since; the cleanup may have executed other lines."""
        instruction, last_line = self.raised_at.get(scope, (None, None))
        return instruction == frame.f_lasti and last_line != frame.f_lineno

    # -- state ----------------------------------------------------------------------------

    def _changes(self, frame: types.FrameType, scope: int) -> "tuple[dict[str, str], list[str]]":
        """The locals that are new or different since the scope's last step, and those gone."""
        values = local_values(frame, self.namespaces.get(scope))
        texts = dict(zip(values, self.repr_session.render(list(values.values())), strict=True))
        before = self.last_locals[scope]
        changed = {name: text for name, text in texts.items() if before.get(name) != text}
        gone = sorted(name for name in before if name not in texts)
        self.last_locals[scope] = texts
        return changed, gone


def is_fresh(frame: types.FrameType) -> bool:
    """At a call event: whether the frame starts, and is not resumed after a yield."""
    if frame.f_lasti < 0:
        return True
    code = frame.f_code.co_code
    return code[frame.f_lasti] == _RESUME and code[frame.f_lasti + 1] & 3 == 0


def is_returning(frame: types.FrameType) -> bool:
    """At a return event: whether a return statement is being executed."""
    return frame.f_code.co_code[frame.f_lasti] in _RETURNS


def is_yielding(frame: types.FrameType) -> bool:
    """At a return event: whether the frame yields and can be resumed."""
    instruction = frame.f_code.co_code[frame.f_lasti]
    # From 3.13 it is already at the instruction that resumes it.
    return instruction in _YIELDS or (instruction == _RESUME and not is_fresh(frame))


def yielded(frame: types.FrameType, value: Any) -> Any:
    """The value of a yield; that of an async generator is wrapped in a private type of Python."""
    if frame.f_code.co_flags & CO_ASYNC_GENERATOR and _is_wrapper(type(value)):
        return get_referents(value)[0]
    return value


def _is_wrapper(kind: type) -> bool:
    return bool(type_name(kind) == "async_generator_wrapped_value")
