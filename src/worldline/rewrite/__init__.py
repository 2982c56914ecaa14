"""Rewrites: a program goes in, one that does the same in simpler steps comes out."""

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
    "unchanged",
]
