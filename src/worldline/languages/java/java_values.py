"""Values of Java as text, in its own notation; implements `ValueSyntax`.

The order of maps and sets does not count, as in Java's `equals`: that of hash tables is not stated
by the language.
"""

import re
from functools import lru_cache
from typing import Any

from worldline.core.language import Comparison, Leaf, ValueKind
from worldline.core.trace import SHORTENED_MARK
from worldline.languages.java.java_value_parser import Node, NodeKind, parse_value
from worldline.languages.java.java_value_writer import quote, write_value

NULL = "null"
_SHORTENED = re.compile(rf"{SHORTENED_MARK}(?:more than )?\d+ (?:characters|items)>\Z")
# Objects of which a model can predict nothing: those of the JDK without a notation, and lambdas.
_OPAQUE = re.compile(r"<[^<>]*>")
# `Object.toString`: the name of a class, or the code of an array, and the identity hash.
_IDENTITY_HASH = re.compile(
    r"(?<![\w.@$])((?:[a-z_]\w*\.)*[A-Z][\w$]*|\[+(?:[BCDFIJSZ]|L[\w.$]+;))@[0-9a-f]{4,8}(?!\w)"
)
_KINDS: dict[NodeKind, ValueKind] = {
    "string": "str",
    "char": "str",
    "int": "int",
    "float": "float",
    "boolean": "bool",
    "null": "None",
    "list": "list",
    "set": "set",
    "map": "dict",
    "entry": "tuple",
    "tuple": "tuple",
}
_STARTS: dict[str, ValueKind] = {
    **dict.fromkeys("'\"", "str"),
    "[": "list",
    "{": "dict",
    **dict.fromkeys("0123456789", "int"),
}
_ROUNDING = 1e-6


def compare_values(actual: str, predicted: str) -> Comparison:
    """Compare an actual value with a predicted one.

    '[1, 2]', 'List.of(1L, 2L)' -> the same, by "spelling"; '{"a"=1, "b"=2}', '{"b"=2, "a"=1}' ->
    the same; "1", "1.0" -> not the same
    """
    if actual == predicted:
        return Comparison(True)
    if is_opaque(actual):
        return Comparison(True, "opaque")
    if _SHORTENED.search(actual):
        is_same = may_start_value(actual, predicted)
        return Comparison(is_same, "shortened" if is_same else None)
    left, right = without_identity_hashes(actual), without_identity_hashes(predicted)
    if left == right:
        return Comparison(True, "addresses")
    if canonical_value(left) == canonical_value(right):
        return Comparison(True, "spelling")
    return Comparison(False)


def without_identity_hashes(value: str) -> str:
    """Remove what no model can predict: '"A@3eb1f"' -> '"A@"'; '"bob@3eb1f"' is not changed."""
    return _IDENTITY_HASH.sub(r"\1@", value) if "@" in value else value


@lru_cache(maxsize=8192)
def canonical_value(value: str) -> str:
    """The same text for values that are the same: `List.of("a")` -> `["a"]`."""
    if is_opaque(value):
        return "<opaque>"
    value = without_identity_hashes(value)
    node = parse_value(value)
    return value if node is None else write_value(node, is_sorted=True)


def is_opaque(value: str) -> bool:
    """Whether nothing of a value can be predicted: a lambda, an iterator, a random generator."""
    return _OPAQUE.fullmatch(value) is not None


def may_start_value(actual: str, start: str) -> bool:
    """Whether a text may be the start of an actual value, or continue a shortened one."""
    if is_opaque(actual):
        return True
    kept = _SHORTENED.sub("", actual)
    is_shortened = kept != actual
    # A model may use other spaces.
    left, right = (re.sub(r"\s", "", text) for text in (kept, start))
    common = min(len(left), len(right))
    if not is_shortened and len(right) > len(left):
        return False
    return left[:common] == right[:common]


def answers_equal(expected: str, answer: str) -> bool:
    """Whether an answer is correct, as by `equals`, or by `==` of numbers.

    '{"a"=1}', 'Map.of("a", 1L)' -> True; "1", "1.0" -> True; '"1"', "1" -> False
    """
    if expected.strip() == answer.strip():
        return True
    left, right = parse_value(expected.strip()), parse_value(answer.strip())
    if left is None or right is None:
        return False
    return _numeric(left) == _numeric(right)


