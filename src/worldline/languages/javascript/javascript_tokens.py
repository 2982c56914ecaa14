"""Tokens of JavaScript and TypeScript source, without comments."""

import re
from collections.abc import Iterator
from functools import lru_cache

from worldline.core.trace import words
from worldline.languages.source_tokens import Token

_TOKEN = re.compile(
    r"(?P<space>[^\S\n\r\u2028\u2029]+)|(?P<newline>\r\n|[\n\r\u2028\u2029])"
    r"|(?P<comment>//[^\n\r\u2028\u2029]*|/\*(?s:.*?)(?:\*/|\Z)|\A\#![^\n]*)"
    r"|(?P<string>'(?:[^'\\\n]|\\(?s:.))*'|\"(?:[^\"\\\n]|\\(?s:.))*\")"
    r"|(?P<number>\.?\d(?:[\w.]|(?<=[eE])[+-])*)"
    r"|(?P<name>[#@]?[^\W\d][\w$]*|[#@]?\$[\w$]*)"
    r"|(?P<mark>=>|===|!==|==|!=|\.\.\.|\?\.|[-+*/%&|^<>!?=]=|&&|\|\||\?\?|\+\+|--|.)",
)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
# After these, a slash begins a regular expression; after a value, it divides.
_BEFORE_REGEX = words("( [ { , ; : = == === != !== ! && || ?? ? + - * % & | ^ ~ < > => }")
_KEYWORDS_BEFORE_REGEX = words("return typeof case in of throw void new")


@lru_cache(maxsize=64)
def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a text; what is not JavaScript gives one token for each character.

    "f(x) // y" -> f ( x )
    """
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    position, line = 0, 1
    last: Token | None = None
    while position < len(text):
        kind, end = _next(text, position, last)
        part = text[position:end]
        if kind not in ("space", "newline", "comment"):
            last = Token(kind, part, line, position)
            yield last
        line += len(re.findall(r"\r\n|[\n\r\u2028\u2029]", part))
        position = end


def _next(text: str, position: int, last: Token | None) -> tuple[str, int]:
    """The kind and the end of the token at a position."""
    if text[position] == "`":
        return "template", _template_end(text, position)
    match = _TOKEN.match(text, position)
    assert match is not None
    kind = match.lastgroup or "mark"
    if kind == "mark" and text[position] == "/" and _may_begin_regex(last):
        regex = _REGEX.match(text, position)
        if regex is not None:
            return "regex", regex.end()
    return kind, match.end()


def _may_begin_regex(last: Token | None) -> bool:
    if last is None or last.text in _BEFORE_REGEX:
        return True
    return last.kind == "name" and last.text in _KEYWORDS_BEFORE_REGEX


def _template_end(text: str, start: int) -> int:
    """The position after a template literal, which may contain others in its expressions."""
    position, depth = start + 1, 0
    while position < len(text):
        char = text[position]
        if char == "\\":
            position += 1
        elif depth == 0 and char == "`":
            return position + 1
        elif depth == 0 and text.startswith("${", position):
            depth, position = 1, position + 1
        elif depth and char == "`":
            position = _template_end(text, position) - 1
        elif depth and char in "{}":
            depth += 1 if char == "{" else -1
        position += 1
    return len(text)
