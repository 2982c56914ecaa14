"""Kinds of Python values, from their text, and where two values differ."""

import ast
import re

from worldline.core.language import Leaf, ValueKind
from worldline.languages.python.value_equality import STRING_LITERAL, compare_values

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
