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

__all__ = [
    "Edit",
    "LeftAlone",
    "Rewritten",
    "composed",
    "edited",
    "rewrite_expressions",
    "unchanged",
]
