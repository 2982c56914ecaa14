"""The events of `sys.settrace` go in, one line of JSON a step comes out.

The reference recorder: plain, slow, and what every faster one is held against.
"""

import _thread
import functools
import inspect
import json
import opcode
import os
import signal
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from .rendering import may_run_program_code, render, render_apart

FILENAME = "<program>"
# Stack frames that the recorder itself may need on top of the program's.
HEADROOM = 200
# Methods of the program that a repr of something else could reach.
_REACHABLE = frozenset(
    "__repr__ __str__ __format__ __getattr__ __getattribute__ __get__ __len__ __iter__ __next__ "
    "__getitem__ __hash__ __eq__ __instancecheck__ __class_getitem__ __index__ __bool__".split()
)
_SUSPICIOUS = _REACHABLE | {"property", "cached_property", "exec", "eval"}
_RESUME = opcode.opmap.get("RESUME")
_RETURNS = {opcode.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in opcode.opmap}

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

    def __init__(self, code: types.CodeType, limits: "dict[str, Any]", out: int, finish: Finish):
        self.is_guarded = could_shape_reprs(code)
        self.value_chars: int = limits["value_chars"]
        self.steps_left: int = limits["steps"]
        self.bytes_left: int = limits["trace_mb"] * 1_000_000
        self.out = out
        self.finish = finish
        self.scope_of: dict[int, int] = {}
        self.last: list[dict[str, str]] = []
        self.last_event: list[str] = []
        self.hanging: set[type] = set()
        self.depth = 0
        self.max_depth = sys.getrecursionlimit()

    # -- events ---------------------------------------------------------------------------

    def on_call(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        """The global trace function: only frames of the program's own source are followed."""
        if frame.f_code.co_filename != FILENAME:
            return None
        if self.depth >= self.max_depth:
            # No recursion error may strike inside the recorder, so the stack is a little
            # higher than the program knows, and the error it would have met is raised here.
            for _ in pending_recursion_error():
                pass
            return None
        self.depth += 1
        self._step(frame, "call", None)
        return self.on_event

    def on_event(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        """The local trace function: lines, returns and exceptions of a followed frame."""
        if event == "return":
            self.depth -= 1
        self._step(frame, event, arg)
        return self.on_event

    def _step(self, frame: types.FrameType, event: str, arg: Any) -> None:
        try:
            if self.steps_left <= 0:
                self.finish("step_limit", "")
            self.steps_left -= 1
            scope = self._scope(frame, event)
            if event in ("call", "line"):
                row = self._locals_row(frame, event, scope)
            else:
                row = [event, frame.f_lineno, scope, {}, [], self._value(frame, event, scope, arg)]
            self.last_event[scope] = event
            self._write(row)
        except MemoryError:
            self.finish("memory_limit", "")
        # Anything else here is a fault of the recorder, and must not look like the program's.
        except BaseException as error:
            import traceback

            self.finish("recorder_failed", "".join(traceback.format_exception(error)))

    def _write(self, row: "list[Any]") -> None:
        line = json.dumps(row).encode() + b"\n"
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
        scope = len(self.last)
        self.scope_of[id(frame)] = scope
        self.last.append({})
        self.last_event.append("")
        code = frame.f_code
        names = code.co_varnames + code.co_cellvars + code.co_freevars
        order = list(dict.fromkeys(names)) if code.co_flags & inspect.CO_OPTIMIZED else []
        parameters = (
            code.co_argcount
            + code.co_kwonlyargcount
            + bool(code.co_flags & inspect.CO_VARARGS)
            + bool(code.co_flags & inspect.CO_VARKEYWORDS)
        )
        name = getattr(code, "co_qualname", code.co_name)
        write_all(
            self.out,
            json.dumps(["scope", name, code.co_firstlineno, order, parameters]).encode() + b"\n",
        )
        return scope

    def _value(self, frame: types.FrameType, event: str, scope: int, arg: Any) -> "str | None":
        if event == "exception":
            return self._render([arg])[0]
        # Python reports a frame left by an exception as a return of None.
        is_unwound = self.last_event[scope] == "exception" and not is_returning(frame)
        if is_unwound or is_returning(frame):
            self.scope_of.pop(id(frame), None)
        return None if is_unwound else self._render([arg])[0]

    # -- state ----------------------------------------------------------------------------

    def _locals_row(self, frame: types.FrameType, event: str, scope: int) -> "list[Any]":
        values = dict(frame.f_locals)
        if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            values = {name: values[name] for name in values if not is_dunder(name)}
        texts = dict(zip(values, self._render(list(values.values())), strict=False))
        before = self.last[scope]
        changed = {name: text for name, text in texts.items() if before.get(name) != text}
        gone = [name for name in before if name not in texts]
        self.last[scope] = texts
        return [event, frame.f_lineno, scope, changed, gone, None]

    def _render(self, values: "list[Any]") -> "list[str]":
        if not self.is_guarded:
            return [render(value, self.value_chars) for value in values]
        apart = [i for i, value in enumerate(values) if may_run_program_code(value)]
        asked = [i for i in apart if type(values[i]) not in self.hanging]
        answers = render_apart([values[i] for i in asked], self.value_chars) if asked else []
        texts = dict(zip(asked, answers, strict=False))
        for i, text in texts.items():
            if text == "<unrenderable: no answer>":
                self.hanging.add(type(values[i]))
        return [
            texts.get(i, "<unrenderable: no answer>")
            if i in apart
            else render(value, self.value_chars)
            for i, value in enumerate(values)
        ]


def is_fresh(frame: types.FrameType) -> bool:
    """At a call event: whether the frame starts, rather than being resumed after a yield."""
    if frame.f_lasti < 0:
        return True
    code = frame.f_code.co_code
    return code[frame.f_lasti] == _RESUME and code[frame.f_lasti + 1] & 3 == 0


def is_returning(frame: types.FrameType) -> bool:
    """At a return event: whether a return statement is being executed (no yield, no unwinding)."""
    return frame.f_code.co_code[frame.f_lasti] in _RETURNS


def is_dunder(name: str) -> bool:
    """ "__name__" -> True"""
    return name.startswith("__") and name.endswith("__")


def write_all(fd: int, data: bytes) -> None:
    """Write all of it, however the pipe takes it."""
    while data:
        data = data[os.write(fd, data) :]


# -- recursion to the limit -----------------------------------------------------------------


def pending_recursion_error() -> "Iterator[object]":
    """Iterating over this makes a signal pending whose handler raises RecursionError.

    A for loop calls the function from C, so that the interpreter first notices the signal when
    the recorder has returned and the program's own frame goes on; and tracing stays on, which
    it would not if the trace function itself raised.
    """
    return iter(functools.partial(_thread.interrupt_main, signal.SIGUSR2), None)


def _raise_recursion_error(signum: int, frame: "types.FrameType | None") -> None:
    raise RecursionError("maximum recursion depth exceeded")


def install_recursion_guard(tracer: Tracer, used: int) -> None:
    """Raise the real limit above the one the program sees, so that only the program meets it."""
    seen = sys.getrecursionlimit()
    set_limit = sys.setrecursionlimit
    tracer.max_depth = seen - used
    set_limit(seen + HEADROOM)
    signal.signal(signal.SIGUSR2, _raise_recursion_error)

    def getrecursionlimit() -> int:
        return tracer.max_depth + used

    def setrecursionlimit(limit: int) -> None:
        set_limit(limit + HEADROOM)
        tracer.max_depth = limit - used

    sys.getrecursionlimit = getrecursionlimit
    sys.setrecursionlimit = setrecursionlimit
