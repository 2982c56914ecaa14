"""Differences between two rendered values: their kinds, and where and how much they differ."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from worldline.analysis.alignment import STRING_LITERAL, compare_values
from worldline.core.util.text import common_prefix_length, truncate_text

ValueKind = Literal[
    "str", "int", "float", "bool", "None", "list", "dict", "set", "tuple", "object", "missing"
]
ValueChange = Literal["written", "carried_over", "initial"]

CONTAINERS: frozenset[ValueKind] = frozenset({"list", "dict", "set", "tuple"})

_CONSTANTS: dict[type, ValueKind] = {
    str: "str",
    int: "int",
    float: "float",
    bool: "bool",
    type(None): "None",
}
_NODES: dict[type, ValueKind] = {
    ast.List: "list",
    ast.Dict: "dict",
    ast.Set: "set",
    ast.Tuple: "tuple",
}
_STARTS: dict[str, ValueKind] = {
    "'": "str",
    '"': "str",
    "[": "list",
    "(": "tuple",
    "{": "dict",
    **dict.fromkeys("0123456789", "int"),
}
# An object in angle brackets; quotes and commas inside belong to it: `<class 'list'>`.
OBJECT = rf"<(?:[^<>'\"]|{STRING_LITERAL}|<(?:[^<>'\"]|{STRING_LITERAL})*>)*>"
_STRUCTURE = re.compile(rf"{STRING_LITERAL}|{OBJECT}|[\[\](){{}}:,]", re.DOTALL)
# Longer values are not parsed to find their kind, if their start shows it.
_MAX_PARSED_LENGTH = 200
# Cells of the edit-distance table beyond which it would take too long.
_MAX_EDIT_CELLS = 250_000
# Maximum number of wrong characters of a slip, and minimum length of the string for each of them.
_MAX_SLIP = 2
_MIN_CHARS_PER_SLIP = 4


@dataclass(frozen=True, slots=True)
class ValueFacts:
    """How a predicted value differs from the actual one.

    Attributes:
        kind: The kind of the actual value.
        leaf_kind: The kind of the actual value at `leaf`.
        leaf: The innermost position at which a container differs, as an index: "[1]['a']".
        change: Whether the executed line wrote the variable (`written`), did not change it
            (`carried_over`), or it is a scope's first value (`initial`).
        actual_chars: Characters of the actual value.
        predicted_chars: Characters of the predicted value.
        edit_distance: The edit distance; None if the values are too long.
        is_runaway: Whether the predicted value repeats itself far beyond the actual length.
        is_slip: Whether a string is right but for one or two characters, or a position is by as
            many.
        is_moved_item: Whether both values are strings that a container of the input has as items.
        actual_tokens: Tokens of the actual value; None without a tokenizer.
        predicted_tokens: Tokens of the predicted value; None without a tokenizer.
        changed_tokens: Tokens that remain after removing the common prefix and suffix.
    """

    kind: ValueKind
    leaf_kind: ValueKind
    leaf: str
    change: ValueChange | None
    actual_chars: int
    predicted_chars: int
    edit_distance: int | None
    is_runaway: bool
    is_slip: bool = False
    is_moved_item: bool = False
    actual_tokens: int | None = None
    predicted_tokens: int | None = None
    changed_tokens: int | None = None

    def __repr__(self) -> str:
        leaf = f" at {truncate_text(self.leaf, 30)} ({self.leaf_kind})" if self.leaf else ""
        change = f", {self.change}" if self.change else ""
        distance = "unknown" if self.edit_distance is None else self.edit_distance
        return f"ValueFacts({self.kind}{leaf}{change}, edit distance {distance})"


def value_kind(value: str) -> ValueKind:
    """The kind of a rendered value.

    "'a'" -> "str"; "-1" -> "int"; "{}" -> "dict"; "<f object>" -> "object"; "" -> "missing"
    """
    if not value:
        return "missing"
    kind = _long_value_kind(value) if len(value) > _MAX_PARSED_LENGTH else None
    if kind is not None:
        return kind
    tree = _parse_value(value)
    # A shortened value, or one that cannot be parsed, still shows its kind by its start.
    return _STARTS.get(value.lstrip("-")[0:1], "object") if tree is None else _node_kind(tree)


@dataclass(frozen=True, slots=True)
class Leaf:
    """The innermost position at which two values differ, and both values there, as text."""

    path: str
    kind: ValueKind
    actual: str
    predicted: str


def first_leaf(actual: str, predicted: str) -> Leaf:
    """The innermost position of the first difference, with the values there.

    "[1, {'a': 'x'}]", "[1, {'a': 'y'}]" -> Leaf("[1]['a']", "str", "'x'", "'y'")
    """
    left, right = _parse_value(actual), _parse_value(predicted)
    if left is None or right is None:
        return Leaf("", value_kind(actual), actual, predicted)
    path, a, b = _descend(left, right, "")
    if not path:
        return Leaf("", _node_kind(a), actual, predicted)
    return Leaf(path, _node_kind(a), ast.unparse(a), ast.unparse(b))


def is_character_slip(actual: str, predicted: str, inputs: Sequence[str]) -> bool:
    """Whether a string is right but for one or two characters, or a position or length is.

    "'Fridy'", "'Friday'" -> True; "8", "10" -> True

    Two pieces of the same input are not a slip: the operation took the wrong piece.

    Args:
        actual: The actual value.
        predicted: The predicted value.
        inputs: Strings that the value was computed from.
    """
    try:
        a, b = ast.literal_eval(actual), ast.literal_eval(predicted)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    if type(a) is type(b) is int:
        return abs(a - b) <= _MAX_SLIP
    if not isinstance(a, str) or not isinstance(b, str):
        return False
    if any(a in text and b in text for text in inputs):
        return False
    distance = edit_distance(a, b)
    is_small = distance is not None and distance <= _MAX_SLIP
    return is_small and _MIN_CHARS_PER_SLIP * (distance or 0) <= max(len(a), len(b))


def string_items(value: str) -> frozenset[str]:
    """All strings in a container, as rendered: "{'a': ['b', 1]}" -> 'a', 'b'."""
    tree = _parse_value(value)
    if tree is None or not isinstance(tree, ast.List | ast.Tuple | ast.Dict | ast.Set):
        return frozenset()
    return frozenset(
        repr(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def edit_distance(a: str, b: str) -> int | None:
    """Characters to insert, delete or replace; None if the texts are too long to compare.

    "kitten", "sitting" -> 3
    """
    start = common_prefix_length(a, b)
    a, b = a[start:], b[start:]
    end = common_prefix_length(a[::-1], b[::-1])
    a, b = a[: len(a) - end], b[: len(b) - end]
    if len(a) * len(b) > _MAX_EDIT_CELLS:
        return None
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def is_runaway(actual: str, predicted: str) -> bool:
    """Whether a predicted value repeats itself far beyond the actual length.

    "'ab'", "'abababab…" (much longer, with a short period at its end) -> True
    """
    if len(predicted) < 200 or len(predicted) < 4 * len(actual):
        return False
    # The last characters may close the value.
    tail = predicted[-132:-12]
    return any(tail == (tail[:period] * 120)[:120] for period in range(1, 31))


def count_changed_tokens(actual: Sequence[int], predicted: Sequence[int]) -> int:
    """Count the tokens of the longer sequence after removing the common prefix and suffix.

    [1, 2, 3, 4], [1, 9, 4] -> 2
    """
    shorter = min(len(actual), len(predicted))
    start = next((i for i in range(shorter) if actual[i] != predicted[i]), shorter)
    end = next(
        (i for i in range(shorter - start) if actual[-1 - i] != predicted[-1 - i]), shorter - start
    )
    return max(len(actual), len(predicted)) - start - end


def _parse_value(value: str) -> ast.expr | None:
    try:
        return ast.parse(value, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _long_value_kind(value: str) -> ValueKind | None:
    """The kind of a value by its start, and by the separator of its first two items.

    "{'a': 1, …" -> "dict"; "{1, 2, …" -> "set"; "Counter({…" -> "object"; "1234…" -> None
    """
    start = value[0]
    if start in "'\"[":
        return _STARTS[start]
    if start.isalpha() or start in "_<":
        return "set" if value.startswith(("set(", "frozenset(")) else "object"
    if start not in "({":
        return None
    depth = 0
    for match in _STRUCTURE.finditer(value):
        mark = match[0]
        depth += (mark in "([{") - (mark in ")]}")
        if depth == 1 and mark in ":,":
            return "tuple" if start == "(" else "dict" if mark == ":" else "set"
    return None


def _node_kind(node: ast.expr | None) -> ValueKind:
    if isinstance(node, ast.Constant):
        return _CONSTANTS.get(type(node.value), "object")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _node_kind(node.operand)
    if isinstance(node, ast.Name) and node.id in ("nan", "inf"):
        return "float"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return "set" if node.func.id in ("set", "frozenset") else "object"
    return _NODES.get(type(node), "object")


def _descend(left: ast.expr, right: ast.expr, path: str) -> tuple[str, ast.expr, ast.expr]:
    """Follow the first difference inwards while both sides have the same shape."""
    for index, a, b in _children(left, right):
        if not compare_values(ast.unparse(a), ast.unparse(b)).is_same:
            return _descend(a, b, f"{path}[{index}]")
    return path, left, right


def _children(left: ast.expr, right: ast.expr) -> list[tuple[str, ast.expr, ast.expr]]:
    if isinstance(left, ast.List | ast.Tuple) and type(left) is type(right):
        assert isinstance(right, ast.List | ast.Tuple)
        if len(left.elts) == len(right.elts):
            pairs = zip(left.elts, right.elts, strict=True)
            return [(str(i), a, b) for i, (a, b) in enumerate(pairs)]
    if isinstance(left, ast.Dict) and isinstance(right, ast.Dict):
        left_keys = [ast.unparse(key) for key in left.keys if key is not None]
        right_keys = [ast.unparse(key) for key in right.keys if key is not None]
        if left_keys == right_keys:
            return list(zip(left_keys, left.values, right.values, strict=True))
    return []
