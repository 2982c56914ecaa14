"""Kinds of values that the parameters of a function may have."""

import ast
from collections.abc import Mapping

# Without any hint, these are tried.
ANY_KIND = ("int", "str", "list")
_ANNOTATIONS = {
    **{name: name for name in ("int", "float", "str", "bool", "bytes", "list", "dict", "set")},
    **dict.fromkeys(("List", "Sequence", "Iterable", "Collection", "Iterator"), "list"),
    **dict.fromkeys(("Dict", "Mapping", "MutableMapping"), "dict"),
    **dict.fromkeys(("Set", "FrozenSet", "AbstractSet", "frozenset"), "set"),
    **dict.fromkeys(("Tuple", "tuple"), "tuple"),
    "Text": "str",
    "AnyStr": "str",
    "complex": "float",
}
# Methods that only one kind of value has.
_METHODS = {
    **dict.fromkeys(
        [
            "capitalize",
            "casefold",
            "encode",
            "format",
            "isalnum",
            "isalpha",
            "isdigit",
            "islower",
            "isspace",
            "isupper",
            "join",
            "ljust",
            "lower",
            "lstrip",
            "partition",
            "replace",
            "rfind",
            "rjust",
            "rpartition",
            "rsplit",
            "rstrip",
            "split",
            "splitlines",
            "startswith",
            "endswith",
            "strip",
            "title",
            "translate",
            "upper",
            "zfill",
        ],
        "str",
    ),
    **dict.fromkeys(["append", "extend", "insert", "reverse", "sort"], "list"),
    **dict.fromkeys(["items", "keys", "values", "setdefault", "get"], "dict"),
    **dict.fromkeys(["union", "intersection", "issubset", "issuperset", "isdisjoint"], "set"),
    "decode": "bytes",
    "bit_length": "int",
}
_ARITHMETIC = (ast.Sub, ast.FloorDiv, ast.Mod, ast.Pow, ast.Div, ast.LShift, ast.RShift, ast.BitAnd)


def parameter_kinds(function: ast.FunctionDef) -> Mapping[str, tuple[str, ...]]:
    """Kinds of each parameter, from its annotation, its default value, or its uses.

    "def f(s, n=1, x: float = 0): return s.split()" -> s: ("str",), n: ("int",), x: ("float",)
    """
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    first = len(positional) - len(arguments.defaults)
    defaults: list[ast.expr | None] = [*[None] * first, *arguments.defaults]
    kinds = {}
    for each, default in [
        *zip(positional, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]:
        kinds[each.arg] = (
            _annotation_kinds(each.annotation)
            or _default_kinds(default)
            or _use_kinds(function, each.arg)
            or ANY_KIND
        )
    return kinds


def _annotation_kinds(annotation: ast.expr | None) -> tuple[str, ...]:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            return ()
    if annotation is None:
        return ()
    # `list[int]` is a list: what is in the brackets is a kind only of a union.
    if isinstance(annotation, ast.Subscript):
        name = _last_name(annotation.value)
        if name not in ("Optional", "Union"):
            return (_ANNOTATIONS[name],) if name in _ANNOTATIONS else ()
        parts = (
            annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        )
        return tuple(dict.fromkeys(kind for part in parts for kind in _annotation_kinds(part)))
    if isinstance(annotation, ast.BinOp):
        both = _annotation_kinds(annotation.left) + _annotation_kinds(annotation.right)
        return tuple(dict.fromkeys(both))
    name = _last_name(annotation)
    return (_ANNOTATIONS[name],) if name in _ANNOTATIONS else ()


def _last_name(node: ast.expr) -> str:
    """`typing.List` -> "List"; `List` -> "List"."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _default_kinds(default: ast.expr | None) -> tuple[str, ...]:
    try:
        value = ast.literal_eval(default) if default is not None else None
    except (ValueError, TypeError, SyntaxError):
        return ()
    return () if value is None else (type(value).__name__,)


def _use_kinds(function: ast.FunctionDef, name: str) -> tuple[str, ...]:
    kinds: dict[str, None] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and _is_name(node.value, name):
            kinds.update(dict.fromkeys([_METHODS[node.attr]] if node.attr in _METHODS else []))
        elif isinstance(node, ast.Compare) and _is_name(node.left, name):
            kinds.update(dict.fromkeys(_constant_kinds(node.comparators)))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            is_text_format = isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant)
            if not is_text_format and (_is_name(node.left, name) or _is_name(node.right, name)):
                kinds["int"] = None
        elif isinstance(node, ast.Subscript) and _is_name(node.value, name):
            is_key = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
            kinds["dict" if is_key else "list"] = None
        elif isinstance(node, ast.For | ast.comprehension) and _is_name(node.iter, name):
            kinds.update(dict.fromkeys(["list", "str"]))
    return tuple(kinds)


def _constant_kinds(nodes: list[ast.expr]) -> list[str]:
    known = {"int", "float", "str", "bytes", "bool"}
    return [
        kind
        for node in nodes
        if isinstance(node, ast.Constant) and (kind := type(node.value).__name__) in known
    ]


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
