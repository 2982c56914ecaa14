"""Tokens of Java source, without comments."""

import re
from collections.abc import Iterator
from functools import lru_cache

from worldline.languages.source_tokens import Token

LINE_END = re.compile(r"\r\n|[\n\r]")
_TOKEN = re.compile(
    r"(?P<space>[^\S\n\r]+)|(?P<newline>\r\n|[\n\r])"
    r"|(?P<comment>//[^\n\r]*|/\*(?s:.*?)(?:\*/|\Z))"
    r"|(?P<string>\"\"\"(?s:[^\\]|\\.)*?\"\"\"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.[^'\n]*)')"
    r"|(?P<number>\.?\d(?:[\w.]|(?<=[eEpP])[+-])*)"
    r"|(?P<name>@?[^\W\d][\w$]*|\$[\w$]*)"
    r"|(?P<mark>->|::|\.\.\.|==|!=|<=|&&|\|\||\+\+|--|[-+*/%&|^]=|.)",
)


@lru_cache(maxsize=64)
def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a text; what is not Java gives one token for each character.

    `>` is always one token, so that those that end type arguments can be counted.

    "f(x) // y" -> f ( x )
    """
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "mark"
        if kind not in ("space", "newline", "comment"):
            yield Token(kind, match[0], line, match.start())
        line += len(LINE_END.findall(match[0]))
