"""A frame that was looked at from Python goes in; nothing of its locals is kept alive after."""

import types
from inspect import CO_OPTIMIZED
from sys import getrefcount, version_info
from typing import Any

from .wire import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

# Up to 3.12 a traced frame holds a copy of its locals from one event to the next. What the
# program drops would live on in it: a generator would be closed, or a `__del__` run, a line too
# late and inside the recorder. (3.10 has no way to do without it.)
_HAS_COPY = (3, 11) <= version_info < (3, 13)
_write_back: Any = None
if _HAS_COPY:
    try:
        from . import _core

        _write_back = _core.write_back
    except ImportError:  # installed without a compiler
        try:
            from ctypes import c_int, py_object, pythonapi

            pythonapi.PyFrame_LocalsToFast.argtypes = [py_object, c_int]
            pythonapi.PyFrame_LocalsToFast.restype = None

            def _write_back(frame: types.FrameType) -> None:
                pythonapi.PyFrame_LocalsToFast(frame, 0)
        except ImportError:  # a Python that was built without
            _HAS_COPY = False


def release_locals(frame: types.FrameType) -> None:
    """Empty the copy of its locals that a frame holds since it was traced."""
    if not _HAS_COPY or not frame.f_code.co_flags & CO_OPTIMIZED:
        return
    copy = frame.f_locals
    # Once Python thinks that the copy has been written back, it may be emptied.
    _write_back(frame)
    # The frame, this function and the question hold it; anyone else got it from `locals()`.
    if getrefcount(copy) <= 3:
        copy.clear()
