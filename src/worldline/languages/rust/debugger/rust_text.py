"""Text of strings, characters and floating-point numbers, as Rust's Debug writes them."""

_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", "\0": "\\0"}


def quote(data: bytes) -> str:
    r"""A string: b"a\n" -> "a\n" with an escape."""
    text = data.decode("utf-8", "replace")
    return '"' + "".join(_escape(char, '"') for char in text) + '"'


def quote_char(code: int) -> "str | None":
    """A character: 97 -> 'a'; None if there is no such character."""
    is_valid = code < 0xD800 or 0xDFFF < code < 0x110000
    return f"'{_escape(chr(code), chr(39))}'" if is_valid else None


def _escape(char: str, mark: str) -> str:
    if char == mark:
        return f"\\{char}"
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isprintable() else f"\\u{{{ord(char):x}}}"


def float_text(text: str) -> str:
    """A number as Debug writes it, from Python's text with the same digits.

    "1e+16" -> "1e16"; "1e-05" -> "1e-5"; "nan" -> "NaN"
    """
    if text == "nan":
        return "NaN"
    mantissa, mark, exponent = text.partition("e")
    if not mark:
        return text
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
