"""A frame goes in, its locals come out; nothing of them is kept alive behind the program's back."""

import types
from inspect import CO_OPTIMIZED
from sys import _getframe, getrefcount, version_info
from typing import Any

from .wire import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

# Up to 3.12 a traced frame holds a copy of its locals from one event to the next. What the
# program drops would live on in it: a generator would be closed, or a `__del__` run, a line too
# late and inside the recorder. (3.10 has no way to do without it.)
try:
    from ctypes import c_int, py_object, pythonapi

    _HAS_COPY = (3, 11) <= version_info < (3, 13)
except ImportError:  # a Python that was built without
    _HAS_COPY = False
if _HAS_COPY:
    _write_back = pythonapi.PyFrame_LocalsToFast
    _write_back.argtypes = [py_object, c_int]
    _write_back.restype = None


def _view_of_locals() -> object:
    return _getframe().f_locals


# A view that belongs to the frame, from 3.13; a dict before.
_OWN_LOCALS = type(_view_of_locals())


def local_values(frame: types.FrameType, namespace: Any) -> "dict[str, Any]":
    """The frame's locals by name; of a module or a class body without Python's own names.

    `namespace`: what `f_locals` was when the frame started.
    """
    found = frame.f_locals
    if frame.f_code.co_flags & CO_OPTIMIZED:
        return dict(found)
    # A class body's names may live in a mapping that the program wrote: its methods stay alone.
    pairs = list(dict.items(namespace)) if issubclass(type(namespace), dict) else []
    # From 3.13, in a comprehension of a module or a class, `f_locals` has what is its own, and
    # the variables of functions around it, which are no locals of a class.
    if type(found) is _OWN_LOCALS:
        free = frame.f_code.co_freevars
        pairs += [(name, value) for name, value in found.items() if name not in free]
    return {name: value for name, value in pairs if type(name) is str and not is_dunder(name)}


def release_locals(frame: types.FrameType) -> None:
    """Empty the copy of its locals that a frame holds since it was traced."""
    if not _HAS_COPY or not frame.f_code.co_flags & CO_OPTIMIZED:
        return
    copy = frame.f_locals
    # Once Python thinks that the copy has been written back, it may be emptied.
    _write_back(frame, 0)
    # The frame, this function and the question hold it; anyone else got it from `locals()`.
    if getrefcount(copy) <= 3:
        copy.clear()


def is_dunder(name: str) -> bool:
    """ "__name__" -> True"""
    return name.startswith("__") and name.endswith("__")
