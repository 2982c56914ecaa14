"""Detection of operations that may call a stored function.

`d[key]` calls the factory of a defaultdict, `a + b` a function that was assigned to a class
attribute, `a += m` the function of a `map`. An over-approximation.
"""

import ast
import builtins
from collections.abc import Iterator

from worldline.core.trace import words
from worldline.languages.python.cfg.name_resolution import (
    CONSUMERS,
    Function,
    bound_names,
    classes_with_external_bases,
    looked_up_names,
    names_used_as_values,
)

# Functions that store a callable argument -> the position of that argument.
_STORED_ARGUMENT = {
    "map": 0,
    "filter": 0,
    "defaultdict": 0,
    "cmp_to_key": 0,
    "property": 0,
    "setattr": 2,
}
_KNOWN_DECORATORS = words("property setter getter deleter staticmethod classmethod abstractmethod")
_BUILTINS = frozenset(dir(builtins))


def may_call_stored_callables(tree: ast.Module) -> bool:
    """Whether an operation may call a function by another name than its own.

    "d = defaultdict(lambda: 0)", "A.__len__ = g", "m = map(g, x)" -> True; "max(x, key=g)" -> False
    """
    nodes = list(ast.walk(tree))
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    if any(_may_hold_callables(node) for node in classes):
        return True
    names = {node.name for node in classes} | {"cls"}
    if any(
        isinstance(node, ast.Assign) and _assigns_class_attribute(node, names) for node in nodes
    ):
        return True
    external, functions = _external_names(nodes, classes), set(_function_names(nodes))
    consumed = _consumed(nodes)
    calls = [node for node in nodes if isinstance(node, ast.Call) and node not in consumed]
    return any(_passes_callable(node, external, functions) for node in calls)


def _may_hold_callables(node: ast.ClassDef) -> bool:
    """Whether an attribute of a class may call a function of another name."""
    decorators = {
        name
        for part in node.body
        if isinstance(part, Function)
        for decorator in part.decorator_list
        for name in looked_up_names(decorator)
    }
    is_assigned = any(
        isinstance(part, ast.Assign | ast.AnnAssign)
        and part.value is not None
        and not isinstance(part.value, ast.Constant)
        for part in node.body
    )
    return is_assigned or bool(decorators - _KNOWN_DECORATORS)


def _assigns_class_attribute(node: ast.Assign, classes: set[str]) -> bool:
    """Whether an assignment may set a class attribute: A.x = y, type(a).x = y, a.__len__ = y."""
    targets = [target for target in node.targets if isinstance(target, ast.Attribute)]
    return not isinstance(node.value, ast.Constant) and any(
        target.attr.startswith("__")
        or _root_name(target) in classes
        or _is_class_expression(target.value)
        for target in targets
    )


def _is_class_expression(node: ast.expr) -> bool:
    return not {"type", "__class__"}.isdisjoint(
        looked_up_names(node.func if isinstance(node, ast.Call) else node)
    )


def _passes_callable(node: ast.Call, external: set[str], functions: set[str]) -> bool:
    """Whether a call passes a function to something that may store it."""
    by_keyword = [keyword.value for keyword in node.keywords]
    for name in set(looked_up_names(node.func)) & _STORED_ARGUMENT.keys():
        arguments = [*node.args[_STORED_ARGUMENT[name] :][:1], *by_keyword]
        # A variable may hold a function, so every name counts that is not a built-in.
        if _has_lambda(arguments) or names_used_as_values(_descendants(arguments)) - _BUILTINS:
            return True
    arguments = [*node.args, *by_keyword]
    if isinstance(node.func, ast.Name) and node.func.id in ("iter", "type"):
        may_store = len(arguments) > 1
    else:
        may_store = _root_name(node.func) in external
    return may_store and (
        _has_lambda(arguments)
        or not functions.isdisjoint(names_used_as_values(_descendants(arguments)))
    )


def _descendants(nodes: list[ast.expr]) -> list[ast.AST]:
    return [part for node in nodes for part in ast.walk(node)]


def _has_lambda(nodes: list[ast.expr]) -> bool:
    return any(isinstance(part, ast.Lambda) for part in _descendants(nodes))


def _external_names(nodes: list[ast.AST], classes: list[ast.ClassDef]) -> set[str]:
    """Names of external objects: imported, derived from these, or returned by them."""
    external = {node.name for node in classes_with_external_bases(classes)}
    external |= {node.name for node in classes if node.decorator_list}
    external |= {
        name for node in nodes if isinstance(node, ast.alias) for name in bound_names(node)
    }
    if "*" in external:
        external |= {name for node in nodes for name in looked_up_names(node)} - _BUILTINS
    for node in nodes:
        if isinstance(node, ast.Assign) and _root_name(node.value) in external:
            external |= {name for target in node.targets for name in bound_names(target)}
    return external


def _root_name(node: ast.expr) -> str | None:
    """ "x" of x.y(0).z"""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _function_names(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield the names of functions, and of variables assigned a lambda."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
                yield name
            case ast.NamedExpr(target=ast.Name(id=name), value=ast.Lambda()):
                yield name


def _consumed(nodes: list[ast.AST]) -> set[ast.AST]:
    """Nodes that do not outlive their statement.

    They are passed to `list` or as a key to `sorted`, or looped over.
    """
    consumed: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and CONSUMERS.intersection(looked_up_names(node.func)):
            consumed.update(node.args, (k.value for k in node.keywords if k.arg == "key"))
        elif isinstance(node, ast.For | ast.comprehension):
            consumed.add(node.iter)
    return consumed
