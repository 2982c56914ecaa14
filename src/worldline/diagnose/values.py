"""Two rendered values go in; what kind they are and how they differ comes out."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from worldline.align import compare

ValueKind = Literal[
    "str", "int", "float", "bool", "None", "list", "dict", "set", "tuple", "object", "missing"
]
Change = Literal["update", "drift", "entry"]

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
# A string literal as `repr` writes it.
STRING = r"'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\""
# What is no literal and says so; quotes and commas in it are its own: `<class 'list'>`.
OBJECT = rf"<(?:[^<>'\"]|{STRING}|<(?:[^<>'\"]|{STRING})*>)*>"
_STRUCTURE = re.compile(rf"{STRING}|{OBJECT}|[\[\](){{}}:,]", re.DOTALL)
# Parsing a longer value takes more time than its kind is worth.
_LONG = 200
# Beyond this many comparisons an edit distance is not worth its time.
_PATIENCE = 250_000


@dataclass(frozen=True, slots=True)
class ValueFacts:
    """How a value differs from the real one.

    `change`: did the executed line write the variable (`update`), not touch it (`drift`), or is
    it a scope's first value (`entry`)? `leaf` is the innermost place where a container differs,
    as Python would index it, and `leaf_kind` the kind of the real value there. `moved_tokens`
    are the tokens that are not common to both from the start or from the end.
    """

    kind: ValueKind
    leaf_kind: ValueKind
    leaf: str
    change: Change | None
    true_chars: int
    predicted_chars: int
    edit_distance: int | None
    is_runaway: bool
    true_tokens: int | None = None
    predicted_tokens: int | None = None
    moved_tokens: int | None = None


def value_kind(value: str) -> ValueKind:
    """The kind of a rendered value.

    "'a'" -> "str"; "-1" -> "int"; "{}" -> "dict"; "<f object>" -> "object"; "" -> "missing"
    """
    if not value:
        return "missing"
    known = _long_kind(value) if len(value) > _LONG else None
    if known is not None:
        return known
    tree = _tree(value)
    # What is too long to be kept whole, or to be parsed, still shows what it is by its start.
    return _STARTS.get(value.lstrip("-")[0:1], "object") if tree is None else _kind(tree)


def first_leaf(true: str, predicted: str) -> tuple[str, ValueKind]:
    """Where two values first differ inside, and the kind of the real value there.

    "[1, {'a': 'x'}]", "[1, {'a': 'y'}]" -> "[1]['a']", "str"
    """
    left, right = _tree(true), _tree(predicted)
    if left is None or right is None:
        return "", value_kind(true)
    path, node = _descend(left, right, "")
    return path, _kind(node)


def edit_distance(a: str, b: str) -> int | None:
    """Characters to insert, drop or replace; none where both are too long to compare.

    "kitten", "sitting" -> 3
    """
    start = common_start(a, b)
    a, b = a[start:], b[start:]
    end = common_start(a[::-1], b[::-1])
    a, b = a[: len(a) - end], b[: len(b) - end]
    if len(a) * len(b) > _PATIENCE:
        return None
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def common_start(a: str, b: str) -> int:
    """How many characters two texts have in common from the start.

    "abc", "abd" -> 2
    """
    pairs = zip(a, b, strict=False)
    return next((i for i, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))


def is_runaway(true: str, predicted: str) -> bool:
    """Whether a value ran on, repeating itself, far beyond the real one's length.

    "'ab'", "'abababab…" (much longer, with a short period at its end) -> True
    """
    if len(predicted) < 200 or len(predicted) < 4 * len(true):
        return False
    # The very end may be what closes the value.
    tail = predicted[-132:-12]
    return any(tail == (tail[:period] * 120)[:120] for period in range(1, 31))


def moved(true: Sequence[int], predicted: Sequence[int]) -> int:
    """How many tokens of the longer one are not common to both from the start or the end.

    [1, 2, 3, 4], [1, 9, 4] -> 2
    """
    shorter = min(len(true), len(predicted))
    start = next((i for i in range(shorter) if true[i] != predicted[i]), shorter)
    end = next(
        (i for i in range(shorter - start) if true[-1 - i] != predicted[-1 - i]), shorter - start
    )
    return max(len(true), len(predicted)) - start - end


def _tree(value: str) -> ast.expr | None:
    try:
        return ast.parse(value, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _long_kind(value: str) -> ValueKind | None:
    """The kind of a value by its start, and of brackets by what is between their first two items.

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
    for found in _STRUCTURE.finditer(value):
        mark = found[0]
        depth += (mark in "([{") - (mark in ")]}")
        if depth == 1 and mark in ":,":
            return "tuple" if start == "(" else "dict" if mark == ":" else "set"
    return None


def _kind(node: ast.expr | None) -> ValueKind:
    if isinstance(node, ast.Constant):
        return _CONSTANTS.get(type(node.value), "object")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _kind(node.operand)
    if isinstance(node, ast.Name) and node.id in ("nan", "inf"):
        return "float"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return "set" if node.func.id in ("set", "frozenset") else "object"
    return _NODES.get(type(node), "object")


def _descend(left: ast.expr, right: ast.expr, path: str) -> tuple[str, ast.expr]:
    """Follow the first difference inwards, as long as both sides have the same shape."""
    for index, a, b in _children(left, right):
        if not compare(ast.unparse(a), ast.unparse(b)).is_same:
            return _descend(a, b, f"{path}[{index}]")
    return path, left


def _children(left: ast.expr, right: ast.expr) -> list[tuple[str, ast.expr, ast.expr]]:
    if isinstance(left, ast.List | ast.Tuple) and type(left) is type(right):
        assert isinstance(right, ast.List | ast.Tuple)
        if len(left.elts) == len(right.elts):
            pairs = zip(left.elts, right.elts, strict=True)
            return [(str(i), a, b) for i, (a, b) in enumerate(pairs)]
    if isinstance(left, ast.Dict) and isinstance(right, ast.Dict):
        ours = [ast.unparse(key) for key in left.keys if key is not None]
        theirs = [ast.unparse(key) for key in right.keys if key is not None]
        if ours == theirs:
            return list(zip(ours, left.values, right.values, strict=True))
    return []
