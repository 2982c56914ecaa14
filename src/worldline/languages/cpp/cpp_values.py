"""Values of C++ as text, in its own notation; implements `ValueSyntax`.

The recorder names containers other than sequences (`std::map{{"a", 1}}`). Values in braces without
a name are compared with any of them.
"""

import re
from collections import Counter
from functools import lru_cache
from typing import Any

from worldline.core.language import Comparison, Leaf, ValueKind
from worldline.core.trace import SHORTENED_MARK
from worldline.languages.cpp.cpp_literals import LiteralKind, LiteralNode, parse_value
from worldline.languages.cpp.literal_text import quote, write_value

NULL = "void"
_SHORTENED = re.compile(rf"{SHORTENED_MARK}(?:more than )?\d+ (?:characters|items)>\Z")
_OPAQUE = re.compile(r"<[a-z][^<>]*(?:<.*>)?>|0x[\da-f]{5,16}", re.DOTALL)
_KINDS: dict[LiteralKind, ValueKind] = {
    "string": "str",
    "char": "str",
    "boolean": "bool",
    "null": "None",
    "list": "list",
    "tuple": "tuple",
    "map": "dict",
    "set": "set",
}
_STARTS: dict[str, ValueKind] = {
    **dict.fromkeys("'\"", "str"),
    "{": "list",
    **dict.fromkeys("0123456789", "int"),
}
_ROUNDING = 1e-6


def compare_values(actual: str, predicted: str) -> Comparison:
    """Compare an actual value with a predicted one.

    "{1, 2}", "std::vector<long>{1L, 2L}" -> the same, by "spelling"; "{1, 2}", "{2, 1}" -> not
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


def _are_same(left: LiteralNode, right: LiteralNode, *, is_answer: bool) -> bool:
    """Whether two values are the same: as states, or as by C++'s `==`."""
    if "opaque" in (left.kind, right.kind):
        return left.kind == "opaque"
    if left.name.startswith("union ") and right.kind != "object":
        # Members that are not in use can be anything.
        known = [item for item in left.items if item.kind != "opaque"]
        return any(_are_same(item, right, is_answer=is_answer) for item in known)
    if left.kind in ("number", "string", "char", "boolean", "null", "constant"):
        return left.kind == right.kind and _are_scalars_same(left, right, is_answer=is_answer)
    if not _are_comparable(left, right) or len(left.items) != len(right.items):
        return False
    first, second = _parts(left), _parts(right)
    if _is_unordered(left) or _is_unordered(right):
        texts = [
            Counter(write_value(part, is_canonical=True) for part in parts)
            for parts in (first, second)
        ]
        return texts[0] == texts[1]
    if left.keys and right.keys and left.kind == right.kind == "object" and left.keys != right.keys:
        return False
    return all(_are_same(a, b, is_answer=is_answer) for a, b in zip(first, second, strict=True))


def _are_scalars_same(left: LiteralNode, right: LiteralNode, *, is_answer: bool) -> bool:
    a, b = left.value, right.value
    if isinstance(a, float) and isinstance(b, float) and a != a:
        return b != b
    if left.kind == "constant":
        # An enumerator may be written with or without the name of its type.
        return str(a).split("::")[-1] == str(b).split("::")[-1]
    if left.kind == "number" and not is_answer:
        return a == b and repr(a).startswith("-") == repr(b).startswith("-")
    return a == b


def _are_comparable(left: LiteralNode, right: LiteralNode) -> bool:
    """Whether the containers have the same kind, or one of them is written in braces alone."""
    if "list" in (left.kind, right.kind) and not ({left.name, right.name} & {"&"}):
        return not left.name or not right.name or left.name == right.name
    return left.kind == right.kind and left.name.removeprefix("union ") == right.name


def _parts(node: LiteralNode) -> tuple[LiteralNode, ...]:
    """The items of a container; those of a map as pairs."""
    if node.kind != "map":
        return node.items
    return tuple(
        LiteralNode("list", items=pair) for pair in zip(node.keys, node.items, strict=True)
    )


def _is_unordered(node: LiteralNode) -> bool:
    """Whether the order in which items are written does not matter."""
    return node.kind in ("map", "set")


@lru_cache(maxsize=8192)
def canonical_value(value: str) -> str:
    """The same text for values that are the same: `std::vector<int>({1})` -> `{1}`."""
    if is_opaque(value):
        return "<opaque>"
    node = parse_value(value)
    return value if node is None else write_value(node, is_canonical=True)


def is_opaque(value: str) -> bool:
    """Whether nothing of a value can be predicted: an address, a lambda, uninitialized memory."""
    return _OPAQUE.fullmatch(value) is not None


