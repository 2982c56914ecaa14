"""A program that starts in a marked function goes in; the types of its parameters come out, as far
as all calls agree."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from worldline.rewrite.expressions.facts import Facts
from worldline.rewrite.expressions.kinds import Kinds
from worldline.rewrite.expressions.names import Names
from worldline.rewrite.scopes import Function, Scope

Parameters = Mapping[tuple[Scope, str], str]
_ROUNDS = 4


class _Site(NamedTuple):
    """A call of a function, and the scope that it stands in."""

    function: ast.FunctionDef
    call: ast.Call
    scope: Scope


def parameter_kinds(facts: Facts) -> Parameters:
    """The types that the parameters of functions surely have, where all calls are in the text.

    "def f(s): …\\ndef main():\\n    return f('a')" -> (f, "s"): "str"
    """
    if facts.is_reflective:
        return {}
    sites = list(_sites(facts))
    found: dict[tuple[Scope, str], str] = {}
    for _ in range(_ROUNDS):
        for key, kind in _given(facts, sites, found):
            if kind is not None:
                found.setdefault(key, kind)
    # Each was taken from one call. Those that another contradicts go, and what followed from them,
    # until nothing is left that any call contradicts.
    while True:
        wrong = {key for key, kind in _given(facts, sites, found) if found.get(key) != kind}
        if not wrong & found.keys():
            return found
        found = {key: kind for key, kind in found.items() if key not in wrong}


def _sites(facts: Facts) -> Iterator[_Site]:
    """The calls of functions of the module that are never used but in calls."""
    functions = {node.name: node for node in facts.tree.body if isinstance(node, ast.FunctionDef)}
    names = [node for node in ast.walk(facts.tree) if isinstance(node, ast.Name)]
    calls = [
        _Site(functions[node.func.id], node, scope)
        for node, scope in _calls(facts.tree, facts.module, facts)
        if isinstance(node.func, ast.Name) and node.func.id in functions
    ]
    for name, function in functions.items():
        bound = [scope for scope in facts.scopes.values() if name in scope.bindings]
        is_one = bound == [facts.module] and len(facts.module.bindings[name]) == 1
        own = [site for site in calls if site.function is function]
        if is_one and not function.decorator_list and len(own) == _count(names, name):
            yield from own


def _count(names: list[ast.Name], name: str) -> int:
    return sum(node.id == name for node in names)


def _calls(node: ast.AST, scope: Scope, facts: Facts) -> Iterator[tuple[ast.Call, Scope]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield child, scope
        yield from _calls(child, facts.scopes.get(child, scope), facts)


def _given(
    facts: Facts, sites: list[_Site], known: Parameters
) -> Iterator[tuple[tuple[Scope, str], str | None]]:
    """What each call gives each parameter."""
    for site in sites:
        kinds = Kinds(Names(facts, site.scope, frozenset(), {}), known)
        # Elsewhere a name may be another scope's.
        is_known = isinstance(site.scope.node, Function)
        values = _values(site)
        for name in _names(site.function):
            value = values.get(name)
            is_plain = is_known or isinstance(value, ast.Constant)
            kind = kinds.of(value) if value is not None and is_plain else None
            yield (facts.scopes[site.function], name), kind


def _names(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [parameter.arg for parameter in every]


def _values(site: _Site) -> dict[str, ast.expr]:
    """The expression for each parameter; none for those that are unpacked from something."""
    arguments, call = site.function.args, site.call
    is_open = any(isinstance(each, ast.Starred) for each in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    )
    if is_open:
        return {}
    placed = [*arguments.posonlyargs, *arguments.args]
    late = zip(reversed(placed), reversed(arguments.defaults), strict=False)
    found = {parameter.arg: value for parameter, value in late}
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    found |= {parameter.arg: value for parameter, value in named if value is not None}
    # A default is evaluated elsewhere, where its names may be others.
    found = {name: value for name, value in found.items() if isinstance(value, ast.Constant)}
    found |= {parameter.arg: value for parameter, value in zip(placed, call.args, strict=False)}
    return found | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
