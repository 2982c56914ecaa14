"""Local variables of a frame: reading them, and releasing Python's copy of them."""

import types
from inspect import CO_OPTIMIZED
from sys import _getframe, getrefcount, version_info
from typing import Any

from .json_lines import OWN_BUILTINS

__builtins__ = OWN_BUILTINS


def _locals_view() -> object:
    return _getframe().f_locals


# The type of a function's `f_locals`: a view of the frame from 3.13, a dict before.
_LOCALS_TYPE = type(_locals_view())

# In 3.11 and 3.12 a traced frame holds a copy of its locals from one event to the next. An object
# that the program drops would live on in it: a generator would be closed, or a `__del__` run, a
# line too late and inside the recorder. (3.10 has no way to avoid it.)
_HAS_COPY = (3, 11) <= version_info < (3, 13)
_write_back: Any = None
if _HAS_COPY:
    try:
        from . import _tracer

        _write_back = _tracer.write_back
    except ImportError:  # installed without a compiler
        try:
            from ctypes import c_int, py_object, pythonapi

            pythonapi.PyFrame_LocalsToFast.argtypes = [py_object, c_int]
            pythonapi.PyFrame_LocalsToFast.restype = None

            def _write_back(frame: types.FrameType) -> None:
                pythonapi.PyFrame_LocalsToFast(frame, 0)
        except ImportError:  # a Python that was built without ctypes
            _HAS_COPY = False


def local_values(frame: types.FrameType, namespace: Any) -> "dict[str, Any]":
    """The frame's locals by name; those of a module or class body without dunder names.

    `namespace`: the value of `f_locals` when the frame started.
    """
    current = frame.f_locals
    code = frame.f_code
    if code.co_flags & CO_OPTIMIZED:
        # In Python's order, and without what the program has added to the copy.
        values, names = dict(current), code.co_varnames + code.co_cellvars + code.co_freevars
        return {name: values[name] for name in names if name in values}
    # The namespace of a class body may be a mapping of the program: do not call its methods.
    pairs = list(dict.items(namespace)) if issubclass(type(namespace), dict) else []
    # From 3.13, in a comprehension of a module or a class, `f_locals` has the variables of the
    # comprehension, and those of enclosing functions, which are not locals of a class.
    if type(current) is _LOCALS_TYPE:
        free = code.co_freevars
        pairs += [(name, value) for name, value in current.items() if name not in free]
    return {name: value for name, value in pairs if type(name) is str and not is_dunder(name)}


def is_dunder(name: str) -> bool:
    """ "__name__" -> True"""
    return name.startswith("__") and name.endswith("__")


def release_locals(frame: types.FrameType) -> None:
    """Empty the copy of its locals that a traced frame holds."""
    if not _HAS_COPY or not frame.f_code.co_flags & CO_OPTIMIZED:
        return
    copy = frame.f_locals
    # Once Python considers the copy as written back, it may be emptied.
    _write_back(frame)
    # Three references: the frame, this function and the argument of getrefcount. If there are
    # more, the program got the copy from `locals()`.
    if getrefcount(copy) <= 3:
        copy.clear()
