"""A frame goes in, its locals come out."""

import types
from inspect import CO_OPTIMIZED
from sys import _getframe
from typing import Any

from .wire import OWN_BUILTINS

__builtins__ = OWN_BUILTINS


def _view_of_locals() -> object:
    return _getframe().f_locals


# A view that belongs to the frame, from 3.13; a dict before.
_OWN_LOCALS = type(_view_of_locals())


def local_values(frame: types.FrameType, namespace: Any) -> "dict[str, Any]":
    """The frame's locals by name; of a module or a class body without Python's own names.

    `namespace`: what `f_locals` was when the frame started.
    """
    found = frame.f_locals
    code = frame.f_code
    if code.co_flags & CO_OPTIMIZED:
        # In Python's own order, and without what the program has put into a copy of them.
        values, names = dict(found), code.co_varnames + code.co_cellvars + code.co_freevars
        return {name: values[name] for name in names if name in values}
    # A class body's names may live in a mapping that the program wrote: its methods stay alone.
    pairs = list(dict.items(namespace)) if issubclass(type(namespace), dict) else []
    # From 3.13, in a comprehension of a module or a class, `f_locals` has what is its own, and
    # the variables of functions around it, which are no locals of a class.
    if type(found) is _OWN_LOCALS:
        free = code.co_freevars
        pairs += [(name, value) for name, value in found.items() if name not in free]
    return {name: value for name, value in pairs if type(name) is str and not is_dunder(name)}


def is_dunder(name: str) -> bool:
    """ "__name__" -> True"""
    return name.startswith("__") and name.endswith("__")
