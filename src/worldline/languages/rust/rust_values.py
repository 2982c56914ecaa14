"""Values of Rust as text, in the notation of Debug; implements `ValueSyntax`."""

import math
import re
import struct
from collections import Counter
from functools import lru_cache
from typing import Any

from worldline.core.language import Comparison, Leaf, ValueKind
from worldline.core.trace import SHORTENED_MARK
from worldline.languages.rust.rust_literals import ValueNode, ValueNodeKind, parse_value
from worldline.languages.rust.rust_value_text import quote, write_value

NULL = "()"
_SHORTENED = re.compile(rf"{SHORTENED_MARK}(?:more than )?\d+ (?:characters|items)>\Z")
_OPAQUE = re.compile(r"<[A-Za-z][^<>]*(?:<.*>)?>", re.DOTALL)
_KINDS: dict[ValueNodeKind, ValueKind] = {
    "string": "str",
    "char": "str",
    "boolean": "bool",
    "unit": "None",
    "list": "list",
    "tuple": "tuple",
    "map": "dict",
    "set": "set",
}
_STARTS: dict[str, ValueKind] = {
    **dict.fromkeys("'\"", "str"),
    "[": "list",
    "{": "dict",
    "(": "tuple",
    **dict.fromkeys("0123456789", "int"),
}
_ROUNDING = 1e-6


def compare_values(actual: str, predicted: str) -> Comparison:
    """Compare an actual value with a predicted one.

    "[1, 2]", "vec![1, 2]" -> the same, by "spelling"; "[1, 2]", "[2, 1]" -> not
    """
    if actual == predicted:
        return Comparison(True)
    if is_opaque(actual):
        return Comparison(True, "opaque")
    if _SHORTENED.search(actual):
        is_same = may_start_value(actual, predicted)
        return Comparison(is_same, "shortened" if is_same else None)
    left, right = parse_value(actual), parse_value(predicted)
    if left is None or right is None or not _are_same(left, right, is_answer=False):
        return Comparison(False)
    return Comparison(True, "spelling")


def _are_same(left: ValueNode, right: ValueNode, *, is_answer: bool) -> bool:
    """Whether two values are the same: as states, or as by Rust's `==`."""
    if "opaque" in (left.kind, right.kind):
        return left.kind == "opaque"
    if left.kind in ("string", "char", "number", "boolean", "unit"):
        return left.kind == right.kind and _are_scalars_same(left, right, is_answer=is_answer)
    if not _are_comparable(left, right) or len(left.items) != len(right.items):
        return False
    if left.kind in ("map", "set"):
        texts = [
            Counter(write_value(part, is_canonical=True) for part in _parts(node))
            for node in (left, right)
        ]
        return texts[0] == texts[1]
    if left.kind == "struct" and left.keys:
        fields = _fields(right)
        return set(fields) == set(_fields(left)) and all(
            _are_same(item, fields[name], is_answer=is_answer)
            for name, item in _fields(left).items()
        )
    pairs = zip(left.items, right.items, strict=True)
    return all(_are_same(a, b, is_answer=is_answer) for a, b in pairs)


def _fields(node: ValueNode) -> dict[str, ValueNode]:
    return {str(key.value): item for key, item in zip(node.keys, node.items, strict=True)}


def _are_scalars_same(left: ValueNode, right: ValueNode, *, is_answer: bool) -> bool:
    a, b = left.value, right.value
    if left.kind != "number" or not isinstance(a, int | float) or not isinstance(b, int | float):
        return a == b
    if a != a:
        return b != b
    if not is_answer and repr(a).startswith("-") != repr(b).startswith("-"):
        return False
    return a == b or (isinstance(a, float) and _is_same_float32(a, b))


def _is_same_float32(actual: float, other: float) -> bool:
    """Whether a number is an f32 that was written with the digits of an f64.

    0.1, 0.10000000149011612 -> True
    """
    if not math.isfinite(other) or len(repr(actual)) >= len(repr(float(other))):
        return False
    try:
        packed = struct.unpack("<f", struct.pack("<f", actual))[0]
    except OverflowError:
        return False
    return bool(packed == other)


def _are_comparable(left: ValueNode, right: ValueNode) -> bool:
    """Whether two collections or structs have the same kind, name and kind of fields."""
    empty = {"map", "set"}
    if not left.items and not right.items and {left.kind, right.kind} <= empty:
        return True
    is_alike = left.kind == right.kind and left.name == right.name
    return is_alike and bool(left.keys) == bool(right.keys)


def _parts(node: ValueNode) -> tuple[ValueNode, ...]:
    """The items of a collection; those of a map as pairs."""
    if node.kind != "map":
        return node.items
    return tuple(ValueNode("tuple", items=pair) for pair in zip(node.keys, node.items, strict=True))


@lru_cache(maxsize=8192)
def canonical_value(value: str) -> str:
    """The same text for values that are the same: `vec![1.0]` -> `[1]`."""
    if is_opaque(value):
        return "<opaque>"
    node = parse_value(value)
    return value if node is None else write_value(node, is_canonical=True)


def is_opaque(value: str) -> bool:
    """Whether nothing of a value can be predicted: a closure, an iterator, unset memory."""
    return _OPAQUE.fullmatch(value) is not None


def may_start_value(actual: str, start: str) -> bool:
    """Whether a text may be the start of an actual value, or continue a shortened one."""
    if is_opaque(actual):
        return True
    kept = _SHORTENED.sub("", actual)
    is_shortened = kept != actual
    # A model may use other spaces, and write `vec!`.
    left, right = (re.sub(r"\s|\bvec!", "", text) for text in (kept, start))
    common = min(len(left), len(right))
    if not is_shortened and len(right) > len(left):
        return False
    return left[:common] == right[:common]


