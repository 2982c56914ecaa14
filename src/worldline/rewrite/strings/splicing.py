"""Operations and the names of their functions go in; the changes of the text come out.

No change takes a line's end away or brings one, so that all lines stay where they are.
"""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from worldline.rewrite.strings.functions import REVERSED
from worldline.rewrite.strings.layout import Layout, Token
from worldline.rewrite.strings.operation import Found


@dataclass(frozen=True, slots=True)
class Splice:
    """New text for what stands from `start` to before `stop`.

    Where several are at one place, `order` says which comes first: what closes an operation, the
    inner before the outer; what opens one, the outer before the inner; what replaces something.
    """

    start: int
    stop: int
    text: str
    order: tuple[int, int] = (2, 0)


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """A text with all changes made."""
    pieces = []
    done = 0
    for each in sorted(splices, key=lambda each: (each.start, each.order)):
        pieces += [text[done : each.start], each.text]
        done = each.stop
    return "".join([*pieces, text[done:]])


def splices_for(found: Found, name: str, number: int, layout: Layout) -> list[Splice] | None:
    """The changes that make an operation the call of a function; none where it is written in a way
    that is not known here. `number`: outer operations have lower ones than those within.

    text.count('a') -> string_count(text, 'a')
    """
    node = found.node
    inner = _inside(found, layout)
    if inner is None:
        return None
    opened, closed = f"{name}(", ""
    if isinstance(node, ast.Compare):
        opened, closed = f"{'not ' * isinstance(node.ops[0], ast.NotIn)}{opened}", ")"
    if found.guarded:
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Attribute)
        receiver = layout.segment(node.func.value)
        opened = f"({opened}"
        closed = f" if type({receiver}) is str else {layout.segment(node)})"
    start, stop = layout.start(node), layout.stop(node)
    # `return'a'.upper()`: a name must not grow together with what stands before it.
    if start > 0 and (layout.text[start - 1].isalnum() or layout.text[start - 1] == "_"):
        opened = f" {opened}"
    return [
        Splice(start, start, opened, (1, number)),
        *inner,
        Splice(stop, stop, closed, (0, -number)),
    ]


def _inside(found: Found, layout: Layout) -> list[Splice] | None:
    """The changes between an operation's first and last character."""
    match found.node:
        case ast.Call() as node:
            return _call(node, layout)
        case ast.Compare() as node:
            return _contains(node, layout)
        case ast.Subscript() as node:
            return _slice(node, layout, backwards=found.function == REVERSED)
        case _:
            return None


def _call(node: ast.Call, layout: Layout) -> list[Splice] | None:
    """text.count(a) -> text, a)"""
    assert isinstance(node.func, ast.Attribute)
    tokens = layout.between(layout.stop(node.func.value), layout.stop(node))
    dot = next((at for at, each in enumerate(tokens) if each.text != ")"), 0)
    if [each.text for each in tokens[dot : dot + 3]] != [".", node.func.attr, "("]:
        return None
    bracket = tokens[dot + 2]
    arguments = [*node.args, *node.keywords]
    # A lone generator expression has the call's brackets for its own.
    bare = any(
        isinstance(each, ast.GeneratorExp) and layout.start(each) == bracket.start
        for each in node.args
    )
    first = ", (" if bare else ", " if arguments else ""
    splices = _replaced(tokens[dot : dot + 3], first, layout)
    if bare:
        stop = layout.stop(node)
        splices.append(Splice(stop - 1, stop - 1, ")"))
    return splices


def _contains(node: ast.Compare, layout: Layout) -> list[Splice] | None:
    """a in b -> a, b"""
    right = node.comparators[0]
    gap = layout.between(layout.stop(node.left), layout.start(right))
    words = [each for each in gap if each.text not in ("(", ")")]
    if [each.text for each in words] not in (["in"], ["not", "in"]):
        return None
    return _replaced(words, ", ", layout)


def _slice(node: ast.Subscript, layout: Layout, *, backwards: bool) -> list[Splice] | None:
    """text[a:] -> text, a, None)"""
    assert isinstance(node.slice, ast.Slice)
    tokens = layout.between(layout.stop(node.value), layout.stop(node))
    opening = next((at for at, each in enumerate(tokens) if each.text != ")"), 0)
    inside = tokens[opening:]
    if not inside or inside[0].text != "[" or inside[-1].text != "]":
        return None
    if backwards:
        return _replaced(inside, ")", layout)
    signs = [inside[0], *_colons(inside)]
    if len(signs) not in (2, 3):
        return None
    parts = [node.slice.lower, node.slice.upper, node.slice.step]
    splices: list[Splice] = []
    for sign, part, number in zip(signs, parts, range(3), strict=False):
        if number == 2 and part is None:
            splices += _replaced([sign], "", layout)
        else:
            splices += _replaced([sign], ", " if part is not None else ", None", layout)
    return [*splices, *_replaced([inside[-1]], ")", layout)]


def _colons(inside: tuple[Token, ...]) -> list[Token]:
    """The colons of a slice: those in no further brackets."""
    depth = 0
    found = []
    for each in inside:
        if each.text in ("(", "[", "{"):
            depth += 1
        elif each.text in (")", "]", "}"):
            depth -= 1
        elif each.text == ":" and depth == 1:
            found.append(each)
    return found


def _replaced(tokens: Sequence[Token], text: str, layout: Layout) -> list[Splice]:
    """New text for some tokens that follow each other, and the blanks around; where they stand on
    several lines, in place of the last one."""
    start, stop = tokens[0].start, tokens[-1].stop
    source = layout.text
    if "\n" in source[start:stop]:
        gone = [Splice(each.start, each.stop, "") for each in tokens[:-1]]
        return [*gone, Splice(tokens[-1].start, stop, text)]
    before = source[:start].rstrip(" ")
    if not before.endswith("\n"):
        start = len(before)
    after = stop + len(source[stop:]) - len(source[stop:].lstrip(" "))
    if source[after] == "\n":
        text = text.rstrip()
    elif source[after] not in "#\\":
        stop = after
    return [Splice(start, stop, text)]
