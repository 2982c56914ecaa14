"""Functions of a module: at its top level, in its classes, and in other functions."""

import ast
from collections.abc import Iterator

from worldline.data.harvest.function_slice import FunctionSlice, slice_function, slice_method
from worldline.data.harvest.method_functions import find_methods
from worldline.data.harvest.module_index import ModuleIndex


def slice_functions(index: ModuleIndex) -> Iterator[FunctionSlice]:
    """Slice every function and method of a module, or say why it cannot stand alone."""
    for number, statement in enumerate(index.statements):
        node = statement.node
        if isinstance(node, ast.FunctionDef):
            yield slice_function(index, number, node)
        elif isinstance(node, ast.AsyncFunctionDef):
            yield FunctionSlice(node.name, node.lineno, reason="asynchronous")
        methods = {method.node: method for method in find_methods(node)}
        for inner, reason in _inner_functions(node):
            if isinstance(inner, ast.FunctionDef) and inner in methods:
                yield slice_method(index, number, methods[inner])
            else:
                yield FunctionSlice(inner.name, inner.lineno, reason=reason)


def _inner_functions(
    node: ast.stmt,
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """The functions in a statement, and why they cannot stand alone where they are."""
    pending: list[tuple[ast.AST, str]] = [(node, "")]
    while pending:
        parent, reason = pending.pop()
        if isinstance(parent, ast.ClassDef):
            reason = "method"
        elif isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef):
            reason = "nested function"
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield child, reason or "defined conditionally"
            pending.append((child, reason))
