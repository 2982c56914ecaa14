"""Text of strings, characters and floating-point numbers, as C++ writes them."""

_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", "\0": "\\0"}


def quote(data: bytes) -> str:
    r"""A string literal: b"a\n" -> "a\n" with an escape."""
    text = data.decode("utf-8", "surrogateescape")
    return '"' + "".join(_escape(char, '"') for char in text) + '"'


def quote_char(code: int) -> str:
    """A character literal: 97 -> 'a'"""
    return f"'{_escape(chr(code), chr(39))}'" if code < 0x80 else f"'\\{code & 0xFF:03o}'"


def _escape(char: str, mark: str) -> str:
    if char == mark:
        return f"\\{char}"
    if char == "\0" and mark == '"':
        return "\\000"
    if char in _ESCAPES:
        return _ESCAPES[char]
    return (
        char
        if char.isprintable()
        else "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
    )


def float_text(value: float) -> str:
    """A double: 1.0, 0.1, inf, nan."""
    return repr(value)