def may_start_value(actual: str, start: str) -> bool:
    """Whether a text may be the start of an actual value, or continue a shortened one."""
    if is_opaque(actual):
        return True
    kept = _SHORTENED.sub("", actual)
    is_shortened = kept != actual
    # A model may use other spaces, and leave out the names of containers.
    left, right = (re.sub(r"\s|std::\w*(?=\{)", "", text) for text in (kept, start))
    common = min(len(left), len(right))
    if not is_shortened and len(right) > len(left):
        return False
    return left[:common] == right[:common]


def answers_equal(expected: str, answer: str) -> bool:
    """Whether an answer is correct, as by C++'s `==`.

    "std::vector<long>({(long)1})", "{1}" -> True; "1", "1.0" -> True; "\\"1\\"", "1" -> False
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


def _is_close(left: LiteralNode, right: LiteralNode) -> bool:
    if isinstance(left.value, float) and isinstance(right.value, int | float):
        return abs(left.value - right.value) < _ROUNDING
    if left.kind == right.kind == "list" and len(left.items) == len(right.items):
        return all(map(_is_close, left.items, right.items))
    return _are_same(left, right, is_answer=True)


def value_kind(value: str) -> ValueKind:
    """The kind of a value.

    '"a"' -> "str"; "-1" -> "int"; "{1}" -> "list"; "Point{.x = 1}" -> "object"; "" -> "missing"
    """
    if not value:
        return "missing"
    node = parse_value(value)
    if node is not None:
        return _node_kind(node)
    container = re.match(r"std::(\w+)\{", value)
    if container is not None:
        empty = parse_value(f"std::{container[1]}{{}}")
        return "object" if empty is None else _node_kind(empty)
    return _STARTS.get(value.lstrip("-")[0:1], "object")


def _node_kind(node: LiteralNode) -> ValueKind:
    if node.kind == "number":
        return "int" if isinstance(node.value, int) else "float"
    return _KINDS.get(node.kind, "object")


def first_leaf(actual: str, predicted: str) -> Leaf:
    """The innermost position of the first difference, with the values there.

    '{1, std::map{{"a", 2}}}', '{1, std::map{{"a", 3}}}' -> Leaf('[1]["a"]', "int", "2", "3")
    """
    left, right = parse_value(actual), parse_value(predicted)
    if left is None or right is None:
        return Leaf("", value_kind(actual), actual, predicted)
    path, a, b = _descend(left, right, "")
    if not path:
        return Leaf("", _node_kind(a), actual, predicted)
    return Leaf(path, _node_kind(a), write_value(a), write_value(b))


def _descend(
    left: LiteralNode, right: LiteralNode, path: str
) -> tuple[str, LiteralNode, LiteralNode]:
    """Follow the first difference inwards while both sides have the same shape."""
    if (
        not left.items
        or not _are_comparable(left, right)
        or len(left.items) != len(right.items)
        or left.kind == "set"
    ):
        return path, left, right
    items: list[LiteralNode] | None = list(right.items)
    if left.kind == "map":
        items = _values_by_key(left, right)
    if items is None:
        return path, left, right
    for index, (a, b) in enumerate(zip(left.items, items, strict=True)):
        if not _are_same(a, b, is_answer=False):
            return _descend(a, b, path + _step(left, index))
    return path, left, right


def _values_by_key(left: LiteralNode, right: LiteralNode) -> list[LiteralNode] | None:
    """The values of one map in the order of another; None if their keys differ."""
    pairs = [part.items for part in _parts(right)]
    if not all(len(pair) == 2 for pair in pairs):
        return None
    values = {write_value(key, is_canonical=True): value for key, value in pairs}
    keys = [write_value(key, is_canonical=True) for key in left.keys]
    return [values[key] for key in keys] if set(keys) == set(values) else None


def _step(node: LiteralNode, index: int) -> str:
    if node.kind == "object":
        return f".{node.keys[index].value}" if node.keys else f"[{index}]"
    return f"[{write_value(node.keys[index]) if node.keys else index}]"


def string_items(value: str) -> frozenset[str]:
    """All strings in a container, as text: '{"b", 1}' -> '"b"'."""
    node = parse_value(value)
    if node is None or not node.items:
        return frozenset()
    return frozenset(quote(text) for text in _strings(node))


def _strings(node: LiteralNode) -> list[str]:
    own = [str(node.value)] if node.kind == "string" else []
    return [*own, *(text for child in (*node.keys, *node.items) for text in _strings(child))]


def parse_literal(text: str) -> Any:
    """The Python value of a literal: 'std::map{{"a", {1}}}' -> {"a": [1]}.

    Raises:
        ValueError: The text is not a literal of strings, numbers, booleans and containers.
    """
    node = parse_value(text.strip())
    if node is None:
        raise ValueError("not a literal")
    return _to_python(node)


def _to_python(node: LiteralNode) -> Any:
    if node.kind in ("string", "char", "number", "boolean", "null"):
        return node.value
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
