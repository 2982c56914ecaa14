"""An expression goes in; whether evaluating it can neither fail nor be noticed comes out."""

import ast

from worldline.rewrite.bound import bound_after_all, bound_within, target_names
from worldline.rewrite.scopes import Comprehension, Function, Scope, Scopes


def is_plain(node: ast.expr, scopes: Scopes) -> bool:
    """Whether it makes no difference when, or whether, an expression is evaluated.

    'a', -1, (x, 'b') where x is bound -> True;  x + 1, x[0], f(x) -> False: these may raise
    """
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(is_plain(part, scopes) for part in parts)
        case ast.Name():
            return is_bound(node, scopes)
        case _:
            return False


def is_bound(name: ast.Name, scopes: Scopes) -> bool:
    """Whether a variable certainly has a value where it is read."""
    owner = scopes.owner(name)
    if owner is None or owner.is_class or owner.loses(name.id):
        return False
    if any(binding.kind == "parameter" for binding in owner.bindings[name.id]):
        return True
    if owner.is_comprehension:
        return _bound_by_comprehension(name, owner, scopes)
    return _bound_before(name, owner, scopes)


def _bound_by_comprehension(name: ast.Name, owner: Scope, scopes: Scopes) -> bool:
    """`for` binds what stands in front of the comprehension, and in what comes after it."""
    comprehension = owner.node
    assert isinstance(comprehension, Comprehension)
    child: ast.AST = name
    below: ast.AST = name
    while scopes.parents[child] is not comprehension:
        below, child = child, scopes.parents[child]
    generators = comprehension.generators
    if child not in generators:
        return True
    place = generators.index(child)
    bound = generators[: place if below is generators[place].iter else place + 1]
    return any(name.id in target_names(each.target) for each in bound)


def _bound_before(name: ast.Name, owner: Scope, scopes: Scopes) -> bool:
    """Whether a statement before, in this block or one around it, binds the name; or a loop around.

    In functions within it is not known when they are called.
    """
    child: ast.AST = name
    while child is not owner.node:
        parent = scopes.parents[child]
        if isinstance(parent, Function | ast.Lambda | ast.ClassDef) and parent is not owner.node:
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
            return name in bound_within(parent, frozenset())
    return False
