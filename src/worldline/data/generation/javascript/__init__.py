"""Translation of generated programs to JavaScript."""

from worldline.data.generation.javascript.translation import (
    TranslationError,
    translate_literal,
    translate_program,
)

__all__ = ["TranslationError", "translate_literal", "translate_program"]
