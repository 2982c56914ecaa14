"""Inputs from the constants in a function's code, by type."""

import ast
from collections.abc import Mapping
from typing import Any

from worldline.core.util.seeded_random import SeededRandom
from worldline.data.harvest.parameter_kinds import parameter_kinds

_BASE_VALUES: Mapping[str, tuple[Any, ...]] = {
    "int": (0, 1, 2, -1, 7, 100),
    "float": (0.0, 1.0, -1.5, 3.25),
    "str": ("", "a", "Hello World", "abc-123", "one two  three"),
    "bool": (True, False),
    "bytes": (b"", b"abc", b"\x00\xff"),
    "NoneType": (None,),
}
_MAX_TEXT = 60


def constant_inputs(source: str, name: str, *, count: int = 12) -> list[str]:
    """Calls of a function with the constants of its source, those next to them, and usual ones.

    "def f(x):\\n    return 'big' if x > 10 else 'small'" -> ["f(10)", "f(11)", "f(0)", …]

    The same source gives the same calls.

    Args:
        source: The slice with the function.
        name: Name of the function.
        count: Number of calls, at most.
    """
    tree = ast.parse(source)
    function = next(
        each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name
    )
    random = SeededRandom("harvest", source, name)
    values = _values_by_kind(tree)
    kinds = parameter_kinds(function)
    optional = _optional_names(function)
    calls: dict[str, None] = {}
    for _ in range(3 * count):
        calls[_make_call(function, kinds, optional, values, random)] = None
        if len(calls) == count:
            break
    return list(calls)


def _optional_names(function: ast.FunctionDef) -> frozenset[str]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return frozenset(
        each.arg
        for each in [*with_default, *(name for name, default in pairs if default is not None)]
    )


def _values_by_kind(tree: ast.Module) -> dict[str, list[Any]]:
    """Values to choose from: the constants of the code, their neighbours, and usual values."""
    values: dict[str, dict[Any, None]] = {kind: {} for kind in _BASE_VALUES}
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Constant) else None
        kind = type(value).__name__
        if kind not in values or value is None:
            continue
        if isinstance(value, str | bytes):
            if len(value) <= _MAX_TEXT:
                values[kind][value] = None
        elif isinstance(value, bool | float):
            values[kind][value] = None
        elif isinstance(value, int) and abs(value) < 10**6:
            values[kind].update(dict.fromkeys((value, value - 1, value + 1)))
    return {kind: [*values[kind], *base] for kind, base in _BASE_VALUES.items()}


def _make_call(
    function: ast.FunctionDef,
    kinds: Mapping[str, tuple[str, ...]],
    optional: frozenset[str],
    values: Mapping[str, list[Any]],
    random: SeededRandom,
) -> str:
    arguments: list[str] = []
    is_positional = True
    for each in [*function.args.posonlyargs, *function.args.args]:
        if each.arg in optional and random.below(2):
            # From here on, only keywords can be given.
            is_positional = False
            continue
        text = _make_value(random.pick(kinds[each.arg]), values, random)
        if is_positional:
            arguments.append(text)
        elif each not in function.args.posonlyargs:
            arguments.append(f"{each.arg}={text}")
    for each in function.args.kwonlyargs:
        if each.arg not in optional or random.below(2):
            text = _make_value(random.pick(kinds[each.arg]), values, random)
            arguments.append(f"{each.arg}={text}")
    if function.args.vararg is not None and is_positional and not function.args.kwonlyargs:
        kind = random.pick(("int", "str"))
        arguments += [_make_value(kind, values, random) for _ in range(random.below(3))]
    return f"{function.name}({', '.join(arguments)})"


def _make_value(kind: str, values: Mapping[str, list[Any]], random: SeededRandom) -> str:
    if kind in values:
        return repr(random.pick(values[kind]))
    item_kind = random.pick(("int", "str"))
    items = [repr(random.pick(values[item_kind])) for _ in range(random.below(5))]
    if kind == "dict":
        keys = dict.fromkeys(repr(random.pick(values["str"])) for _ in range(3))
        return f"{{{', '.join(f'{key}: {item}' for key, item in zip(keys, items, strict=False))}}}"
    if kind == "set":
        return f"{{{', '.join(dict.fromkeys(items))}}}" if items else "set()"
    if kind == "tuple":
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return f"[{', '.join(items)}]"
