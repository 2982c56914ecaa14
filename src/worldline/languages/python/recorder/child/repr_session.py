"""Rendering of one program's values; a `__repr__` of the program is called in a fork."""

import types

from .bounded_repr import NO_ANSWER, render, render_in_fork, types_with_own_repr
from .json_lines import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

# Methods of the program that the repr of a built-in type may call.
_REACHABLE = frozenset(
    {"__repr__", "__str__", "__format__", "__getattr__", "__getattribute__", "__get__", "__len__"}
    | {"__iter__", "__next__", "__getitem__", "__hash__", "__eq__", "__instancecheck__"}
    | {"__class_getitem__", "__index__", "__bool__"}
)
_SUSPICIOUS = _REACHABLE | {"property", "cached_property", "exec", "eval"}


def may_define_repr(code: types.CodeType) -> bool:
    """Whether rendering a value could call code of the program.

    "def f(x): return [x]" -> False; a class with a __repr__, or a call of exec -> True
    """
    if code.co_name in _REACHABLE or not _SUSPICIOUS.isdisjoint(code.co_names):
        return True
    for constant in code.co_consts:
        kind = type(constant)
        if kind is types.CodeType:
            if may_define_repr(constant):
                return True
        elif kind is tuple:
            if not _REACHABLE.isdisjoint(map(str, constant)):
                return True
        elif kind is str and constant in _REACHABLE:
            return True
    return False


class ReprSession:
    """Renderer of one program's values; remembers types whose __repr__ hangs, and skips them."""

    def __init__(self, value_chars: int, *, use_forks: bool):
        """`use_forks`: whether the program may have code that a repr calls."""
        self.value_chars = value_chars
        self.use_forks = use_forks
        self.hanging: list[frozenset[int]] = []
        self.is_forking = False

    def render(self, values: "list[object]") -> "list[str]":
        """The texts of values that belong to one step."""
        if not self.use_forks:
            return [render(value, self.value_chars) for value in values]
        types_by_value = [types_with_own_repr(value) for value in values]
        pending = [
            i for i, kinds in enumerate(types_by_value) if kinds and not self._is_hanging(kinds)
        ]
        texts: dict[int, str] = {}
        while pending:
            self.is_forking = True
            rendered = render_in_fork([values[i] for i in pending], self.value_chars)
            self.is_forking = False
            texts.update(zip(pending, rendered, strict=False))
            if rendered[-1] == NO_ANSWER:
                self.hanging.append(types_by_value[pending[len(rendered) - 1]])
            pending = [
                i for i in pending[len(rendered) :] if not self._is_hanging(types_by_value[i])
            ]
        return [
            texts.get(i, NO_ANSWER) if types_by_value[i] else render(value, self.value_chars)
            for i, value in enumerate(values)
        ]

    def _is_hanging(self, kinds: "frozenset[int]") -> bool:
        return any(hanging <= kinds for hanging in self.hanging)
