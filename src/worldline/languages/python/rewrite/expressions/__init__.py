"""Rewrite of nested expressions into single operations with temporary variables."""

from worldline.languages.python.rewrite.expressions.expression_rewriter import rewrite_expressions

__all__ = ["rewrite_expressions"]
