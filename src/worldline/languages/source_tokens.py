"""Tokens of source text, and their brackets; shared by the languages without a parser."""

from collections.abc import Sequence
from dataclasses import dataclass

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(OPENING.values())


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its kind (name, number, string, mark and others), text and place."""

    kind: str
    text: str
    line: int
    start: int

    @property
    def end(self) -> int:
        """The position after it."""
        return self.start + len(self.text)


def matching_bracket(tokens: Sequence[Token], opening: int) -> int:
    """The index of the bracket that closes the one at an index; the last index if none does."""
    depth = 0
    for index in range(opening, len(tokens)):
        if tokens[index].kind == "mark":
            depth += (tokens[index].text in OPENING) - (tokens[index].text in CLOSING)
            if depth == 0:
                return index
    return len(tokens) - 1


def is_balanced(tokens: Sequence[Token]) -> bool:
    """Whether every bracket is closed by its own kind."""
    stack: list[str] = []
    for token in tokens:
        if token.kind != "mark":
            continue
        if token.text in OPENING:
            stack.append(OPENING[token.text])
        elif token.text in CLOSING and (not stack or stack.pop() != token.text):
            return False
    return not stack


def split_at(tokens: Sequence[Token], separators: frozenset[str]) -> list[Sequence[Token]]:
    """Split tokens at separators outside brackets.

    "a, f(b, c)", {","} -> "a", "f(b, c)"
    """
    parts: list[Sequence[Token]] = []
    depth = start = 0
    for index, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth == 0 and token.text in separators:
            parts.append(tokens[start:index])
            start = index + 1
    return [*parts, tokens[start:]]
