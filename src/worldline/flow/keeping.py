"""A syntax tree goes in, whether an operation may call a function that something keeps comes out.

`d[key]` calls what a defaultdict was made with, `a + b` what a class was given by an assignment,
`a += m` what a `map` was given. Rather too often than too seldom.
"""

import ast
import builtins
from collections.abc import Iterator

from worldline.flow.names import (
    CONSUMERS,
    Function,
    bound_names,
    extending_classes,
    named,
    used_names,
    words,
)

# What keeps a function that it is given, and in which of its arguments that is.
_KEEPERS = {"map": 0, "filter": 0, "defaultdict": 0, "cmp_to_key": 0, "property": 0, "setattr": 2}
_KNOWN_DECORATORS = words("property setter getter deleter staticmethod classmethod abstractmethod")
_BUILTINS = frozenset(dir(builtins))


def operations_call_values(tree: ast.Module) -> bool:
    """Whether an operation may call a function by another name than its own.

    "d = defaultdict(lambda: 0)", "A.__len__ = g", "m = map(g, x)" -> True; "max(x, key=g)" -> False
    """
    nodes = list(ast.walk(tree))
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    if any(_holds_values(node) for node in classes):
        return True
    names = {node.name for node in classes} | {"cls"}
    if any(isinstance(node, ast.Assign) and _changes_class(node, names) for node in nodes):
        return True
    outside, functions, used_up = _outside(nodes, classes), set(_functions(nodes)), _used_up(nodes)
    calls = [node for node in nodes if isinstance(node, ast.Call) and node not in used_up]
    return any(_gives(node, outside, functions) for node in calls)


def _holds_values(node: ast.ClassDef) -> bool:
    """Whether an attribute of a class may call a function of another name."""
    decorators = {
        name
        for part in node.body
        if isinstance(part, Function)
        for decorator in part.decorator_list
        for name in named(decorator)
    }
    is_assigned = any(
        isinstance(part, ast.Assign | ast.AnnAssign)
        and part.value is not None
        and not isinstance(part.value, ast.Constant)
        for part in node.body
    )
    return is_assigned or bool(decorators - _KNOWN_DECORATORS)


def _changes_class(node: ast.Assign, classes: set[str]) -> bool:
    """Whether an assignment may give a class an attribute: A.x = y, type(a).x = y, a.__len__ = y"""
    targets = [target for target in node.targets if isinstance(target, ast.Attribute)]
    return not isinstance(node.value, ast.Constant) and any(
        target.attr.startswith("__") or _root(target) in classes or _is_class(target.value)
        for target in targets
    )


def _is_class(node: ast.expr) -> bool:
    return not {"type", "__class__"}.isdisjoint(
        named(node.func if isinstance(node, ast.Call) else node)
    )


def _gives(node: ast.Call, outside: set[str], functions: set[str]) -> bool:
    """Whether a call gives a function to what may keep it."""
    by_keyword = [keyword.value for keyword in node.keywords]
    for name in set(named(node.func)) & _KEEPERS.keys():
        given = [*node.args[_KEEPERS[name] :][:1], *by_keyword]
        # It may be a variable's, so anything counts that is not certain to be none.
        if _has_lambda(given) or used_names(_parts(given)) - _BUILTINS:
            return True
    given = [*node.args, *by_keyword]
    if isinstance(node.func, ast.Name) and node.func.id in ("iter", "type"):
        may_keep = len(given) > 1
    else:
        may_keep = _root(node.func) in outside
    return may_keep and (_has_lambda(given) or not functions.isdisjoint(used_names(_parts(given))))


def _parts(nodes: list[ast.expr]) -> list[ast.AST]:
    return [part for node in nodes for part in ast.walk(node)]


def _has_lambda(nodes: list[ast.expr]) -> bool:
    return any(isinstance(part, ast.Lambda) for part in _parts(nodes))


def _outside(nodes: list[ast.AST], classes: list[ast.ClassDef]) -> set[str]:
    """Names of what may be from outside: imported, extending that, decorated or made by it."""
    found = {node.name for node in extending_classes(classes)}
    found |= {node.name for node in classes if node.decorator_list}
    found |= {name for node in nodes if isinstance(node, ast.alias) for name in bound_names(node)}
    if "*" in found:
        found |= {name for node in nodes for name in named(node)} - _BUILTINS
    for node in nodes:
        if isinstance(node, ast.Assign) and _root(node.value) in found:
            found |= {name for target in node.targets for name in bound_names(target)}
    return found


def _root(node: ast.expr) -> str | None:
    """ "x" of x.y(0).z"""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _functions(nodes: list[ast.AST]) -> Iterator[str]:
    """The names of functions, and of variables that are given a lambda."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
                yield name
            case ast.NamedExpr(target=ast.Name(id=name), value=ast.Lambda()):
                yield name


def _used_up(nodes: list[ast.AST]) -> set[ast.AST]:
    """What is done with when its statement is: given to `list` or as a key to `sorted`, or gone
    through by a loop."""
    found: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and CONSUMERS.intersection(named(node.func)):
            found.update(node.args, (k.value for k in node.keywords if k.arg == "key"))
        elif isinstance(node, ast.For | ast.comprehension):
            found.add(node.iter)
    return found
