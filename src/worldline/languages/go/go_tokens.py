"""Tokens of Go source, without comments."""

import re
from collections.abc import Iterator
from functools import lru_cache

from worldline.languages.source_tokens import Token

LINE_END = re.compile(r"\r\n|\n")
_TOKEN = re.compile(
    r"(?P<space>[^\S\n]+)|(?P<newline>\n)"
    r"|(?P<comment>//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))"
    r"|(?P<string>`[^`]*`|\"(?:[^\"\\\n]|\\.)*\")"
    r"|(?P<char>'(?:[^'\\\n]|\\.[^'\n]*)')"
    r"|(?P<number>\.?\d(?:[\w.]|(?<=[eEpP])[+-])*)"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<mark>:=|<-|\.\.\.|&\^=|<<=|>>=|==|!=|<=|>=|&&|\|\||\+\+|--|<<|>>|&\^|[-+*/%&|^]=|.)",
)


@lru_cache(maxsize=64)
def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a text; what is not Go gives one token for each character.

    "f(x) // y" -> f ( x )
    """
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "mark"
        if kind not in ("space", "newline", "comment"):
            yield Token(kind, match[0], line, match.start())
        line += match[0].count("\n")
