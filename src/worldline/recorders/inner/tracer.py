"""The events of `sys.settrace` go in, one line of JSON a step comes out.

The reference recorder: plain, slow, and what every faster one is held against.
"""

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

from .interrupts import FILENAME, OWN_FOLDER, RECURSION_ERROR, TOO_DEEP, Stack, strike
from .release import release_locals
from .renderer import Renderer
from .rendering import name_of
from .variables import local_values
from .wire import OWN_BUILTINS, to_line, write_all

__builtins__ = OWN_BUILTINS

_RESUME = opcode.opmap.get("RESUME")


def _numbers(*names: str) -> "frozenset[int]":
    return frozenset(opcode.opmap[name] for name in names if name in opcode.opmap)


_RETURNS = _numbers("RETURN_VALUE", "RETURN_CONST")
_YIELDS = _numbers("YIELD_VALUE", "YIELD_FROM")

Finish = Callable[[str, str], None]


class Tracer:
    """Turns events of the program's own frames into steps, written as they happen."""

    def __init__(
        self,
        limits: "dict[str, Any]",
        out: int,
        *,
        renderer: Renderer,
        stack: Stack,
        signals: "list[int]",
        finish: Finish,
        failed: "Callable[[BaseException], None]",
        has_threads: bool,
    ):
        """`signals`: those that came for the program while the recorder was at work;
        `failed`: what to do where something went wrong in here."""
        self.renderer = renderer
        self.steps_left: int = limits["steps"]
        self.bytes_left: int = limits["trace_mb"] * 1_000_000
        self.out = out
        self.stack = stack
        self.signals = signals
        self.finish = finish
        self.failed = failed
        self.hook: object = None
        # One thread at a time is at work in here.
        self.turn = allocate_lock() if has_threads else None
        self.mine = local()
        self.threads, self.thread, self.owner = 1, 0, 0
        self.is_closed = self.is_cut = False
        self.scopes = 0
        self.scope_of: dict[int, int] = {}
        # By identity: code may be equal and have another name, and hashing it runs what it holds.
        self.first_of: dict[int, tuple[types.CodeType, int]] = {}
        self.code_of: dict[int, types.CodeType] = {}
        # By scope, while it lives: its locals and its line at its last step, where its names
        # live if it is no function, and where in its code an exception struck since it was entered,
        # with its last line step after that.
        self.last: dict[int, dict[str, str]] = {}
        self.last_line: dict[int, int] = {}
        self.namespace: dict[int, Any] = {}
        self.raised_at: dict[int, tuple[int, int | None]] = {}

    def start(self) -> None:
        """Record the calling thread from its next event on."""
        self.hook = self.on_call
        settrace(self.hook)

    def stop(self) -> bool:
        """Stop; says whether it was recording until now."""
        is_on = gettrace() == self.hook and not self.is_cut
        settrace(None)
        return is_on

    def start_thread(self, frame: types.FrameType) -> Any:
        """Record a thread whose first call is of this frame; gives the frame's trace function."""
        self.mine.number = self.threads
        self.threads += 1
        settrace(self.on_call)
        return self.on_call(frame, "call", None)

    @staticmethod
    def is_busy() -> bool:
        """Whether a recorder without frames of its own is at work: this one has some."""
        return False

    def close(self, row: bytes) -> None:
        """Write the last row."""
        if self.turn is not None and self.owner != get_ident():
            self.turn.acquire()
        self.is_closed = True
        write_all(self.out, row)

    def leave_to_parent(self) -> None:
        """In a process that the program started: it is not recorded."""
        settrace(None)
        nowhere = open_fd(devnull, O_WRONLY)
        dup2(nowhere, self.out)
        close(nowhere)

    # -- events ---------------------------------------------------------------------------

    def on_call(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        """The global trace function: only frames of the program's own source are followed."""
        filename = frame.f_code.co_filename
        if filename.startswith(OWN_FOLDER):
            return None
        if self.stack.is_full():
            if not self.stack.is_watched:
                self._raise_full()
            return None
        return self.on_event(frame, event, arg) if filename is FILENAME else None

    def _raise_full(self) -> None:
        if self._number():
            # A signal would strike in the main thread; after this, Python traces this one no more.
            self.is_cut = True
            raise RecursionError(TOO_DEEP)
        for _ in strike(RECURSION_ERROR):
            pass

    def on_event(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        """The local trace function: calls, lines, returns and exceptions of a followed frame."""
        if event == "opcode":
            return self.on_event
        if self.turn is None:
            self._step(frame, event, arg)
        else:
            self._step_in_turn(frame, event, arg)
        release_locals(frame)
        if self.signals:
            for _ in strike(self.signals.pop()):
                pass
        return self.on_event

    def _number(self) -> int:
        """The number of the calling thread."""
        return getattr(self.mine, "number", 0) if self.turn is not None else 0

    def _step_in_turn(self, frame: types.FrameType, event: str, arg: Any) -> None:
        with self.turn:  # type: ignore[union-attr]
            self.owner = get_ident()
            if self.is_closed:
                return
            if self._number() != self.thread:
                self.thread = self._number()
                self._write(["thread", self.thread])
            self._step(frame, event, arg)
            self.owner = 0

    def _step(self, frame: types.FrameType, event: str, arg: Any) -> None:
        try:
            if not frame.f_trace_lines:
                self.is_cut = True
            if self.steps_left <= 0:
                self.finish("step_limit", "")
            self.steps_left -= 1
            scope = self._scope(frame, event)
            # Cleaning up behind an exception, Python may be on no line.
            line = frame.f_lineno or self.last_line[scope]
            self.last_line[scope] = line
            if event == "call":
                self.raised_at.pop(scope, None)
            elif event == "line" and scope in self.raised_at:
                self.raised_at[scope] = (self.raised_at[scope][0], line)
            if event in ("call", "line"):
                changed, gone = self._changes(frame, scope)
                said = [changed, gone] if gone else [changed] if changed else []
                self._write([event, line, scope, *said])
            else:
                value = self._value(frame, event, scope, arg)
                self._write([event, line, scope, value])
        except BaseException as error:  # noqa: BLE001
            self.failed(error)

    def _write(self, row: "list[Any]") -> None:
        line = to_line(row)
        self.bytes_left -= len(line)
        if self.bytes_left < 0:
            self.finish("trace_limit", "")
        write_all(self.out, line)

    # -- scopes ---------------------------------------------------------------------------

    def _scope(self, frame: types.FrameType, event: str) -> int:
        # A generator re-enters its frame with a call event, so the scope is looked up, not
        # pushed; and a frame that died unseen may have left its address to a new one.
        known = self.scope_of.get(id(frame))
        code = frame.f_code
        is_its_own = known is not None and self.code_of.get(known) is code
        if known is not None and is_its_own and not (event == "call" and is_fresh(frame)):
            return known
        names = code.co_varnames + code.co_cellvars + code.co_freevars
        order = list(dict.fromkeys(names)) if code.co_flags & CO_OPTIMIZED else []
        parameters = (
            code.co_argcount
            + code.co_kwonlyargcount
            + bool(code.co_flags & CO_VARARGS)
            + bool(code.co_flags & CO_VARKEYWORDS)
        )
        name = getattr(code, "co_qualname", code.co_name)
        scope = self.scopes
        first = self.first_of.setdefault(id(code), (code, scope))[1]
        if first == scope:
            self._write(["scope", name, code.co_firstlineno, order, parameters])
        else:
            self._write(["again", first])
        self.scopes += 1
        self.scope_of[id(frame)] = scope
        self.code_of[scope] = code
        self.last[scope] = {}
        self.last_line[scope] = code.co_firstlineno
        if not code.co_flags & CO_OPTIMIZED:
            self.namespace[scope] = frame.f_locals
        return scope

    def _value(self, frame: types.FrameType, event: str, scope: int, arg: Any) -> "str | None":
        if event == "exception":
            self.raised_at[scope] = (frame.f_lasti, None)
            return self.renderer.texts([arg])[0]
        # Python reports a frame left by an exception as a return of None. What it was doing
        # tells the two apart, save where an exception was thrown into a generator at its yield.
        if is_yielding(frame) and not self._is_where_it_raised(frame, scope):
            return self.renderer.texts([yielded(frame, arg)])[0]
        for known in (self.last, self.last_line, self.namespace, self.raised_at, self.code_of):
            known.pop(scope, None)
        self.scope_of.pop(id(frame), None)
        return self.renderer.texts([arg])[0] if is_returning(frame) else None

    def _is_where_it_raised(self, frame: types.FrameType, scope: int) -> bool:
        """At a return event: whether the frame stands where an exception struck, and has not come
        back to that line since; cleaning up on the way out may have had lines of its own."""
        place, last_line = self.raised_at.get(scope, (None, None))
        return place == frame.f_lasti and last_line != frame.f_lineno

    # -- state ----------------------------------------------------------------------------

    def _changes(self, frame: types.FrameType, scope: int) -> "tuple[dict[str, str], list[str]]":
        """The locals that are new or different since the scope's last step, and those gone."""
        values = local_values(frame, self.namespace.get(scope))
        texts = dict(zip(values, self.renderer.texts(list(values.values())), strict=True))
        before = self.last[scope]
        changed = {name: text for name, text in texts.items() if before.get(name) != text}
        gone = sorted(name for name in before if name not in texts)
        self.last[scope] = texts
        return changed, gone


def is_fresh(frame: types.FrameType) -> bool:
    """At a call event: whether the frame starts, rather than being resumed after a yield."""
    if frame.f_lasti < 0:
        return True
    code = frame.f_code.co_code
    return code[frame.f_lasti] == _RESUME and code[frame.f_lasti + 1] & 3 == 0


def is_returning(frame: types.FrameType) -> bool:
    """At a return event: whether a return statement is being executed."""
    return frame.f_code.co_code[frame.f_lasti] in _RETURNS


def is_yielding(frame: types.FrameType) -> bool:
    """At a return event: whether a frame that can be resumed stands at its yield."""
    code = frame.f_code.co_code
    doing = code[frame.f_lasti]
    # From 3.13 it already stands where it will be resumed.
    return doing in _YIELDS or (doing == _RESUME and not is_fresh(frame))


def yielded(frame: types.FrameType, value: Any) -> Any:
    """What a yield gives; an async generator's comes wrapped, in a type that Python hides."""
    if frame.f_code.co_flags & CO_ASYNC_GENERATOR and _is_wrapper(type(value)):
        return get_referents(value)[0]
    return value


def _is_wrapper(kind: type) -> bool:
    return bool(name_of(kind) == "async_generator_wrapped_value")
