"""A statement of a syntax tree goes in, the text of its new line comes out; numbers and strings
keep the spelling that they have in the source."""

import ast
import copy
import tokenize
from dataclasses import dataclass

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
    spelt = _Spelling(source).visit(ast.fix_missing_locations(copy.deepcopy(node)))
    try:
        text = ast.unparse(spelt)
    except ValueError as error:
        raise CannotWriteError(str(error)) from None
    if "\n" in text:
        raise CannotWriteError("it would take several lines")
    return text


class _Spelling(ast.NodeTransformer):
    """Puts what the source has in place of constants; an f-string's are left as they are."""

    def __init__(self, source: tuple[str, ...]) -> None:
        self._source = source

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        text = segment(node, self._source)
        if text is None:
            return node
        try:
            same = ast.dump(ast.parse(text, mode="eval").body) == ast.dump(node)
        except SyntaxError:
            same = False
        return ast.Name(text, ast.Load()) if same else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        # `5.real` is not what `(5).real` is: the tree knows where to put brackets.
        if isinstance(node.value, ast.Constant) and not isinstance(node.value.value, str):
            return node
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        text = segment(node, self._source)
        if text is None:
            return node
        try:
            value = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            return node
        is_same = type(value) is type(node.value) and repr(value) == repr(node.value)
        return ast.Name(text, ast.Load()) if is_same else node


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

    `ends`: a line -> the last line of the statement, or of its header, that stands on it.
    `comments`: a line -> the comment on it. `within`: lines that begin inside a string.
    """

    source: tuple[str, ...]
    ends: dict[int, int]
    comments: dict[int, str]
    within: frozenset[int]


def layout_of(text: str, tree: ast.Module) -> Layout:
    """Look how a program that parses is laid out."""
    source = source_lines(text)
    ends: dict[int, int] = {}
    comments: dict[int, str] = {}
    first = 0
    lines = (f"{line}\n" for line in source)
    for token in tokenize.generate_tokens(lines.__next__):
        if token.type == tokenize.COMMENT:
            comments[token.start[0]] = token.string
        elif token.type == tokenize.NEWLINE:
            ends.update(dict.fromkeys(range(first, token.end[0] + 1), token.start[0]))
            first = 0
        elif token.type not in _NO_CODE:
            first = first or token.start[0]
    return Layout(source, ends, comments, frozenset(_within_strings(tree)))


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
