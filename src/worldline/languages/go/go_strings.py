"""String literals of Go."""

import re

_ESCAPE = re.compile(rb"\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.))")
_SHORT = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_ESCAPES = {**{char: f"\\{letter}" for letter, char in _SHORT.items()}, "\\": "\\\\"}


def unescape(literal: str) -> str:
    r"""The string of a literal, in any quotes; bytes that are not UTF-8 are lone surrogates.

    '"a\\n"' -> "a" and a newline; '`a\\n`' -> the same three characters
    """
    body = literal[1:-1]
    if literal[0] == "`" or "\\" not in body:
        return body
    data = _ESCAPE.sub(_character, body.encode("utf-8", "surrogateescape"))
    return data.decode("utf-8", "surrogateescape")


def _character(match: re.Match[bytes]) -> bytes:
    """The bytes of an escape: \\x and octal digits are bytes, \\u and \\U are characters."""
    if match[1]:
        return bytes([int(match[1], 16)])
    if match[2] or match[3]:
        code = int(match[2] or match[3], 16)
        return chr(code if code < 0x110000 else 0xFFFD).encode("utf-8", "replace")
    if match[4]:
        return bytes([int(match[4], 8) & 0xFF])
    letter = match[5].decode("utf-8", "surrogateescape")
    return _SHORT.get(letter, letter).encode("utf-8", "surrogateescape")


def quote(value: str) -> str:
    """A string literal, as strconv.Quote writes it."""
    return f'"{"".join(map(_escape, value))}"'


def _escape(char: str) -> str:
    if char == '"':
        return '\\"'
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
