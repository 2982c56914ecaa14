"""Source text of new lines; numbers and strings keep their spelling from the old source."""

import ast
from dataclasses import dataclass
from typing import Any

from worldline.languages.python.rewrite.source_layout import line_segment


@dataclass(frozen=True, slots=True)
class OutputLine:
    """A new line.

    Attributes:
        depth: its depth of nested blocks, relative to its statement.
        text: its text.
        origin: the original line that it stands for.
    """

    depth: int
    text: str
    origin: int


class UnparseError(Exception):
    """The text of a node would not have the same meaning."""


def unparse_line(node: ast.AST, source: tuple[str, ...]) -> str:
    """The text of a statement on one line.

    x = f(0xFF, "a") as a tree -> 'x = f(0xFF, "a")'
    """
    try:
        text = _statement_text(_with_source_spelling(node, source))
    except ValueError as error:
        raise UnparseError(str(error)) from None
    if "\n" in text:
        raise UnparseError("it would take several lines")
    return text


def _statement_text(node: ast.AST) -> str:
    """Like `ast.unparse`, but without parentheses around an assigned or returned tuple."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return " = ".join(map(_without_parentheses, [*targets, value]))
        case ast.Return(value=ast.Tuple() as value):
            return f"return {_without_parentheses(value)}"
        case ast.Expr(value=ast.Yield() | ast.YieldFrom() as value):
            return _without_parentheses(value)
        case ast.For(target=target, iter=source):
            return f"for {_without_parentheses(target)} in {ast.unparse(source)}:"
    return ast.unparse(node)


def _without_parentheses(node: ast.expr) -> str:
    if isinstance(node, ast.Yield | ast.YieldFrom):
        return ast.unparse(node).removeprefix("(").removesuffix(")")
    if not isinstance(node, ast.Tuple) or not node.elts:
        return ast.unparse(node)
    inside = ", ".join(map(ast.unparse, node.elts))
    return f"{inside}," if len(node.elts) == 1 else inside


def _with_source_spelling(node: Any, source: tuple[str, ...]) -> Any:
    """Copy a tree, with the source text in place of constants and whole f-strings."""
    if isinstance(node, list):
        return [_with_source_spelling(each, source) for each in node]
    if isinstance(node, ast.Constant | ast.JoinedStr):
        return _source_spelling(node, source)
    # `(5).real` needs its parentheses, which `ast.unparse` adds.
    base = node.value if isinstance(node, ast.Attribute) else None
    is_signed_number = isinstance(base, ast.Constant) and not isinstance(base.value, str)
    if not isinstance(node, ast.AST) or is_signed_number:
        return node
    copied = type(node)(
        **{name: _with_source_spelling(value, source) for name, value in ast.iter_fields(node)}
    )
    return ast.copy_location(copied, node) if hasattr(node, "lineno") else _with_line(copied)


def _with_line(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.stmt):
        node.lineno = 0
    return node


def _source_spelling(node: ast.Constant | ast.JoinedStr, source: tuple[str, ...]) -> ast.expr:
    text = line_segment(node, source)
    if text is not None and _parses_to(text, node):
        return ast.Name(text, ast.Load())
    if isinstance(node, ast.JoinedStr) and not _parses_to(ast.unparse(node), node):
        raise UnparseError("ast.unparse cannot write its f-string")
    return node


def _parses_to(text: str, node: ast.expr) -> bool:
    try:
        return ast.dump(ast.parse(text, mode="eval").body) == ast.dump(node)
    except (SyntaxError, ValueError):
        return False
