"""Writer of Java values, in the notation of the recorder."""

from worldline.languages.java.java_value_parser import Node

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def write_value(node: Node, *, is_sorted: bool = False, has_number_types: bool = True) -> str:
    """The text of a value, as the recorder writes it.

    Args:
        node: The value.
        is_sorted: Whether the items of maps and sets are sorted.
        has_number_types: Whether 1 and 1.0 are written differently.
    """

    def write(each: Node) -> str:
        return write_value(each, is_sorted=is_sorted, has_number_types=has_number_types)

    texts = [write(item) for item in node.items]
    match node.kind:
        case "string":
            return quote(str(node.value))
        case "char":
            return quote(str(node.value), mark="'")
        case "int" | "float":
            return number_text(node.value, has_type=has_number_types)
        case "boolean":
            return "true" if node.value else "false"
        case "null":
            return "null"
        case "list":
            return f"[{', '.join(texts)}]"
        case "set":
            return f"Set[{', '.join(sorted(texts) if is_sorted else texts)}]"
        case "map":
            pairs = [f"{write(key)}={text}" for key, text in zip(node.keys, texts, strict=True)]
            return f"{{{', '.join(sorted(pairs) if is_sorted else pairs)}}}"
        case "entry":
            return f"{write(node.keys[0])}={texts[0]}"
        case "tuple":
            return f"{node.name}[{', '.join(texts)}]"
        case "object":
            return _object_text(node, texts)
        case "construction" if node.name.startswith("Optional"):
            return f"{node.name}[{', '.join(texts)}]"
        case "construction":
            return f"new {node.name}({', '.join(texts)})"
    return str(node.value)


def _object_text(node: Node, texts: list[str]) -> str:
    pairs = [f"{key.value}={text}" for key, text in zip(node.keys, texts, strict=True)]
    if node.name.endswith("[]"):
        return f"{node.name[:-2]}[{', '.join(pairs)}]"
    return f"{node.name}{{{', '.join(pairs)}}}"


def quote(value: str, *, mark: str = '"') -> str:
    """A literal as the recorder writes it, without escapes that do not matter here."""
    escaped = "".join(_ESCAPES.get(char, char) for char in value).replace(mark, f"\\{mark}")
    return f"{mark}{escaped}{mark}"


def number_text(value: object, *, has_type: bool = True) -> str:
    """The text of a number: 1, 0.5, -0.0, NaN, Infinity; without its type, 1.0 is 1."""
    if isinstance(value, int):
        return str(value)
    assert isinstance(value, float)
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return str(int(value)) if not has_type and value.is_integer() else repr(value)
