"""Rewrites of a program into an equivalent one with simpler steps."""

from worldline.languages.python.rewrite.expressions import rewrite_expressions
from worldline.languages.python.rewrite.source_map import (
    Edit,
    RewriteResult,
    SkippedRewrite,
    apply_edits,
    compose_rewrites,
    unchanged,
)
from worldline.languages.python.rewrite.strings import (
    StringOperation,
    find_string_operations,
    rewrite_strings,
)

__all__ = [
    "Edit",
    "RewriteResult",
    "SkippedRewrite",
    "StringOperation",
    "apply_edits",
    "compose_rewrites",
    "find_string_operations",
    "rewrite_expressions",
    "rewrite_strings",
    "unchanged",
]
