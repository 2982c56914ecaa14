"""Statements of C++ source, from its tokens.

A line table has a row for every line of an expression. The recorder shows a statement on the line
on which it begins; a line that only closes a block, or begins a `try`, has no statement.
"""

from collections.abc import Sequence

from worldline.core.trace import words
from worldline.languages.cpp.cpp_blocks import WORDS, Source, read_source
from worldline.languages.source_tokens import Token

_HEADERS = words("if for while switch")
_LABELS = words("case default public private protected")
_TYPES = words("struct class union enum namespace")


def statement_lines(text: str) -> dict[int, int]:
    """The line on which the statement of a line begins; only lines with a statement.

    "int f() {\\n  return g(1,\\n    2);\\n}" -> {1: 1, 2: 2, 3: 2}
    """
    source = read_source(text)
    return _lines(source.tokens, _statement_starts(source))


def loop_lines(text: str) -> frozenset[int]:
    """The lines of loops whose body is on the same line.

    "while (x) x--;" -> {1}
    """
    source = read_source(text)
    tokens = source.tokens
    lines = set()
    for index, token in enumerate(tokens[:-1]):
        if token.kind != "name" or token.text not in ("for", "while", "do"):
            continue
        end = index if token.text == "do" else source.closing.get(index + 1, index)
        body = end + 1 if tokens[min(end + 1, len(tokens) - 1)].text != "{" else end + 2
        if body < len(tokens) and tokens[body].line == tokens[end].line:
            lines.add(token.line)
    return frozenset(lines)


def _statement_starts(source: Source) -> list[int]:
    """For every token the index of the token that begins its statement; -1 for none."""
    starts = [-1] * len(source.tokens)
    _fill(source, 0, len(source.tokens), starts)
    return starts


def _fill(
    source: Source,
    begin: int,
    end: int,
    starts: list[int],
) -> None:
    """Set the starts of the tokens between two indices, which are the inside of a block."""
    index = begin
    while index < end:
        index = _fill_statement(source, index, end, starts)


def _fill_statement(
    source: Source,
    index: int,
    end: int,
    starts: list[int],
) -> int:
    """Set the starts of one statement; the result is the index after it."""
    tokens, closing, blocks = source.tokens, source.closing, source.blocks
    first = tokens[index].text
    if index in blocks:
        _fill(source, index + 1, closing[index], starts)
        return closing[index] + 1
    if first in WORDS or first in ("}", ";"):
        return index + 1
    if first == "catch" and tokens[min(index + 1, end - 1)].text == "(":
        return closing.get(index + 1, index) + 1
    if tokens[index].kind == "name" and tokens[min(index + 1, end - 1)].text == ":":
        return index + 2
    if first in _LABELS:
        while index < end and tokens[index].text not in (":", ";"):
            index += 1
        return index + 1
    start = index
    is_header = first in _HEADERS
    is_type = first in _TYPES
    while index < end:
        token = tokens[index]
        if index in blocks:
            _fill(source, index + 1, closing[index], starts)
            after = closing[index] + 1
            is_lambda = not is_type and _is_inside_expression(source, start, index)
            starts[closing[index]] = start if is_lambda else -1
            index = after
            if not is_lambda:
                return index
            continue
        starts[index] = start
        if token.text in ("(", "[", "{") and token.kind == "mark" and index in closing:
            _fill_brackets(source, index, starts, start)
            index = closing[index]
            if is_header and token.text == "(":
                return index + 1
        elif token.text == ";" and token.kind == "mark":
            return index + 1
        index += 1
    return index


def _fill_brackets(
    source: Source,
    opening: int,
    starts: list[int],
    start: int,
) -> None:
    """Set the starts inside brackets of an expression; bodies of lambdas have their own."""
    closing, blocks = source.closing, source.blocks
    index = opening
    while index <= closing[opening]:
        starts[index] = start
        if index in blocks:
            _fill(source, index + 1, closing[index], starts)
            index = closing[index]
            starts[index] = start
        index += 1


def _is_inside_expression(source: Source, start: int, brace: int) -> bool:
    """Whether a block is the body of a lambda in a longer statement, not of a function."""
    tokens, closing = source.tokens, source.closing
    index = start
    while index < brace:
        token = tokens[index]
        if token.kind == "mark" and token.text in ("=", "[") and index != start:
            return True
        if token.kind == "name" and token.text in ("return", "operator"):
            return token.text == "return"
        index = closing.get(index, index) + 1 if token.text in ("(", "{") else index + 1
    return False


def _lines(tokens: Sequence[Token], starts: Sequence[int]) -> dict[int, int]:
    """The line on which the statement of a line begins."""
    result: dict[int, int] = {}
    for index, start in enumerate(starts):
        if start < 0:
            continue
        line = tokens[index].line
        # A statement that begins on a line wins over the end of another one.
        if line not in result or start == index:
            result[line] = tokens[start].line
    return result
