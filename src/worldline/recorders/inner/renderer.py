"""Values of one step go in, their texts come out; what could run the program's code is asked for
in a copy of the process."""

import types

from .rendering import NO_ANSWER, program_reprs, render, render_apart
from .wire import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

# Methods of the program that a repr of something else could reach.
_REACHABLE = frozenset(
    {"__repr__", "__str__", "__format__", "__getattr__", "__getattribute__", "__get__", "__len__"}
    | {"__iter__", "__next__", "__getitem__", "__hash__", "__eq__", "__instancecheck__"}
    | {"__class_getitem__", "__index__", "__bool__"}
)
_SUSPICIOUS = _REACHABLE | {"property", "cached_property", "exec", "eval"}


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


class Renderer:
    """Renders what a program holds, each kind of value that once gave no answer not again."""

    def __init__(self, value_chars: int, *, is_guarded: bool):
        """`is_guarded`: whether the program has code that a repr could run."""
        self.value_chars = value_chars
        self.is_guarded = is_guarded
        self.hanging: list[frozenset[int]] = []
        self.is_rendering_apart = False

    def texts(self, values: "list[object]") -> "list[str]":
        """The texts of values that are shown together."""
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
