"""Rewrite of string operations into loops over characters."""

from worldline.languages.python.rewrite.strings.discovery import StringOperation
from worldline.languages.python.rewrite.strings.string_rewriter import (
    find_string_operations,
    rewrite_strings,
)

__all__ = ["StringOperation", "find_string_operations", "rewrite_strings"]
