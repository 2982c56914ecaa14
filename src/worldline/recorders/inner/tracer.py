"""The events of `sys.settrace` go in, one line of JSON a step comes out.

The reference recorder: plain, slow, and what every faster one is held against.
"""

import opcode
import types
from collections.abc import Callable
from gc import get_referents
from inspect import CO_ASYNC_GENERATOR, CO_OPTIMIZED, CO_VARARGS, CO_VARKEYWORDS
from typing import Any

from .interrupts import FILENAME, OWN_FOLDER, RECURSION_ERROR, Stack, strike
from .rendering import NO_ANSWER, name_of, program_reprs, render, render_apart
from .variables import local_values, release_locals
from .wire import OWN_BUILTINS, to_line, write_all

__builtins__ = OWN_BUILTINS

# Methods of the program that a repr of something else could reach.
_REACHABLE = frozenset(
    {"__repr__", "__str__", "__format__", "__getattr__", "__getattribute__", "__get__", "__len__"}
    | {"__iter__", "__next__", "__getitem__", "__hash__", "__eq__", "__instancecheck__"}
    | {"__class_getitem__", "__index__", "__bool__"}
)
_SUSPICIOUS = _REACHABLE | {"property", "cached_property", "exec", "eval"}
_RESUME = opcode.opmap.get("RESUME")


def _numbers(*names: str) -> "frozenset[int]":
    return frozenset(opcode.opmap[name] for name in names if name in opcode.opmap)


_RETURNS = _numbers("RETURN_VALUE", "RETURN_CONST")
_YIELDS = _numbers("YIELD_VALUE", "YIELD_FROM")

Finish = Callable[[str, str], None]


def could_shape_reprs(code: types.CodeType) -> bool:
    """Whether any code of the program could be run by rendering a value.

    "def f(x): return [x]" -> False; a class with a __repr__, or a call of exec -> True
    """
    if code.co_name in _REACHABLE or _SUSPICIOUS.intersection(code.co_names):
        return True
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and could_shape_reprs(constant):
            return True
        if isinstance(constant, tuple) and _REACHABLE.intersection(map(str, constant)):
            return True
        if isinstance(constant, str) and constant in _REACHABLE:
            return True
    return False


