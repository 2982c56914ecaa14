"""Writer of Go values, in the notation of the recorder."""

from worldline.languages.go.go_strings import quote
from worldline.languages.go.go_value_parser import Node


def write_value(node: Node, *, is_elided: bool = False) -> str:
    """The text of a value, as the recorder writes it.

    Args:
        node: The value.
        is_elided: Whether a slice or map that contains it shows its type.
    """
    if node.is_nil:
        return "nil" if is_elided else f"{node.name}(nil)"
    has_known_type = node.kind in ("list", "map")
    texts = [write_value(item, is_elided=has_known_type) for item in node.items]
    name = "" if is_elided else node.name
    match node.kind:
        case "list":
            return f"{name}{{{', '.join(texts)}}}"
        case "map":
            keys = [write_value(key, is_elided=True) for key in node.keys]
            pairs = (f"{key}: {text}" for key, text in zip(keys, texts, strict=True))
            return f"{name}{{{', '.join(pairs)}}}"
        case "struct":
            fields = (f"{k.value}: {text}" for k, text in zip(node.keys, texts, strict=True))
            return f"{name}{{{', '.join(fields)}}}"
    return _simple_text(node, texts)


def canonical_text(node: Node, *, is_answer: bool = False) -> str:
    """The same text for values that are the same, whatever their types are called.

    Args:
        node: The value.
        is_answer: Whether a nil slice or map is an empty one.
    """
    if node.is_nil:
        return "{}" if is_answer else "nil"
    texts = [canonical_text(item, is_answer=is_answer) for item in node.items]
    match node.kind:
        case "list" | "struct":
            return f"{{{', '.join(texts)}}}"
        case "map":
            keys = [canonical_text(key, is_answer=is_answer) for key in node.keys]
            pairs = sorted(f"{key}: {text}" for key, text in zip(keys, texts, strict=True))
            return f"{{{', '.join(pairs)}}}"
        case "int" | "float":
            return _number_text(node.value, is_canonical=True)
        case "opaque":
            return "<opaque>"
        case "construction" if node.name == "fmt.Errorf":
            return f"errors.New({', '.join(texts)})"
    return _simple_text(node, texts)


def _simple_text(node: Node, texts: list[str]) -> str:
    match node.kind:
        case "string":
            return quote(str(node.value))
        case "int" | "float":
            return _number_text(node.value)
        case "bool":
            return "true" if node.value else "false"
        case "nil":
            return "nil"
        case "pointer":
            return f"&{texts[0]}"
        case "tuple":
            return f"({', '.join(texts)})"
        case "construction":
            return f"{node.name}({', '.join(texts)})"
    return str(node.value)


def _number_text(value: object, *, is_canonical: bool = False) -> str:
    """The text of a number: 1, 0.5, -0.0, NaN, +Inf; in canonical form, 1.0 is 1."""
    if not isinstance(value, float):
        return str(value)
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    is_integer = value.is_integer() and abs(value) < 2**53 and repr(value) != "-0.0"
    return str(int(value)) if is_canonical and is_integer else repr(value)
