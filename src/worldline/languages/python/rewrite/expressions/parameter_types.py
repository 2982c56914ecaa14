"""Types of parameters, inferred from all calls of a program with a marked entry point."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from worldline.languages.python.rewrite.expressions.program_facts import ProgramFacts
from worldline.languages.python.rewrite.type_inference import TypeInference, Variable

ParameterTypes = Mapping[Variable, str]


class _CallSite(NamedTuple):
    """A call of a function, and that function."""

    function: ast.FunctionDef
    call: ast.Call


def infer_parameter_types(facts: ProgramFacts) -> ParameterTypes:
    """Infer the types that parameters certainly have if all calls are in the text.

    "def f(s): …\\ndef main():\\n    return f('a')" -> (f, "s"): "str"
    """
    if facts.is_reflective:
        return {}
    sites = list(_find_call_sites(facts))
    types: dict[Variable, str] = {}
    has_new = True
    while has_new:
        known = {
            key: type_name
            for key, type_name in _argument_types(facts, sites, types)
            if type_name is not None
        }
        has_new = not known.keys() <= types.keys()
        types = {**known, **types}
    # Each type was taken from one call. Remove those that another call contradicts, and the types
    # inferred from them, until no call contradicts any.
    while True:
        contradicted = {
            key
            for key, type_name in _argument_types(facts, sites, types)
            if types.get(key) != type_name
        }
        if not contradicted & types.keys():
            return types
        types = {key: type_name for key, type_name in types.items() if key not in contradicted}


def _find_call_sites(facts: ProgramFacts) -> Iterator[_CallSite]:
    """Yield the calls of module-level functions that are used only in calls."""
    functions = {node.name: node for node in facts.tree.body if isinstance(node, ast.FunctionDef)}
    names = [node for node in ast.walk(facts.tree) if isinstance(node, ast.Name)]
    calls = [
        _CallSite(functions[node.func.id], node)
        for node in ast.walk(facts.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in functions
    ]
    for name, function in functions.items():
        bound = [scope for scope in facts.scopes.created_by.values() if name in scope.bindings]
        is_bound_once = bound == [facts.module] and len(facts.module.bindings[name]) == 1
        own_sites = [site for site in calls if site.function is function]
        if (
            is_bound_once
            and not function.decorator_list
            and len(own_sites) == _count_name(names, name)
        ):
            yield from own_sites


def _count_name(names: list[ast.Name], name: str) -> int:
    return sum(node.id == name for node in names)


def _argument_types(
    facts: ProgramFacts, sites: list[_CallSite], known: ParameterTypes
) -> Iterator[tuple[Variable, str | None]]:
    """Yield the type of the argument that each call passes for each parameter."""
    inference = TypeInference(facts.scopes, facts.assumptions, known)
    for site in sites:
        values = _arguments_by_parameter(site)
        for name in _parameter_names(site.function):
            value = values.get(name)
            type_name = None if value is None else inference.type_of(value)
            yield (facts.scopes.created_by[site.function], name), type_name


def _parameter_names(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [parameter.arg for parameter in parameters]


def _arguments_by_parameter(site: _CallSite) -> dict[str, ast.expr]:
    """Map each parameter to its argument; empty if arguments are unpacked."""
    arguments, call = site.function.args, site.call
    has_unpacking = any(isinstance(each, ast.Starred) for each in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    )
    if has_unpacking:
        return {}
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = zip(reversed(positional), reversed(arguments.defaults), strict=False)
    by_name = {parameter.arg: value for parameter, value in defaults}
    keyword_defaults = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    by_name |= {parameter.arg: value for parameter, value in keyword_defaults if value is not None}
    by_name |= {
        parameter.arg: value for parameter, value in zip(positional, call.args, strict=False)
    }
    return by_name | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
