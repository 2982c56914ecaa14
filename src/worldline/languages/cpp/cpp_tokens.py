"""Tokens of C++ source, without comments and preprocessor lines."""

import re
from collections.abc import Iterator
from functools import lru_cache

from worldline.languages.source_tokens import Token

_TOKEN = re.compile(
    r"(?P<space>[^\S\n]+)|(?P<newline>\n)"
    r"|(?P<comment>//(?:[^\n\\]|\\(?s:.))*|/\*(?s:.*?)(?:\*/|\Z))"
    r"|(?P<string>(?:u8|[uUL])?R\"(?P<mark_of_raw>[^\s()\\]{0,16})\((?s:.*?)\)(?P=mark_of_raw)\""
    r"|(?:u8|[uUL])?\"(?:[^\"\\\n]|\\(?s:.))*\")"
    r"|(?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\(?s:.))+')"
    r"|(?P<number>\.?\d(?:[\w.]|'(?=\w)|(?<=[eEpP])[+-])*)"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<mark>::|->\*?|<=>|<<=|>>=|\.\.\.|[-+*/%&|^<>!=]=|&&|\|\||\+\+|--|<<|.)",
)
_DIRECTIVE = re.compile(r"[^\S\n]*#(?:[^\n\\]|\\(?s:.))*")


@lru_cache(maxsize=64)
def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a text; `>>` is two tokens, since it may close two templates.

    "f(x) // y" -> f ( x )
    """
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    position, line, is_line_start = 0, 1, True
    while position < len(text):
        directive = _DIRECTIVE.match(text, position) if is_line_start else None
        match = directive or _TOKEN.match(text, position)
        assert match is not None
        kind = "directive" if directive else match.lastgroup or "mark"
        part = match[0]
        if kind not in ("space", "newline", "comment", "directive"):
            yield Token(kind, part, line, position)
        is_line_start = kind == "newline" or (is_line_start and kind in ("space", "comment"))
        line += part.count("\n")
        position = match.end()
