"""Operations on strings, done by loops over their characters that a model can follow."""

from worldline.rewrite.strings.operation import StringOperation
from worldline.rewrite.strings.rewriting import rewrite_strings, string_operations

__all__ = ["StringOperation", "rewrite_strings", "string_operations"]
