"""Purity: expressions that can be evaluated at any time without an observable difference."""

import ast

from worldline.languages.python.rewrite.definite_assignment import (
    bound_after_all,
    bound_in_body,
    target_names,
)
from worldline.languages.python.rewrite.scopes import Comprehension, Function, Scope, Scopes


def is_pure(node: ast.expr, scopes: Scopes) -> bool:
    """Whether it makes no difference when, or whether, an expression is evaluated.

    'a', -1, (x, 'b') where x is bound -> True;  x + 1, x[0], f(x) -> False: these may raise
    """
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(is_pure(part, scopes) for part in parts)
        case ast.Name():
            return is_bound(node, scopes)
        case _:
            return False


def is_bound(name: ast.Name, scopes: Scopes) -> bool:
    """Whether a variable is certainly bound where it is read."""
    binding_scope = scopes.binding_scope(name)
    if binding_scope is None or binding_scope.is_class or binding_scope.may_unbind(name.id):
        return False
    if any(binding.kind == "parameter" for binding in binding_scope.bindings[name.id]):
        return True
    if binding_scope.is_comprehension:
        return _bound_by_comprehension(name, binding_scope, scopes)
    return _bound_before(name, binding_scope, scopes)


def _bound_by_comprehension(name: ast.Name, binding_scope: Scope, scopes: Scopes) -> bool:
    """Whether a comprehension's `for` binds a name: in the element, and in later clauses."""
    comprehension = binding_scope.node
    assert isinstance(comprehension, Comprehension)
    child: ast.AST = name
    below: ast.AST = name
    while scopes.parents[child] is not comprehension:
        below, child = child, scopes.parents[child]
    generators = comprehension.generators
    if child not in generators:
        return True
    position = generators.index(child)
    binding_generators = generators[
        : position if below is generators[position].iter else position + 1
    ]
    return any(name.id in target_names(each.target) for each in binding_generators)


def _bound_before(name: ast.Name, binding_scope: Scope, scopes: Scopes) -> bool:
    """Whether a name is bound by an earlier statement or an enclosing loop.

    The statement is in this block or an enclosing one. For nested functions it is not known when
    they are called.
    """
    child: ast.AST = name
    while child is not binding_scope.node:
        parent = scopes.parents[child]
        if (
            isinstance(parent, Function | ast.Lambda | ast.ClassDef)
            and parent is not binding_scope.node
        ):
            return False
        if _bound_in_block(name.id, child, parent):
            return True
        child = parent
    return False


def _bound_in_block(name: str, child: ast.AST, parent: ast.AST) -> bool:
    for block in ("body", "orelse", "handlers", "finalbody"):
        statements = getattr(parent, block, None)
        if not isinstance(statements, list) or child not in statements:
            continue
        before = statements[: statements.index(child)]
        if name in (bound_after_all(before, frozenset()) or ()):
            return True
        if block == "body" and isinstance(parent, ast.stmt):
            return name in bound_in_body(parent, frozenset())
    return False
