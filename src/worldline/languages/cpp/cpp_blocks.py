"""Brackets of C++ source, and the braces that contain statements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldline.core.trace import words
from worldline.languages.cpp.cpp_tokens import tokenize
from worldline.languages.source_tokens import Token

# After these, a brace begins a list of values.
_BEFORE_LIST = words("= ( , [ return + - * / % << < ? == != && || += { co_return co_yield throw")
# Words that are no statements by themselves.
WORDS = words("else do try")


@dataclass(frozen=True, slots=True)
class Source:
    """Tokens of a text with their brackets.

    Attributes:
        tokens: The tokens.
        closing: The index of the closing bracket of every opening one.
        blocks: The indices of braces that contain statements or declarations, not values.
    """

    tokens: tuple[Token, ...]
    closing: Mapping[int, int]
    blocks: frozenset[int]


@lru_cache(maxsize=64)
def read_source(text: str) -> Source:
    """Read the tokens, brackets and blocks of a text."""
    tokens = tokenize(text)
    closing = _closing(tokens)
    return Source(tokens, closing, frozenset(_blocks(tokens, closing)))


def _closing(tokens: Sequence[Token]) -> dict[int, int]:
    """The index of the closing bracket of every opening one."""
    result, stack = {}, []
    for index, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in "([{":
            stack.append(index)
        elif token.text in ")]}" and stack:
            result[stack.pop()] = index
    return result


def _blocks(tokens: Sequence[Token], closing: dict[int, int]) -> set[int]:
    """The indices of braces that contain statements or declarations, not values."""
    blocks: set[int] = set()
    # Inner braces first: a brace that contains a block is one, too.
    for opening in sorted((n for n in closing if tokens[n].text == "{"), reverse=True):
        before = tokens[opening - 1] if opening else None
        if before is not None and before.kind != "string" and before.text in _BEFORE_LIST:
            is_statement = before.text == "{" and _has_direct(tokens, closing, opening, blocks)
            if not is_statement:
                continue
        if (
            before is None
            or before.text in (")", ";", "}", *WORDS)
            or _has_direct(tokens, closing, opening, blocks)
        ):
            blocks.add(opening)
    return blocks


def _has_direct(
    tokens: Sequence[Token], closing: dict[int, int], opening: int, blocks: set[int]
) -> bool:
    """Whether a semicolon or a block is directly inside a brace."""
    index = opening + 1
    while index < closing[opening]:
        if tokens[index].kind == "mark" and tokens[index].text == ";":
            return True
        if index in blocks:
            return True
        index = closing.get(index, index) + 1
    return False
