"""Variables that statements bind, change in place or resize."""

import ast
import builtins
from collections.abc import Iterator, Sequence

from worldline.analysis.diagnosis.operation_syntax import is_store, operation_name
from worldline.analysis.diagnosis.source_statements import executed_expressions

MUTATORS = frozenset(
    [
        "append",
        "extend",
        "insert",
        "remove",
        "pop",
        "clear",
        "sort",
        "reverse",
        "add",
        "discard",
        "update",
        "setdefault",
        "popitem",
        "appendleft",
        "popleft",
        "extendleft",
        "rotate",
        "difference_update",
        "intersection_update",
        "symmetric_difference_update",
        "__setitem__",
        "__delitem__",
    ]
)
# Mutators that change the number of items.
_RESIZERS = MUTATORS - {"sort", "reverse", "rotate", "__setitem__"}
_BUILT_IN = frozenset(dir(builtins))
_BUILT_IN_METHODS = frozenset(
    name for kind in (str, bytes, list, tuple, dict, set, int, float) for name in dir(kind)
)


def written_names(statement: ast.stmt) -> Iterator[str]:
    """Names that the statement binds, or whose value it may change in place."""
    nodes: list[ast.AST] = list(executed_expressions(statement))
    for field in ("target", "targets", "items", "name", "names"):
        value = getattr(statement, field, None)
        values = value if isinstance(value, list) else [value]
        # The names of a `global` statement are strings; it binds nothing.
        nodes += [node for node in values if isinstance(node, ast.AST)]
        if isinstance(value, str):
            yield value
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Name) and is_store(node):
                yield node.id
            elif isinstance(node, ast.alias):
                yield (node.asname or node.name).split(".")[0]
            elif isinstance(node, ast.Subscript | ast.Attribute) and is_store(node):
                yield from _base_name(node)
            elif isinstance(node, ast.Call):
                if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
                    yield from _base_name(node.func)
                if not is_built_in(node.func):
                    # A function of the program may change its arguments in place.
                    for argument in [*node.args, *(k.value for k in node.keywords)]:
                        if isinstance(argument, ast.Name):
                            yield argument.id


def is_built_in(function: ast.expr) -> bool:
    """Whether a call is to a built-in function or method, judged by its name."""
    if isinstance(function, ast.Name):
        return function.id in _BUILT_IN and function.id not in ("next", "setattr", "delattr")
    return isinstance(function, ast.Attribute) and function.attr in _BUILT_IN_METHODS


def _base_name(node: ast.AST) -> Iterator[str]:
    """ "x" of x.y[0].z"""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def bound_by_header(statement: ast.stmt) -> Iterator[str]:
    """Names that the header of a for loop binds."""
    if isinstance(statement, ast.For | ast.AsyncFor):
        for node in ast.walk(statement.target):
            if isinstance(node, ast.Name):
                yield node.id


def mutated_iterables(nodes: Sequence[ast.AST], line: int) -> frozenset[str]:
    """Names that a loop around the line iterates over, and to which its body adds or removes."""
    loops = [
        node
        for node in nodes
        if isinstance(node, ast.For)
        and node.lineno <= line <= (node.body[-1].end_lineno or node.lineno)
    ]
    # A header belongs to its own loop, not to those around it.
    loops = [loop for loop in loops if loop.lineno == line] or loops
    return frozenset(
        name for loop in loops for name in _iterated_names(loop.iter) & resized_names(loop.body)
    )


def _iterated_names(node: ast.expr) -> set[str]:
    """The names whose items a loop iterates over; not those that it copies.

    xs, enumerate(xs), d.items() -> xs, xs, d; list(xs), xs[:] -> none
    """
    if isinstance(node, ast.Name | ast.Attribute):
        return {ast.unparse(node)}
    if not isinstance(node, ast.Call):
        return set()
    name, function = operation_name(node), node.func
    if name in ("enumerate()", "reversed()", "iter()", "zip()"):
        return {name for argument in node.args for name in _iterated_names(argument)}
    if name in (".keys()", ".values()", ".items()") and isinstance(function, ast.Attribute):
        return _iterated_names(function.value)
    return set()


def resized_names(body: list[ast.stmt]) -> set[str]:
    """Names to which statements add items, or from which they remove items."""
    names: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in _RESIZERS:
                    names.add(ast.unparse(node.func.value))
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Del):
                names.add(ast.unparse(node.value))
            elif isinstance(node, ast.AugAssign):
                names.add(ast.unparse(node.target))
    return names