class Tracer:
    """Turns events of the program's own frames into steps, written as they happen."""

    def __init__(
        self,
        limits: "dict[str, Any]",
        out: int,
        *,
        is_guarded: bool,
        stack: Stack,
        signals: "list[int]",
        finish: Finish,
    ):
        """`signals`: those that came for the program while the recorder was at work."""
        self.is_guarded = is_guarded
        self.value_chars: int = limits["value_chars"]
        self.steps_left: int = limits["steps"]
        self.bytes_left: int = limits["trace_mb"] * 1_000_000
        self.out = out
        self.stack = stack
        self.signals = signals
        self.finish = finish
        self.scopes = 0
        self.scope_of: dict[int, int] = {}
        # By scope, while it lives: its locals and its line at its last step, where its names
        # live if it is no function, and where in its code an exception struck since it was entered,
        # with its last line step after that.
        self.last: dict[int, dict[str, str]] = {}
        self.last_line: dict[int, int] = {}
        self.namespace: dict[int, Any] = {}
        self.raised_at: dict[int, tuple[int, int | None]] = {}
        self.hanging: list[frozenset[int]] = []
        self.is_rendering_apart = False

    # -- events ---------------------------------------------------------------------------

    def on_call(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        """The global trace function: only frames of the program's own source are followed."""
        filename = frame.f_code.co_filename
        if filename.startswith(OWN_FOLDER):
            return None
        if self.stack.is_full():
            if not self.stack.is_watched:
                for _ in strike(RECURSION_ERROR):
                    pass
            return None
        return self.on_event(frame, event, arg) if filename == FILENAME else None

    def on_event(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        """The local trace function: calls, lines, returns and exceptions of a followed frame."""
        self._step(frame, event, arg)
        release_locals(frame)
        if self.signals:
            for _ in strike(self.signals.pop()):
                pass
        return self.on_event

    def _step(self, frame: types.FrameType, event: str, arg: Any) -> None:
        try:
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
                self._write([event, line, scope, changed, gone, None])
            else:
                value = self._value(frame, event, scope, arg)
                self._write([event, line, scope, {}, [], value])
        except MemoryError:
            self.finish("memory_limit", "")
        # Calls from C have a limit of their own, which the program met first if it ends here.
        except RecursionError:
            for _ in strike(RECURSION_ERROR):
                pass
        # Anything else here is a fault of the recorder, and must not look like the program's.
        except BaseException as error:  # noqa: BLE001
            import traceback

            self.finish("recorder_failed", "".join(traceback.format_exception(error)))

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
        if known is not None and not (event == "call" and is_fresh(frame)):
            return known
        code = frame.f_code
        names = code.co_varnames + code.co_cellvars + code.co_freevars
        order = list(dict.fromkeys(names)) if code.co_flags & CO_OPTIMIZED else []
        parameters = (
            code.co_argcount
            + code.co_kwonlyargcount
            + bool(code.co_flags & CO_VARARGS)
            + bool(code.co_flags & CO_VARKEYWORDS)
        )
        name = getattr(code, "co_qualname", code.co_name)
        self._write(["scope", name, code.co_firstlineno, order, parameters])
        scope = self.scopes
        self.scopes += 1
        self.scope_of[id(frame)] = scope
        self.last[scope] = {}
        self.last_line[scope] = code.co_firstlineno
        if not code.co_flags & CO_OPTIMIZED:
            self.namespace[scope] = frame.f_locals
        return scope

    def _value(self, frame: types.FrameType, event: str, scope: int, arg: Any) -> "str | None":
        if event == "exception":
            self.raised_at[scope] = (frame.f_lasti, None)
            return self._render([arg])[0]
        # Python reports a frame left by an exception as a return of None. What it was doing
        # tells the two apart, save where an exception was thrown into a generator at its yield.
        if is_yielding(frame) and not self._is_where_it_raised(frame, scope):
            return self._render([yielded(frame, arg)])[0]
        for known in (self.last, self.last_line, self.namespace, self.raised_at):
            known.pop(scope, None)
        self.scope_of.pop(id(frame), None)
        return self._render([arg])[0] if is_returning(frame) else None

    def _is_where_it_raised(self, frame: types.FrameType, scope: int) -> bool:
        """At a return event: whether the frame stands where an exception struck, and has not come
        back to that line since; cleaning up on the way out may have had lines of its own."""
        place, last_line = self.raised_at.get(scope, (None, None))
        return place == frame.f_lasti and last_line != frame.f_lineno

    # -- state ----------------------------------------------------------------------------

    def _changes(self, frame: types.FrameType, scope: int) -> "tuple[dict[str, str], list[str]]":
        """The locals that are new or different since the scope's last step, and those gone."""
        values = local_values(frame, self.namespace.get(scope))
        texts = dict(zip(values, self._render(list(values.values())), strict=True))
        before = self.last[scope]
        changed = {name: text for name, text in texts.items() if before.get(name) != text}
        gone = sorted(name for name in before if name not in texts)
        self.last[scope] = texts
        return changed, gone

    def _render(self, values: "list[Any]") -> "list[str]":
        if not self.is_guarded:
            return [render(value, self.value_chars) for value in values]
        reprs = [program_reprs(value) for value in values]
        apart = [i for i, kinds in enumerate(reprs) if kinds and not self._is_hanging(kinds)]
        texts: dict[int, str] = {}
        while apart:
            self.is_rendering_apart = True
            answers = render_apart([values[i] for i in apart], self.value_chars)
            self.is_rendering_apart = False
            texts.update(zip(apart, answers, strict=False))
            if answers[-1] == NO_ANSWER:
                self.hanging.append(reprs[apart[len(answers) - 1]])
            apart = [i for i in apart[len(answers) :] if not self._is_hanging(reprs[i])]
        return [
            texts.get(i, NO_ANSWER) if reprs[i] else render(value, self.value_chars)
            for i, value in enumerate(values)
        ]

    def _is_hanging(self, kinds: "frozenset[int]") -> bool:
        return any(known <= kinds for known in self.hanging)


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
