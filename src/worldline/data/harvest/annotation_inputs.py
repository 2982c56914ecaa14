"""Inputs from the annotations of a function, chosen by Hypothesis."""

import ast
import hashlib
import warnings
from typing import Any, Literal, Union

from worldline.core.util.cache_folder import cache_folder
from worldline.core.util.optional_imports import optional_import
from worldline.data.harvest.literal_calls import is_literal

_SIMPLE: dict[str, Any] = {
    **{each.__name__: each for each in (int, float, str, bool, bytes, complex)},
    "None": type(None),
    "Text": str,
    "Any": int | str | None | list[int],
    "object": int | str | None,
}
_LISTS = frozenset({"list", "List", "Sequence", "Iterable", "Collection", "MutableSequence"})
_SETS = frozenset({"set", "Set", "AbstractSet"})
_DICTS = frozenset({"dict", "Dict", "Mapping", "MutableMapping"})
_TUPLES = frozenset({"tuple", "Tuple"})
_MAX_CALL_CHARS = 300


def annotation_inputs(source: str, name: str, *, count: int = 12) -> list[str]:
    """Calls of a function with values of its annotated types.

    "def f(x: int, y: list[str]): …" -> ["f(0, [])", "f(-31, ['a'])", …]

    Nothing of the source is executed. The same source and version of Hypothesis give the same
    calls. Empty if the type of a parameter without a default is not known.

    Raises:
        InputError: Hypothesis is not installed.
    """
    tree = ast.parse(source)
    function = next(
        each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name
    )
    types = _parameter_types(function)
    if not types:
        return []
    seed = int(hashlib.sha256(source.encode()).hexdigest()[:8], 16)
    calls: dict[str, None] = {}
    for values in _draw(list(types.values()), seed, count):
        texts = [
            repr(value) if keyword is None else f"{keyword}={value!r}"
            for keyword, value in zip(_keywords(function, types), values, strict=True)
        ]
        call = f"{name}({', '.join(texts)})"
        if len(call) <= _MAX_CALL_CHARS and _has_literals(call):
            calls[call] = None
    return list(calls)


def _parameter_types(function: ast.FunctionDef) -> dict[str, Any]:
    """Types of the parameters up to the first optional one without a known type; or none."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    needed = len(positional) - len(arguments.defaults)
    types: dict[str, Any] = {}
    for number, each in enumerate(positional):
        known_type = parse_type(each.annotation)
        if known_type is None and number < needed:
            return {}
        if known_type is None:
            break
        types[each.arg] = known_type
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        known_type = parse_type(each.annotation)
        if known_type is None and default is None:
            return {}
        if known_type is not None:
            types[each.arg] = known_type
    return types


def _keywords(function: ast.FunctionDef, types: dict[str, Any]) -> list[str | None]:
    keywords = {each.arg for each in function.args.kwonlyargs}
    return [name if name in keywords else None for name in types]


def parse_type(node: ast.expr | None) -> Any:
    """The type of an annotation of built-in types; None if it has others.

    "list[int] | None" -> list[int] | None; "MyClass" -> None
    """
    if isinstance(node, ast.Constant):
        if node.value is None:
            return type(None)
        if not isinstance(node.value, str):
            return None
        try:
            return parse_type(ast.parse(node.value, mode="eval").body)
        except (SyntaxError, ValueError, RecursionError):
            return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([node.left, node.right])
    if isinstance(node, ast.Subscript):
        return _subscripted_type(_last_name(node.value), node.slice)
    name = "" if node is None else _last_name(node)
    if name in _LISTS:
        return list[int]
    if name in _DICTS:
        return dict[str, int]
    return _SIMPLE.get(name)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _subscripted_type(name: str, inner: ast.expr) -> Any:
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name == "Literal":
        values = tuple(each.value for each in parts if isinstance(each, ast.Constant))
        return Literal[values] if len(values) == len(parts) else None
    if name == "Optional":
        return _union([*parts, ast.Constant(None)])
    if name == "Union":
        return _union(parts)
    if name in _TUPLES and len(parts) == 2 and _is_ellipsis(parts[1]):
        item = parse_type(parts[0])
        return None if item is None else tuple[item, ...]  # type: ignore[valid-type]
    types = [parse_type(each) for each in parts]
    if any(each is None for each in types):
        return None
    if name in _TUPLES:
        return tuple[tuple(types)]  # type: ignore[misc]
    if name in _DICTS and len(types) == 2:
        return dict[types[0], types[1]]  # type: ignore[valid-type]
    if len(types) == 1 and name in _LISTS | _SETS:
        return list[types[0]] if name in _LISTS else set[types[0]]  # type: ignore[valid-type]
    return None


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _union(parts: list[ast.expr]) -> Any:
    types = [known_type for each in parts if (known_type := parse_type(each)) is not None]
    # A part that is not known is left out: the others are valid inputs, too.
    known = [each for each in types if each is not type(None)]
    return Union[tuple(types)] if known else None  # noqa: UP007


def _draw(types: list[Any], seed: int, count: int) -> list[tuple[Any, ...]]:
    with optional_import(
        "inputs from annotations need hypothesis; install it with", extra="harvest"
    ):
        import hypothesis
        from hypothesis.configuration import set_hypothesis_home_dir
        from hypothesis.strategies import from_type, tuples
    drawn: list[tuple[Any, ...]] = []
    # By default Hypothesis keeps a cache in the current folder.
    set_hypothesis_home_dir(cache_folder() / "hypothesis")
    try:

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=count,
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(tuples(*map(from_type, types)))
        def collect(values: tuple[Any, ...]) -> None:
            drawn.append(values)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            collect()
    except (hypothesis.errors.HypothesisException, TypeError):
        # A type that Hypothesis cannot draw, as set[list[int]].
        return []
    finally:
        set_hypothesis_home_dir(None)
    return drawn


def _has_literals(call: str) -> bool:
    try:
        node = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    assert isinstance(node, ast.Call)
    return all(map(is_literal, [*node.args, *(each.value for each in node.keywords)]))
