"""The functions that a rewritten program is given: operations on strings, a character at a time."""

from worldline.rewrite.strings.functions.choosing import (
    IN,
    JOIN_ALL,
    REVERSED,
    SLICE,
    SLICE_STEP,
    Function,
    is_added,
    is_call,
    method_function,
)

__all__ = [
    "IN",
    "JOIN_ALL",
    "REVERSED",
    "SLICE",
    "SLICE_STEP",
    "Function",
    "is_added",
    "is_call",
    "method_function",
]
