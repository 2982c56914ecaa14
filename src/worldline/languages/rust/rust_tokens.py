"""Tokens of Rust source, without comments."""

import re
from collections.abc import Iterator
from functools import lru_cache

from worldline.languages.source_tokens import Token

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>//[^\n]*)"
    r"|(?P<string>[bc]?r(?P<hashes>#*)\"(?s:.*?)\"(?P=hashes)|[bc]?\"(?:[^\"\\]|\\(?s:.))*\")"
    r"|(?P<char>b?'(?:[^'\\\n]|\\(?:u\{[^}']*\}|x[\da-fA-F]{2}|.))')"
    r"|(?P<lifetime>'[^\W\d]\w*)"
    r"|(?P<number>0[xob][\da-fA-F_]+\w*"
    r"|\d[\d_]*(?:\.\d[\d_]*|\.(?![.\w]))?(?:[eE][+-]?[\d_]+)?\w*)"
    r"|(?P<name>(?:r#)?[^\W\d]\w*)"
    r"|(?P<mark>::|->|=>|\.\.[.=]?|[-+*/%&|^<>!=]=|&&|\|\||<<=?|.)",
    re.DOTALL,
)


@lru_cache(maxsize=64)
def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a text; `>>` is two tokens, since it may close two lists of types.

    "f(x) // y" -> f ( x )
    """
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    position, line = 0, 1
    while position < len(text):
        if text.startswith("/*", position):
            end = _comment_end(text, position)
            line += text.count("\n", position, end)
            position = end
            continue
        match = _TOKEN.match(text, position)
        assert match is not None
        kind = match.lastgroup or "mark"
        if kind not in ("space", "comment"):
            yield Token(kind, match[0], line, position)
        line += match[0].count("\n")
        position = match.end()


def _comment_end(text: str, start: int) -> int:
    """The position after a block comment; block comments can be nested."""
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    return len(text)
