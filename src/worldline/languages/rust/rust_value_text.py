"""Text of Rust values, as Debug writes them."""

from worldline.languages.rust.rust_literals import ValueNode

_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", "\0": "\\0"}


def write_value(node: ValueNode, *, is_canonical: bool = False) -> str:
    """The text of a value.

    Args:
        node: The value.
        is_canonical: Whether whole numbers are written without a fraction, sets and maps in order,
            and empty ones alike, so that values that are the same have the same text.
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
        case "unit":
            return "()"
        case "opaque":
            return "<opaque>" if is_canonical else str(node.value)
        case "range":
            return f"{texts[0]}{node.name}{''.join(texts[1:])}"
        case "list":
            return f"[{', '.join(texts)}]"
        case "tuple":
            return f"({', '.join(texts)}{',' * (len(texts) == 1)})"
        case "struct" if node.keys:
            names = (str(key.value) for key in node.keys)
            fields = (f"{name}: {text}" for name, text in zip(names, texts, strict=True))
            return f"{node.name} {{ {', '.join(fields)} }}"
        case "struct":
            return f"{node.name}({', '.join(texts)})" if texts else node.name
        case "map":
            texts = [f"{key}: {text}" for key, text in zip(keys, texts, strict=True)]
    return f"{{{', '.join(sorted(texts) if is_canonical else texts)}}}"


def quote(value: str, *, mark: str = '"') -> str:
    """A string as Debug writes it."""
    return f"{mark}{''.join(_escape(char, mark) for char in value)}{mark}"


def _escape(char: str, mark: str) -> str:
    if char == mark:
        return f"\\{char}"
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isprintable() else f"\\u{{{ord(char):x}}}"


def number_text(value: object, *, is_canonical: bool = False) -> str:
    """The text of a number: 1, 0.5, -0.0, NaN, inf, 1e16."""
    if not isinstance(value, float):
        return str(value)
    is_integer = value.is_integer() and abs(value) < 2**53 and repr(value) != "-0.0"
    if is_canonical and is_integer:
        return str(int(value))
    mantissa, mark, exponent = repr(value).replace("nan", "NaN").partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}" if mark else mantissa
