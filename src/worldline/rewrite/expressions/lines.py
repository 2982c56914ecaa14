"""A statement of a syntax tree goes in, the text of its new line comes out; numbers and strings
keep the spelling that they have in the source."""

import ast
import tokenize
from dataclasses import dataclass
from typing import Any

from worldline.trace import source_lines


@dataclass(frozen=True, slots=True)
class Line:
    """A new line: how much deeper than its statement it stands, its text, and its origin."""

    depth: int
    text: str
    origin: int


class CannotWriteError(Exception):
    """The text of a node would not mean the same."""


def written(node: ast.AST, source: tuple[str, ...]) -> str:
    """The text of a node.

    x = f(0xFF, "a") as a tree -> 'x = f(0xFF, "a")'
    """
    try:
        text = _statement_text(_spelt(node, source))
    except ValueError as error:
        raise CannotWriteError(str(error)) from None
    if "\n" in text:
        raise CannotWriteError("it would take several lines")
    return text


def _statement_text(node: ast.AST) -> str:
    """As `ast.unparse` has it, but what is assigned or returned has no brackets of its own, on any
    Python."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return " = ".join(map(_bare, [*targets, value]))
        case ast.Return(value=ast.Tuple() as value):
            return f"return {_bare(value)}"
        case ast.Expr(value=ast.Yield() | ast.YieldFrom() as value):
            return _bare(value)
        case ast.For(target=target, iter=source):
            return f"for {_bare(target)} in {ast.unparse(source)}:"
    return ast.unparse(node)


def _bare(node: ast.expr) -> str:
    if isinstance(node, ast.Yield | ast.YieldFrom):
        return ast.unparse(node).removeprefix("(").removesuffix(")")
    if not isinstance(node, ast.Tuple) or not node.elts:
        return ast.unparse(node)
    inside = ", ".join(map(ast.unparse, node.elts))
    return f"{inside}," if len(node.elts) == 1 else inside


def _spelt(node: Any, source: tuple[str, ...]) -> Any:
    """A copy with what the source has in place of constants and whole f-strings."""
    if isinstance(node, list):
        return [_spelt(each, source) for each in node]
    if isinstance(node, ast.Constant | ast.JoinedStr):
        return _as_in_source(node, source)
    # `5.real` is not what `(5).real` is: the tree knows where to put brackets.
    base = node.value if isinstance(node, ast.Attribute) else None
    is_number = isinstance(base, ast.Constant) and not isinstance(base.value, str)
    if not isinstance(node, ast.AST) or is_number:
        return node
    made = type(node)(**{name: _spelt(value, source) for name, value in ast.iter_fields(node)})
    return ast.copy_location(made, node) if hasattr(node, "lineno") else _located(made)


def _located(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.stmt):
        node.lineno = 0
    return node


def _as_in_source(node: ast.Constant | ast.JoinedStr, source: tuple[str, ...]) -> ast.expr:
    text = segment(node, source)
    if text is not None and _means(text, node):
        return ast.Name(text, ast.Load())
    if isinstance(node, ast.JoinedStr) and not _means(ast.unparse(node), node):
        raise CannotWriteError("Python cannot write its f-string")
    return node


def _means(text: str, node: ast.expr) -> bool:
    try:
        return ast.dump(ast.parse(text, mode="eval").body) == ast.dump(node)
    except (SyntaxError, ValueError):
        return False


def segment(node: ast.expr | ast.stmt, source: tuple[str, ...]) -> str | None:
    """The text of a node that stands on one line; none for others."""
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    if first != last or not 0 < first <= len(source) or node.end_col_offset is None:
        return None
    return (
        source[first - 1].encode()[node.col_offset : node.end_col_offset].decode(errors="replace")
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """How a program's text is laid out.

    `starts`, `ends`: a line -> the first and the last line of what Python takes for one.
    `comments`: a line -> the comment on it. `within`: lines that begin inside a string.
    """

    source: tuple[str, ...]
    starts: dict[int, int]
    ends: dict[int, int]
    comments: dict[int, str]
    within: frozenset[int]


def layout_of(text: str, tree: ast.Module) -> Layout:
    """Look how a program that parses is laid out."""
    source = source_lines(text)
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    comments: dict[int, str] = {}
    first = 0
    lines = (f"{line}\n" for line in source)
    for token in tokenize.generate_tokens(lines.__next__):
        if token.type == tokenize.COMMENT:
            comments[token.start[0]] = token.string
        elif token.type == tokenize.NEWLINE:
            starts.update(dict.fromkeys(range(first, token.start[0] + 1), first))
            ends.update(dict.fromkeys(range(first, token.start[0] + 1), token.start[0]))
            first = 0
        elif token.type not in _NO_CODE:
            first = first or token.start[0]
    return Layout(source, starts, ends, comments, frozenset(_within_strings(tree)))


_NO_CODE = {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def _within_strings(node: ast.AST) -> set[int]:
    found: set[int] = set()
    for child in ast.iter_child_nodes(node):
        is_text = isinstance(child, ast.Constant) and isinstance(child.value, str | bytes)
        if isinstance(child, ast.JoinedStr | ast.Constant):
            # The parts of an f-string carry no places that could be relied on.
            if is_text or isinstance(child, ast.JoinedStr):
                found.update(range(child.lineno + 1, (child.end_lineno or child.lineno) + 1))
        else:
            found |= _within_strings(child)
    return found
