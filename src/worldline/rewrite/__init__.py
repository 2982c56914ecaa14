"""Rewrites: a program goes in, one that does the same in simpler steps comes out."""

from worldline.rewrite.expressions import rewrite_expressions
from worldline.rewrite.rewritten import (
    Edit,
    LeftAlone,
    Rewritten,
    composed,
    edited,
    unchanged,
)
from worldline.rewrite.strings import StringOperation, rewrite_strings, string_operations

__all__ = [
    "Edit",
    "LeftAlone",
    "Rewritten",
    "StringOperation",
    "composed",
    "edited",
    "rewrite_expressions",
    "rewrite_strings",
    "string_operations",
    "unchanged",
]
