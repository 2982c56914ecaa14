"""Text edits that turn string operations into calls of functions.

No edit removes or adds a line end, so all lines keep their numbers.
"""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from worldline.languages.python.rewrite.source_layout import SourceLayout, Token
from worldline.languages.python.rewrite.strings.discovery import Candidate
from worldline.languages.python.rewrite.strings.templates import REVERSED


@dataclass(frozen=True, slots=True)
class TextEdit:
    """New text for the range from `start` to before `stop`.

    Edits at the same offset are sorted by `order`: first the ends of operations, inner before
    outer; then the starts, outer before inner; then replacements.
    """

    start: int
    stop: int
    text: str
    order: tuple[int, int] = (2, 0)


def apply_text_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Apply all edits to a text."""
    parts = []
    position = 0
    for each in sorted(edits, key=lambda each: (each.start, each.order)):
        parts += [text[position : each.start], each.text]
        position = each.stop
    return "".join([*parts, text[position:]])


def edits_for(
    candidate: Candidate, name: str, number: int, layout: SourceLayout
) -> list[TextEdit] | None:
    """Return the edits that turn an operation into the call of a function.

    text.count('a') -> string_count(text, 'a')

    Args:
        candidate: the operation.
        name: the name of the function.
        number: the position of the operation; outer operations come before inner ones.
        layout: the layout of the program.

    Returns:
        None if the layout of the operation is not supported.
    """
    node = candidate.node
    inner = _inner_edits(candidate, layout)
    if inner is None:
        return None
    opening, closing = f"{name}(", ""
    if isinstance(node, ast.Compare):
        opening, closing = f"{'not ' * isinstance(node.ops[0], ast.NotIn)}{opening}", ")"
    if candidate.is_guarded:
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Attribute)
        receiver = layout.segment(node.func.value)
        opening = f"({opening}"
        closing = f" if type({receiver}) is str else {layout.segment(node)})"
    start, stop = layout.start(node), layout.stop(node)
    # `return'a'.upper()`: the name must not be joined to the word before it.
    if start > 0 and (layout.text[start - 1].isalnum() or layout.text[start - 1] == "_"):
        opening = f" {opening}"
    return [
        TextEdit(start, start, opening, (1, number)),
        *inner,
        TextEdit(stop, stop, closing, (0, -number)),
    ]


def _inner_edits(candidate: Candidate, layout: SourceLayout) -> list[TextEdit] | None:
    """Edits between the first and the last character of an operation."""
    match candidate.node:
        case ast.Call() as node:
            return _call_edits(node, layout)
        case ast.Compare() as node:
            return _contains_edits(node, layout)
        case ast.Subscript() as node:
            return _slice_edits(node, layout, is_reversed=candidate.function == REVERSED)
        case _:
            return None


def _call_edits(node: ast.Call, layout: SourceLayout) -> list[TextEdit] | None:
    """text.count(a) -> text, a)"""
    assert isinstance(node.func, ast.Attribute)
    tokens = layout.tokens_between(layout.stop(node.func.value), layout.stop(node))
    dot = next((at for at, each in enumerate(tokens) if each.text != ")"), 0)
    if [each.text for each in tokens[dot : dot + 3]] != [".", node.func.attr, "("]:
        return None
    bracket = tokens[dot + 2]
    arguments = [*node.args, *node.keywords]
    # A single generator expression shares the parentheses of the call.
    is_bare_generator = any(
        isinstance(each, ast.GeneratorExp) and layout.start(each) == bracket.start
        for each in node.args
    )
    first = ", (" if is_bare_generator else ", " if arguments else ""
    edits = _replace_tokens(tokens[dot : dot + 3], first, layout)
    if is_bare_generator:
        stop = layout.stop(node)
        edits.append(TextEdit(stop - 1, stop - 1, ")"))
    return edits


def _contains_edits(node: ast.Compare, layout: SourceLayout) -> list[TextEdit] | None:
    """a in b -> a, b"""
    right = node.comparators[0]
    gap = layout.tokens_between(layout.stop(node.left), layout.start(right))
    words = [each for each in gap if each.text not in ("(", ")")]
    if [each.text for each in words] not in (["in"], ["not", "in"]):
        return None
    return _replace_tokens(words, ", ", layout)


def _slice_edits(
    node: ast.Subscript, layout: SourceLayout, *, is_reversed: bool
) -> list[TextEdit] | None:
    """text[a:] -> text, a, None)"""
    assert isinstance(node.slice, ast.Slice)
    tokens = layout.tokens_between(layout.stop(node.value), layout.stop(node))
    opening = next((at for at, each in enumerate(tokens) if each.text != ")"), 0)
    inside = tokens[opening:]
    if not inside or inside[0].text != "[" or inside[-1].text != "]":
        return None
    if is_reversed:
        return _replace_tokens(inside, ")", layout)
    signs = [inside[0], *_colons(inside)]
    if len(signs) not in (2, 3):
        return None
    parts = [node.slice.lower, node.slice.upper, node.slice.step]
    edits: list[TextEdit] = []
    for sign, part, number in zip(signs, parts, range(3), strict=False):
        if number == 2 and part is None:
            edits += _replace_tokens([sign], "", layout)
        else:
            edits += _replace_tokens([sign], ", " if part is not None else ", None", layout)
    return [*edits, *_replace_tokens([inside[-1]], ")", layout)]


def _colons(inside: tuple[Token, ...]) -> list[Token]:
    """Colons of a slice that are not in nested brackets."""
    depth = 0
    colons = []
    for each in inside:
        if each.text in ("(", "[", "{"):
            depth += 1
        elif each.text in (")", "]", "}"):
            depth -= 1
        elif each.text == ":" and depth == 1:
            colons.append(each)
    return colons


def _replace_tokens(tokens: Sequence[Token], text: str, layout: SourceLayout) -> list[TextEdit]:
    """Replace consecutive tokens and the blanks around them by new text.

    If they are on several lines, the text replaces the last one.
    """
    start, stop = tokens[0].start, tokens[-1].stop
    source = layout.text
    if "\n" in source[start:stop]:
        removed = [TextEdit(each.start, each.stop, "") for each in tokens[:-1]]
        return [*removed, TextEdit(tokens[-1].start, stop, text)]
    before = source[:start].rstrip(" ")
    if not before.endswith("\n"):
        start = len(before)
    after = stop + len(source[stop:]) - len(source[stop:].lstrip(" "))
    if source[after] == "\n":
        text = text.rstrip()
    elif source[after] not in "#\\":
        stop = after
    return [TextEdit(start, stop, text)]