def _numeric(node: Node) -> str:
    """A text in which equal numbers are the same, whatever their types."""
    return write_value(node, is_sorted=True, has_number_types=False)


def results_equal(actual: str, answer: str) -> bool:
    """Whether an answer is what the program returned."""
    return compare_values(actual, answer).is_same or answers_equal(actual, answer)


def is_reference_of(actual: str, reference: str) -> bool:
    """Whether a benchmark's value is what the program returned, up to the rounding of floats."""
    if results_equal(actual, reference):
        return True
    left, right = parse_value(actual), parse_value(reference)
    return left is not None and right is not None and _is_close(left, right)


def _is_close(left: Node, right: Node) -> bool:
    if isinstance(left.value, float) and isinstance(right.value, int | float):
        return abs(left.value - right.value) < _ROUNDING
    if left.kind == right.kind == "list" and len(left.items) == len(right.items):
        return all(map(_is_close, left.items, right.items))
    return _numeric(left) == _numeric(right)


def value_kind(value: str) -> ValueKind:
    """The kind of a value.

    '"a"', "'a'" -> "str"; "-1" -> "int"; "{}" -> "dict"; "Point[x=1]" -> "object"; "" -> "missing"
    """
    if not value:
        return "missing"
    node = parse_value(value)
    if node is None:
        return _STARTS.get(value.lstrip("-")[0:1], "object")
    return _KINDS.get(node.kind, "object")


def first_leaf(actual: str, predicted: str) -> Leaf:
    """The innermost position of the first difference, with the values there.

    '[1, {"a"="x"}]', '[1, {"a"="y"}]' -> Leaf('[1]["a"]', "str", '"x"', '"y"')
    """
    left, right = parse_value(actual), parse_value(predicted)
    if left is None or right is None:
        return Leaf("", value_kind(actual), actual, predicted)
    path, a, b = _descend(left, right, "")
    kind = _KINDS.get(a.kind, "object")
    if not path:
        return Leaf("", kind, actual, predicted)
    return Leaf(path, kind, write_value(a), write_value(b))


def _descend(left: Node, right: Node, path: str) -> tuple[str, Node, Node]:
    """Follow the first difference inwards while both sides have the same shape."""
    is_same_shape = (left.kind, left.name, left.keys, len(left.items)) == (
        right.kind,
        right.name,
        right.keys,
        len(right.items),
    )
    if left.kind in ("list", "map", "object", "tuple", "entry") and is_same_shape:
        for index, (a, b) in enumerate(zip(left.items, right.items, strict=True)):
            if write_value(a) != write_value(b):
                key = write_value(left.keys[index]) if left.keys else str(index)
                place = f".{key}" if left.kind == "object" else f"[{key}]"
                return _descend(a, b, path + place)
    return path, left, right


def string_items(value: str) -> frozenset[str]:
    """All strings in a container, as text: '{"a"=["b", 1]}' -> "a", "b"."""
    node = parse_value(value)
    if node is None or node.kind in ("string", "construction"):
        return frozenset()
    return frozenset(quote(text) for text in _strings(node))


def _strings(node: Node) -> list[str]:
    own = [str(node.value)] if node.kind == "string" else []
    return [*own, *(text for child in (*node.keys, *node.items) for text in _strings(child))]


def parse_literal(text: str) -> Any:
    """The Python value of a literal: '{"a"=[1, null]}' -> {"a": [1, None]}.

    Raises:
        ValueError: The text is not a literal of strings, numbers, booleans, lists and maps.
    """
    node = parse_value(text.strip())
    if node is None:
        raise ValueError("not a literal")
    return _to_python(node)


def _to_python(node: Node) -> Any:
    if node.kind in ("string", "char", "int", "float", "boolean", "null"):
        return node.value
    if node.kind == "list":
        return [_to_python(item) for item in node.items]
    if node.kind == "tuple":
        return tuple(_to_python(item) for item in node.items)
    if node.kind == "map":
        pairs = zip(node.keys, node.items, strict=True)
        try:
            return {_to_python(key): _to_python(item) for key, item in pairs}
        except TypeError as error:  # a list as a key
            raise ValueError("not a literal") from error
    raise ValueError("not a literal")
