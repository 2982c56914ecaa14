"""Annotations for symbolic execution, which needs to know the types of parameters."""

import ast

from worldline.data.harvest.parameter_kinds import parameter_kinds

_TYPES = {
    "int": "int",
    "float": "float",
    "str": "str",
    "bool": "bool",
    "bytes": "bytes",
    "list": "list[int]",
    "dict": "dict[str, int]",
    "set": "set[int]",
    "tuple": "tuple[int, ...]",
}
# Types of items that are kept, such as `list[str]`.
_KNOWN = frozenset({*_TYPES, "None"})


def annotate_parameters(source: str, name: str) -> str:
    """Annotate all parameters of a function with built-in types.

    "def f(s, n=1): return s.split()[n]" -> "def f(s: str, n: int=1): ..."

    Annotations of built-in types are kept; others are replaced by types that fit the parameter.
    """
    tree = ast.parse(source)
    function = next(
        each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name
    )
    kinds = parameter_kinds(function)
    arguments = function.args
    for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        if each.annotation is None or not _is_built_in(each.annotation):
            types = dict.fromkeys(_TYPES[kind] for kind in kinds[each.arg] if kind in _TYPES)
            each.annotation = ast.parse(" | ".join(types) or "int", mode="eval").body
    for starred in (arguments.vararg, arguments.kwarg):
        if starred is not None:
            starred.annotation = ast.Name("int")
    function.returns = None
    return ast.unparse(tree)


def _is_built_in(annotation: ast.expr) -> bool:
    """Whether it is a union of built-in types, and their items are, too."""
    match annotation:
        case ast.Name(id=name):
            return name in _KNOWN and name not in ("list", "dict", "set", "tuple")
        case ast.Constant(value=value):
            return value is None or value is Ellipsis
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_built_in(left) and _is_built_in(right)
        case ast.Subscript(value=ast.Name(id=name), slice=items):
            parts = items.elts if isinstance(items, ast.Tuple) else [items]
            return name in _KNOWN and all(map(_is_built_in, parts))
    return False
