"""Types of the variables and results of the functions of a generated program."""

import ast
from dataclasses import dataclass, field

from worldline.data.generation.javascript.value_types import expression_type, item_type

# Types of functions that call each other need a few rounds.
_ROUNDS = 4


@dataclass(slots=True)
class ProgramTypes:
    """Types by function: of its variables, and of its result."""

    variables: dict[str, dict[str, str]] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)


def infer_types(tree: ast.Module, call: ast.Call) -> ProgramTypes:
    """Infer all types from the arguments of the call."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    types = ProgramTypes({name: {} for name in functions}, dict.fromkeys(functions, "?"))
    for name, function in functions.items():
        names = [each.arg for each in function.args.args]
        defaults = function.args.defaults
        for parameter, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
            types.variables[name][parameter] = expression_type(default, {}, {})
    for _ in range(_ROUNDS):
        _pass_arguments(call, {}, functions, types)
        for name, function in functions.items():
            _infer_function(name, function, functions, types)
    return types


def _infer_function(
    name: str,
    function: ast.FunctionDef,
    functions: dict[str, ast.FunctionDef],
    types: ProgramTypes,
) -> None:
    variables = types.variables[name]
    for node in _in_order(function):
        match node:
            case ast.Assign(targets=[target], value=value):
                _bind(
                    target,
                    expression_type(value, variables, types.results),
                    variables,
                    value,
                    types,
                )
            case ast.For(target=target, iter=iterable):
                _bind_loop(target, iterable, variables, types)
            case ast.Return(value=value) if value is not None:
                inferred = expression_type(value, variables, types.results)
                if types.results[name] in ("?", "none", "list"):
                    types.results[name] = inferred
            case ast.Call():
                _pass_arguments(node, variables, functions, types)


def _in_order(node: ast.AST) -> list[ast.AST]:
    nodes = [node]
    for child in ast.iter_child_nodes(node):
        nodes += _in_order(child)
    return nodes


def _pass_arguments(
    call: ast.Call,
    variables: dict[str, str],
    functions: dict[str, ast.FunctionDef],
    types: ProgramTypes,
) -> None:
    if isinstance(call.func, ast.Name) and call.func.id in functions:
        parameters = functions[call.func.id].args.args
        for parameter, argument in zip(parameters, call.args, strict=False):
            inferred = expression_type(argument, variables, types.results)
            known = types.variables[call.func.id]
            if known.get(parameter.arg, "?") in ("?", "list"):
                known[parameter.arg] = inferred


def _bind(
    target: ast.expr,
    inferred: str,
    variables: dict[str, str],
    value: ast.expr,
    types: ProgramTypes,
) -> None:
    if isinstance(target, ast.Name) and variables.get(target.id, "?") in ("?", "list"):
        variables[target.id] = inferred
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for each, item in zip(target.elts, value.elts, strict=False):
            _bind(each, expression_type(item, variables, types.results), variables, item, types)


def _bind_loop(
    target: ast.expr, iterable: ast.expr, variables: dict[str, str], types: ProgramTypes
) -> None:
    def items(node: ast.expr) -> str:
        return item_type(expression_type(node, variables, types.results))

    if isinstance(target, ast.Name):
        variables.setdefault(target.id, items(iterable))
        if variables[target.id] == "?":
            variables[target.id] = items(iterable)
        return
    match iterable:
        case ast.Call(func=ast.Name(id="enumerate"), args=[each]):
            item_types = ["int", items(each)]
        case ast.Call(func=ast.Name(id="zip"), args=[first, second]):
            item_types = [items(first), items(second)]
        case ast.Call(func=ast.Attribute(attr="items")):
            item_types = ["str", "int"]
        case _:
            return
    if isinstance(target, ast.Tuple):
        for each, kind in zip(target.elts, item_types, strict=False):
            if isinstance(each, ast.Name):
                variables[each.id] = kind
