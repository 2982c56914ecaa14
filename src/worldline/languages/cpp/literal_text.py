"""Text of C++ values, as the recorder writes them."""

from worldline.languages.cpp.cpp_literals import LiteralNode

_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}


def write_value(node: LiteralNode, *, is_canonical: bool = False) -> str:
    """The text of a value.

    Args:
        node: The value.
        is_canonical: Whether containers are written without names, whole numbers without a
            fraction, and sets and maps in order, so that values that are the same have the same
            text.
    """
    texts = [write_value(item, is_canonical=is_canonical) for item in node.items]
    keys = [write_value(key, is_canonical=is_canonical) for key in node.keys]
    match node.kind:
        case "string":
            return quote(str(node.value))
        case "char":
            return quote(str(node.value), mark="'")
        case "number":
            return number_text(node.value, is_canonical=is_canonical)
        case "boolean":
            return "true" if node.value else "false"
        case "null":
            return "nullptr"
        case "opaque":
            return "<opaque>" if is_canonical else str(node.value)
        case "constant":
            return str(node.value)
        case "object" if node.name == "&":
            return f"&{texts[0]}"
        case "object" if keys and not is_canonical:
            fields = (f".{key} = {text}" for key, text in zip(keys, texts, strict=True))
            return f"{node.name}{{{', '.join(fields)}}}"
        case "map":
            texts = [f"{{{key}, {text}}}" for key, text in zip(keys, texts, strict=True)]
    if is_canonical and node.kind in ("map", "set"):
        texts.sort()
    if is_canonical:
        return f"{{{', '.join(texts)}}}"
    prefix = f"std::{node.name}" if node.kind in ("map", "set", "tuple") else node.name
    return f"{prefix}{{{', '.join(texts)}}}"


def quote(value: str, *, mark: str = '"') -> str:
    """A string literal as the recorder writes it."""
    return f"{mark}{''.join(_escape(char, mark) for char in value)}{mark}"


def _escape(char: str, mark: str) -> str:
    if char == mark:
        return f"\\{char}"
    if char == "\0" and mark == "'":
        return "\\0"
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))


def number_text(value: object, *, is_canonical: bool = False) -> str:
    """The text of a number: 1, 0.5, -0.0, nan, inf."""
    if isinstance(value, float):
        is_integer = value.is_integer() and abs(value) < 2**53 and repr(value) != "-0.0"
        return str(int(value)) if is_canonical and is_integer else repr(value)
    return str(value)
