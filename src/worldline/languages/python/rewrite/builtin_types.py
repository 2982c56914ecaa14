"""Result types of Python's built-in functions, methods and operators.

A type has Python's name for it and means exactly that type, not a subclass. Two more names:
`CHARACTER` is a `str` of length one, `OTHER` an unknown type that is not `str`.
"""

import ast
from typing import Final

from worldline.core.trace import words

CHARACTER: Final = "character"
OTHER: Final = "other"
STRINGS = frozenset({"str", CHARACTER})

# Types whose methods are known.
BUILTIN_TYPES: dict[str, type] = {
    kind.__name__: kind for kind in (str, bytes, int, float, bool, list, tuple, dict, set)
}
# Expressions whose type does not depend on their operands.
EXPRESSION_TYPES: dict[type[ast.expr], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Tuple: "tuple",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.GeneratorExp: "generator",
    ast.Lambda: "function",
}
_CONSTRUCTORS = words(
    "str list dict set frozenset tuple int float bool range enumerate zip map filter"
)
FUNCTION_RESULTS: dict[str, str] = {
    **{name: name for name in _CONSTRUCTORS},
    **dict.fromkeys(words("any all isinstance issubclass callable hasattr"), "bool"),
    **dict.fromkeys(words("len ord hash id"), "int"),
    **dict.fromkeys(words("repr ascii bin hex oct input format"), "str"),
    **dict.fromkeys(words("sorted dir"), "list"),
    "chr": CHARACTER,
}
_STR_METHODS = {
    **dict.fromkeys(
        words(
            "strip lstrip rstrip lower upper replace join format title capitalize swapcase center "
            "ljust rjust zfill removeprefix removesuffix expandtabs translate casefold"
        ),
        "str",
    ),
    **dict.fromkeys(words("split rsplit splitlines"), "list"),
    **dict.fromkeys(words("partition rpartition"), "tuple"),
    **dict.fromkeys(words("find rfind index rindex count"), "int"),
    **dict.fromkeys(
        words(
            "startswith endswith isalpha isdigit isalnum isupper islower isspace istitle "
            "isnumeric isdecimal isidentifier isascii isprintable"
        ),
        "bool",
    ),
}
METHOD_RESULTS: dict[str, dict[str, str]] = {
    "str": _STR_METHODS,
    "list": {"copy": "list", "index": "int", "count": "int"},
    "tuple": {"index": "int", "count": "int"},
    "dict": {"copy": "dict"},
    "set": {"copy": "set"},
    "int": {"bit_length": "int"},
}
# `str(x)` returns what `x.__str__` returns, which may be an instance of a subclass of `str`.
DELEGATING_FUNCTIONS = words("str repr ascii format input")
DELEGATING_METHODS = words("format")
# Types without items: `"%s" % (x,)` and `"{0[0]}".format([x])` return what `x.__str__` returns.
SCALAR_TYPES = STRINGS | words("bytes int float bool NoneType")

_INT_OPERATORS = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
    ast.Mod,
    ast.BitAnd,
    ast.BitOr,
    ast.BitXor,
)
_FLOAT_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_NUMBER_TYPES = ("int", "float", "bool")
_ITEM_TYPES = {"range": "int", "str": CHARACTER, "bytes": "int"}


def exact_type(name: str) -> str:
    """The type as Python names it: `CHARACTER` -> "str"."""
    return "str" if name == CHARACTER else name


def binary_result(left: str, op: ast.operator, right: str) -> str | None:
    """Result type of a binary operator: "str", +, "str" -> "str"."""
    left, right = exact_type(left), exact_type(right)
    if left == right and left in ("str", "list", "tuple") and isinstance(op, ast.Add):
        return left
    if isinstance(op, ast.Mult) and "int" in (left, right):
        other = left if right == "int" else right
        if other in ("str", "list", "tuple"):
            return other
    if left == right == "set" and isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor | ast.Sub):
        return left
    if left not in _NUMBER_TYPES or right not in _NUMBER_TYPES:
        return None
    if "float" in (left, right) or isinstance(op, ast.Div):
        return "float" if isinstance(op, _FLOAT_OPERATORS) else None
    is_bits = left == right == "bool" and isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor)
    return None if is_bits or not isinstance(op, _INT_OPERATORS) else "int"


def subscript_result(container: str, index: ast.expr) -> str | None:
    """Type of an item or a slice: "str", 0 -> `CHARACTER`; "list", 1:2 -> "list"."""
    is_slice = isinstance(index, ast.Slice)
    if container in STRINGS:
        return "str" if is_slice else CHARACTER
    return container if is_slice and container in ("list", "tuple") else None


def item_result(container: str) -> str | None:
    """Type of the items of a container: "range" -> "int"."""
    return _ITEM_TYPES.get(exact_type(container))