def answers_equal(expected: str, answer: str) -> bool:
    """Whether an answer is correct, as by Rust's `==`.

    'vec![String::from("a")]', '["a"]' -> True; "1", "1.0" -> True; "\\"1\\"", "1" -> False
    """
    if expected.strip() == answer.strip():
        return True
    left, right = parse_value(expected.strip()), parse_value(answer.strip())
    if left is None or right is None:
        return False
    return _are_same(left, right, is_answer=True)


def results_equal(actual: str, answer: str) -> bool:
    """Whether an answer is what the program returned."""
    return compare_values(actual, answer).is_same or answers_equal(actual, answer)


def is_reference_of(actual: str, reference: str) -> bool:
    """Whether a benchmark's value is what the program returned, up to the rounding of floats."""
    if results_equal(actual, reference):
        return True
    left, right = parse_value(actual), parse_value(reference)
    return left is not None and right is not None and _is_close(left, right)


def _is_close(left: ValueNode, right: ValueNode) -> bool:
    if isinstance(left.value, float) and isinstance(right.value, int | float):
        return abs(left.value - right.value) < _ROUNDING
    if left.kind == right.kind == "list" and len(left.items) == len(right.items):
        return all(map(_is_close, left.items, right.items))
    return _are_same(left, right, is_answer=True)


def value_kind(value: str) -> ValueKind:
    """The kind of a value.

    '"a"' -> "str"; "-1" -> "int"; "[1]" -> "list"; "Point { x: 1 }" -> "object"; "" -> "missing"
    """
    if not value:
        return "missing"
    node = parse_value(value)
    if node is not None:
        return _node_kind(node)
    return _STARTS.get(value.lstrip("-")[0:1], "object")


def _node_kind(node: ValueNode) -> ValueKind:
    if node.kind == "number":
        return "int" if isinstance(node.value, int) else "float"
    if node.kind == "struct" and node.name == "None" and not node.items:
        return "None"
    return _KINDS.get(node.kind, "object")


def first_leaf(actual: str, predicted: str) -> Leaf:
    """The innermost position of the first difference, with the values there.

    '[1, {"a": 2}]', '[1, {"a": 3}]' -> Leaf('[1]["a"]', "int", "2", "3")
    """
    left, right = parse_value(actual), parse_value(predicted)
    if left is None or right is None:
        return Leaf("", value_kind(actual), actual, predicted)
    path, a, b = _descend(left, right, "")
    if not path:
        return Leaf("", _node_kind(a), actual, predicted)
    return Leaf(path, _node_kind(a), write_value(a), write_value(b))


def _descend(left: ValueNode, right: ValueNode, path: str) -> tuple[str, ValueNode, ValueNode]:
    """Follow the first difference inwards while both sides have the same shape."""
    is_alike = _are_comparable(left, right) and len(left.items) == len(right.items)
    if not left.items or not is_alike or left.kind in ("set", "range"):
        return path, left, right
    items: list[ValueNode] | None = list(right.items)
    if left.keys:
        items = _values_by_key(left, right)
    if items is None:
        return path, left, right
    for index, (a, b) in enumerate(zip(left.items, items, strict=True)):
        if not _are_same(a, b, is_answer=False):
            return _descend(a, b, path + _step(left, index))
    return path, left, right


def _values_by_key(left: ValueNode, right: ValueNode) -> list[ValueNode] | None:
    """The values of one map or struct in the order of another; None if their keys differ."""
    texts = [[write_value(key, is_canonical=True) for key in node.keys] for node in (left, right)]
    values = dict(zip(texts[1], right.items, strict=True))
    return [values[key] for key in texts[0]] if set(texts[0]) == set(values) else None


def _step(node: ValueNode, index: int) -> str:
    if node.kind == "struct":
        return f".{node.keys[index].value}" if node.keys else f".{index}"
    if node.kind == "tuple":
        return f".{index}"
    return f"[{write_value(node.keys[index]) if node.keys else index}]"


def string_items(value: str) -> frozenset[str]:
    """All strings in a collection, as text: '["b", 1]' -> '"b"'."""
    node = parse_value(value)
    if node is None or not node.items:
        return frozenset()
    return frozenset(quote(text) for text in _strings(node))


def _strings(node: ValueNode) -> list[str]:
    own = [str(node.value)] if node.kind == "string" else []
    keys = node.keys if node.kind == "map" else ()
    return [*own, *(text for child in (*keys, *node.items) for text in _strings(child))]


def parse_literal(text: str) -> Any:
    """The Python value of a literal: '{"a": [1]}' -> {"a": [1]}; `Some(x)` is x.

    Raises:
        ValueError: The text is not a literal of strings, numbers, booleans and collections.
    """
    node = parse_value(text.strip())
    if node is None:
        raise ValueError("not a literal")
    return _to_python(node)


def _to_python(node: ValueNode) -> Any:
    if node.kind in ("string", "char", "number", "boolean", "unit"):
        return node.value
    if node.kind == "struct" and node.name in ("Some", "None") and len(node.items) < 2:
        return _to_python(node.items[0]) if node.items else None
    items = [_to_python(item) for item in node.items]
    if node.kind == "list":
        return items
    if node.kind == "tuple":
        return tuple(items)
    try:
        if node.kind == "set":
            return set(items)
        if node.kind == "map":
            return dict(zip((_to_python(key) for key in node.keys), items, strict=True))
    except TypeError:
        raise ValueError("not a literal") from None
    raise ValueError("not a literal")
