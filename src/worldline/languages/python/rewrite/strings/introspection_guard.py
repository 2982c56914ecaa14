"""Rejection of programs that can observe inserted functions."""

import ast

from worldline.languages.python.rewrite.introspection import (
    FRAMES,
    HEAP,
    NAMESPACES,
    STACK_DEPTH,
    exposes_module_names,
    find_introspection,
)
from worldline.languages.python.rewrite.scopes import Scopes

_OBSERVERS = FRAMES | HEAP | NAMESPACES | STACK_DEPTH
# Built-in names that are not strings.
_BUILTIN_TYPES = frozenset(
    {"bool", "bytes", "dict", "float", "int", "list", "object", "set", "str", "tuple"}
)


def rejection_reason(tree: ast.Module, scopes: Scopes) -> str | None:
    """The reason why a program could observe a rewrite; None if it cannot.

    "print(globals())" -> "the program uses globals"
    """
    for name in find_introspection(tree, scopes, _OBSERVERS):
        return f"the program uses {name}"
    for node in ast.walk(tree):
        reason = _observes_names(node, scopes) or _observes_identity(node, scopes)
        if reason is not None:
            return reason
    return None


def _observes_names(node: ast.AST, scopes: Scopes) -> str | None:
    """The reason if a node lists the names of the module, or may hide some."""
    match node:
        case ast.Name(id=name) if exposes_module_names(node, scopes):
            return f"the program uses {name} on its own names"
        case ast.ImportFrom(module=module, names=aliases):
            if any(alias.name == "*" for alias in aliases):
                return f"the program imports all names from {module}"
    return None


def _observes_identity(node: ast.AST, scopes: Scopes) -> str | None:
    """The reason if a node tests the identity of objects.

    Whether equal strings are the same object is up to Python.
    """
    match node:
        case ast.Call(func=ast.Name(id="id") as name) if scopes.binding_scope(name) is None:
            return "the program tests the identity of objects"
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [left, *others]
            for index, op in enumerate(ops):
                if isinstance(op, ast.Is | ast.IsNot) and not any(
                    _is_never_string(side, scopes) for side in sides[index : index + 2]
                ):
                    return "the program tests the identity of objects"
    return None


def _is_never_string(node: ast.expr, scopes: Scopes) -> bool:
    """Whether the value of an expression is never a string: None, True, a type."""
    match node:
        case ast.Constant(value=value):
            return not isinstance(value, str)
        case ast.Call(func=ast.Name(id="type") as name):
            return scopes.binding_scope(name) is None
        case ast.Name(id=name):
            return name in _BUILTIN_TYPES and scopes.binding_scope(node) is None
        case _:
            return False
