"""Values of Go as text, in its own notation; implements `ValueSyntax`.

The order of maps does not count, and neither do the names of types: those of a program's variables
are fixed, and Go itself lets a literal omit them.
"""

import re
from functools import lru_cache
from typing import Any

from worldline.core.language import Comparison, Leaf, ValueKind
from worldline.core.trace import SHORTENED_MARK
from worldline.languages.go.go_strings import quote
from worldline.languages.go.go_value_parser import Node, NodeKind, parse_value
from worldline.languages.go.go_value_writer import canonical_text, write_value

# A function without results returns nothing; Go has no word for it.
NULL = "void"
_SHORTENED = re.compile(rf"{SHORTENED_MARK}(?:more than )?\d+ (?:characters|items)>\Z")
# Values of which a model can predict nothing: functions, channels, addresses, a Mutex.
_OPAQUE = re.compile(r"<[^<>]*>|\(?\*?[\w.]*\)?\(?0x[\da-f]{6,}\)?")
_KINDS: dict[NodeKind, ValueKind] = {
    "string": "str",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "nil": "None",
    "list": "list",
    "map": "dict",
    "tuple": "tuple",
}
_STARTS: dict[str, ValueKind] = {
    **dict.fromkeys("'\"`", "str"),
    "[": "list",
    **dict.fromkeys("0123456789", "int"),
}
_ROUNDING = 1e-6


def compare_values(actual: str, predicted: str) -> Comparison:
    """Compare an actual value with a predicted one.

    '[][]int{{1}}', '[][]int{[]int{1}}' -> the same, by "spelling";
    'map[string]int{"a": 1, "b": 2}', 'map[string]int{"b": 2, "a": 1}' -> the same;
    '[]int(nil)', '[]int{}' -> not the same
    """
    if actual == predicted:
        return Comparison(True)
    if is_opaque(actual):
        return Comparison(True, "opaque")
    if _SHORTENED.search(actual):
        is_same = may_start_value(actual, predicted)
        return Comparison(is_same, "shortened" if is_same else None)
    if canonical_value(actual) == canonical_value(predicted):
        return Comparison(True, "spelling")
    return Comparison(False)


@lru_cache(maxsize=8192)
def canonical_value(value: str) -> str:
    """The same text for values that are the same: `[]int{'a'}` -> `{97}`."""
    if is_opaque(value):
        return "<opaque>"
    node = parse_value(value)
    return value if node is None else canonical_text(node)


def is_opaque(value: str) -> bool:
    """Whether nothing of a value can be predicted: a function, a channel, an address."""
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
    """Whether an answer is correct: a nil slice is an empty one, as Go prints both.

    '[]int{}', '[]int(nil)' -> True; "1", "1.0" -> True; '"1"', "1" -> False
    """
    if expected.strip() == answer.strip():
        return True
    left, right = parse_value(expected.strip()), parse_value(answer.strip())
    if left is None or right is None:
        return False
    return canonical_text(left, is_answer=True) == canonical_text(right, is_answer=True)


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
    return canonical_text(left, is_answer=True) == canonical_text(right, is_answer=True)


def value_kind(value: str) -> ValueKind:
    """The kind of a value.

    '"a"' -> "str"; "-1" -> "int"; "[]int(nil)" -> "list"; "&Point{X: 1}" -> "object"; "" ->
    "missing"
    """
    if not value:
        return "missing"
    node = parse_value(value)
    if node is not None:
        return _KINDS.get(node.kind, "object")
    return "dict" if value.startswith("map[") else _STARTS.get(value.lstrip("-")[0:1], "object")


def first_leaf(actual: str, predicted: str) -> Leaf:
    """The innermost position of the first difference, with the values there.

    'map[string][]int{"a": {1, 2}}', 'map[string][]int{"a": {1, 3}}' ->
    Leaf('["a"][1]', "int", "2", "3")
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
    if left.kind not in ("list", "map", "struct", "tuple", "pointer"):
        return path, left, right
    items = _items_as_in(left, right)
    if items is None:
        return path, left, right
    for index, (a, b) in enumerate(zip(left.items, items, strict=True)):
        if canonical_text(a) != canonical_text(b):
            return _descend(a, b, path + _place(left, index))
    return path, left, right


def _items_as_in(left: Node, right: Node) -> list[Node] | None:
    """The items of a value in the order of another one; None if their shapes differ."""
    is_same = (left.kind, left.is_nil, len(left.items)) == (
        right.kind,
        right.is_nil,
        len(right.items),
    )
    if not is_same:
        return None
    if left.kind not in ("map", "struct"):
        return list(right.items)
    items = {canonical_text(k): item for k, item in zip(right.keys, right.items, strict=True)}
    keys = [canonical_text(key) for key in left.keys]
    return [items[key] for key in keys] if set(keys) == set(items) else None


def _place(node: Node, index: int) -> str:
    if node.kind == "pointer":
        return ""
    if node.kind == "struct":
        return f".{node.keys[index].value}"
    return f"[{write_value(node.keys[index]) if node.keys else index}]"


def string_items(value: str) -> frozenset[str]:
    """All strings in a container, as text: 'map[string]int{"a": 1}' -> '"a"'."""
    node = parse_value(value)
    if node is None or node.kind in ("string", "construction"):
        return frozenset()
    return frozenset(quote(text) for text in _strings(node))


def _strings(node: Node) -> list[str]:
    own = [str(node.value)] if node.kind == "string" else []
    return [*own, *(text for child in (*node.keys, *node.items) for text in _strings(child))]


def parse_literal(text: str) -> Any:
    """The Python value of a literal: 'map[string][]int{"a": {1}}' -> {"a": [1]}.

    Raises:
        ValueError: The text is not a literal of strings, numbers, booleans, slices and maps.
    """
    node = parse_value(text.strip())
    if node is None:
        raise ValueError("not a literal")
    return _to_python(node)


def _to_python(node: Node) -> Any:
    if node.kind in ("string", "int", "float", "bool", "nil"):
        return node.value
    items = [_to_python(item) for item in node.items]
    if node.kind == "list":
        return items
    if node.kind == "tuple":
        return tuple(items)
    if node.kind == "map":
        try:
            return dict(zip((_to_python(key) for key in node.keys), items, strict=True))
        except TypeError as error:  # a list as a key
            raise ValueError("not a literal") from error
    raise ValueError("not a literal")
