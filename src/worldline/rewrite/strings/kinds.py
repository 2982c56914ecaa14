"""An expression goes in; whether it is certainly a string, certainly none, or unknown comes out."""

import ast
from typing import Literal

from worldline.rewrite.scopes import Binding, Scopes

Kind = Literal["str", "character", "other"]

# Methods of strings that give strings.
GIVE_STRINGS = frozenset(
    {
        "capitalize",
        "casefold",
        "center",
        "expandtabs",
        "join",
        "ljust",
        "lower",
        "lstrip",
        "removeprefix",
        "removesuffix",
        "replace",
        "rjust",
        "rstrip",
        "strip",
        "swapcase",
        "title",
        "translate",
        "upper",
        "zfill",
    }
)

BUILT_IN: dict[str, Kind] = {
    **dict.fromkeys(("str", "repr", "input", "format", "bin", "hex", "oct", "ascii"), "str"),
    "chr": "character",
    **dict.fromkeys(("list", "dict", "set", "tuple", "frozenset", "sorted", "range"), "other"),
    **dict.fromkeys(("len", "int", "float", "bool", "ord", "enumerate", "zip"), "other"),
    **dict.fromkeys(("map", "filter"), "other"),
}

# How many variables are followed to what they are made of.
DEEPEST = 3

# Expressions that are no strings, whatever is in them.
NOT_STRINGS = (
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.Dict,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Lambda,
)


def is_string(node: ast.expr, scopes: Scopes) -> bool:
    """Whether an expression is certainly a string, of no class but `str` itself."""
    return kind_of(node, scopes) in ("str", "character")


def kind_of(node: ast.expr, scopes: Scopes, *, seen: frozenset[str] = frozenset()) -> Kind | None:
    """What an expression certainly is, whatever the program is given; none: that is not certain.

    'ab' -> "str", 'ab'[0] -> "character", [x] -> "other", x -> None
    """
    match node:
        case ast.Constant(value=str(value)):
            return "character" if len(value) == 1 else "str"
        case ast.Constant():
            return "other"
        # A lone value may be formatted as a string of another class.
        case ast.JoinedStr(values=values):
            return "str" if len(values) != 1 else None
        case ast.Call(func=ast.Name() as function) if scopes.owner(function) is None:
            return _called(node, BUILT_IN.get(function.id), scopes, seen)
        case ast.Call(func=ast.Attribute(value=receiver, attr=method)):
            within = kind_of(receiver, scopes, seen=seen)
            return "str" if within in ("str", "character") and method in GIVE_STRINGS else None
        case ast.Subscript(value=value, slice=part):
            if kind_of(value, scopes, seen=seen) not in ("str", "character"):
                return None
            return "str" if isinstance(part, ast.Slice) else "character"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            sides = {kind_of(side, scopes, seen=seen) for side in (left, right)}
            return "str" if sides <= {"str", "character"} else None
        case ast.Name():
            return _named(node, scopes, seen)
        case _:
            return "other" if isinstance(node, NOT_STRINGS) else None


def _called(call: ast.Call, kind: Kind | None, scopes: Scopes, seen: frozenset[str]) -> Kind | None:
    """`str(x)` may be of another class where x's `__str__` gives one, but not for what is plain."""
    if kind != "str":
        return kind
    plain = all(kind_of(each, scopes, seen=seen) is not None for each in call.args)
    return "str" if plain and not call.keywords else None


def _named(name: ast.Name, scopes: Scopes, seen: frozenset[str]) -> Kind | None:
    """A variable is what all its values are."""
    owner = scopes.owner(name)
    if owner is None:
        return "other" if name.id in BUILT_IN else None
    bindings = owner.bindings[name.id]
    if all(each.kind == "module" for each in bindings):
        return "other"
    # The variables of a class or a module can be set from outside.
    if owner.is_class or owner.parent is None or name.id in seen or len(seen) == DEEPEST:
        return None
    kinds: set[Kind] = set()
    for each in sorted(bindings, key=lambda each: each.kind == "added"):
        # Whatever is added to a list, it is no string after that.
        if each.kind == "added" and kinds == {"other"}:
            continue
        kind = _bound(each, scopes, seen | {name.id})
        if kind is None:
            return None
        kinds.add(kind)
    if kinds <= {"str", "character"}:
        return "character" if kinds == {"character"} else "str"
    return "other" if kinds == {"other"} else None


def _bound(binding: Binding, scopes: Scopes, seen: frozenset[str]) -> Kind | None:
    """What one assignment makes of a name."""
    if binding.expression is None or binding.place is not None:
        return None
    kind = kind_of(binding.expression, scopes, seen=seen)
    if binding.kind == "value":
        return kind
    if kind not in ("str", "character"):
        return None
    return "character" if binding.kind == "item" else "str"
