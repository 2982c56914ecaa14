"""Nested expressions in single steps: every value in a variable of its own."""

from worldline.rewrite.expressions.rewriting import rewrite_expressions

__all__ = ["rewrite_expressions"]
