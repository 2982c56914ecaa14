"""Functions that a rewritten program contains: string operations, character by character."""

from worldline.languages.python.rewrite.strings.templates.selection import (
    IN,
    JOIN_ALL,
    REVERSED,
    SLICE,
    SLICE_STEP,
    StringFunction,
    function_for_call,
    is_inserted,
    is_string_call,
)

__all__ = [
    "IN",
    "JOIN_ALL",
    "REVERSED",
    "SLICE",
    "SLICE_STEP",
    "StringFunction",
    "function_for_call",
    "is_inserted",
    "is_string_call",
]
