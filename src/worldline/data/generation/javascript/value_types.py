"""Types of the expressions of a generated program.

A type is a word: int, float, bool, str, none, dict, set, tuple, list, or "list of" one of these.
"?" is not known. A variable of a generated program keeps its type.
"""

import ast
from collections.abc import Mapping

from worldline.core.trace import words

Types = Mapping[str, str]
NUMBERS = frozenset(["int", "float", "bool"])
_METHODS = {
    **dict.fromkeys(
        words("upper lower title capitalize swapcase replace strip lstrip rstrip"), "str"
    ),
    **dict.fromkeys(words("join removeprefix removesuffix"), "str"),
    **dict.fromkeys(words("count find rfind index"), "int"),
    **dict.fromkeys(words("startswith endswith isalpha isdigit islower isupper"), "bool"),
    "split": "list of str",
    "keys": "list of str",
    "values": "list of int",
    "items": "list of tuple",
}
_FUNCTIONS = {
    **dict.fromkeys(words("len sum ord int"), "int"),
    "str": "str",
    "chr": "str",
    "isinstance": "bool",
    "dict": "dict",
    "set": "set of int",
    "range": "list of int",
}


def literal_type(value: object) -> str:
    """The type of a value.

    [1, 2] -> "list of int"
    """
    if isinstance(value, list | tuple | set):
        items = {literal_type(item) for item in value}
        kind = type(value).__name__
        return f"{kind} of {items.pop()}" if len(items) == 1 else kind
    return "none" if value is None else type(value).__name__


def item_type(kind: str) -> str:
    """The type of an item of a container, or of a character."""
    if kind in ("str", "dict"):
        return "str"
    return kind.partition(" of ")[2] or "?"


def kind_of(name: str) -> str:
    """ "list of int" -> "list" """
    return name.partition(" of ")[0]


def expression_type(node: ast.expr, types: Types, results: Types) -> str:
    """The type of an expression.

    Args:
        node: The expression.
        types: The types of the variables.
        results: The types of the functions' results.
    """

    def of(each: ast.expr) -> str:
        return expression_type(each, types, results)

    match node:
        case ast.Constant(value=value):
            return literal_type(value)
        case ast.Name(id=name):
            return types.get(name, "?")
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            kinds = {of(item) for item in items}
            kind = type(node).__name__.lower()
            return f"{kind} of {kinds.pop()}" if len(kinds) == 1 else kind
        case ast.Dict():
            return "dict"
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return "bool"
        case ast.UnaryOp(operand=operand):
            return "int" if of(operand) == "bool" else of(operand)
        case ast.BoolOp(values=[first, *_]) | ast.IfExp(body=first):
            return of(first)
        case ast.BinOp():
            return _operation_type(node, of(node.left), of(node.right))
        case ast.Subscript(value=value, slice=index):
            return of(value) if isinstance(index, ast.Slice) else _item(of(value))
        case ast.Call():
            return _call_type(node, types, results)
    return "?"


def _item(kind: str) -> str:
    return "int" if kind == "dict" else item_type(kind)


def _operation_type(node: ast.BinOp, left: str, right: str) -> str:
    if isinstance(node.op, ast.Div):
        return "float"
    if "float" in (left, right):
        return "float"
    for kind in (left, right):
        if kind_of(kind) in ("str", "list", "tuple", "set"):
            return kind
    return "int" if left in NUMBERS or right in NUMBERS else "?"


def _call_type(node: ast.Call, types: Types, results: Types) -> str:
    def of(each: ast.expr) -> str:
        return expression_type(each, types, results)

    match node.func:
        case ast.Name(id=name) if name in results:
            return results[name]
        case ast.Name(id="sum"):
            return "float" if item_type(of(node.args[0])) == "float" else "int"
        case ast.Name(id="max" | "min"):
            return item_type(of(node.args[0])) if len(node.args) == 1 else of(node.args[0])
        case ast.Name(id="abs"):
            return of(node.args[0])
        case ast.Name(id="round"):
            return "int" if len(node.args) == 1 else "float"
        case ast.Name(id="sorted" | "list" | "reversed"):
            return f"list of {item_type(of(node.args[0]))}"
        case ast.Name(id=name):
            return _FUNCTIONS.get(name, "?")
        case ast.Attribute(value=value, attr="get" | "pop" | "setdefault"):
            return _item(of(value))
        case ast.Attribute(value=value, attr="copy"):
            return of(value)
        case ast.Attribute(attr=name):
            return _METHODS.get(name, "?")
    return "?"
