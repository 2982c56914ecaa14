"""Definite assignment: the names that are certainly bound after a statement.

A name that is deleted anywhere (`del x`, `except E as x`) is never certain; callers remove those.
"""

import ast
from collections.abc import Iterable, Sequence

from worldline.languages.python.rewrite.scopes import Function

# Result for a place that is never reached: everything is bound there, so that branches that leave
# the block remove nothing from the others.
_UNREACHABLE = None

Bound = frozenset[str]


def target_names(target: ast.expr | None) -> Bound:
    """Plain names that an assignment target binds.

    "a, (b[0], *c)" -> {"a", "c"}
    """
    if isinstance(target, ast.Name):
        return frozenset({target.id})
    if isinstance(target, ast.Starred):
        return target_names(target.value)
    if isinstance(target, ast.Tuple | ast.List):
        return frozenset().union(*map(target_names, target.elts))
    return frozenset()


def bound_after(statement: ast.stmt, before: Bound) -> Bound | None:
    """Names that are certainly bound after a statement; None if nothing can follow it.

    "if x:\\n    y = 1\\nelse:\\n    y = z = 2", {"x"} -> {"x", "y"}
    """
    match statement:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return _UNREACHABLE
        case ast.Assign(targets=targets):
            return before.union(*map(target_names, targets))
        case ast.AnnAssign(target=target, value=value):
            return before | target_names(target) if value is not None else before
        case ast.AugAssign(target=target):
            return before | target_names(target)
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return before | {(alias.asname or alias.name).split(".")[0] for alias in names}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return before | {name}
        case ast.If(body=body, orelse=orelse):
            return _intersect_branches(
                [bound_after_all(body, before), bound_after_all(orelse, before)]
            )
        case ast.Try() | ast.TryStar():
            return _after_try(statement, before)
    return before


def bound_after_all(body: Sequence[ast.stmt], before: Bound | None) -> Bound | None:
    """Names that are certainly bound after several statements; None if nothing can follow."""
    for statement in body:
        if before is _UNREACHABLE:
            return _UNREACHABLE
        before = bound_after(statement, before)
    return before


def bound_in_body(statement: ast.stmt, before: Bound) -> Bound:
    """Names that are certainly bound at the start of the body of a loop or a `with` statement.

    "for x in y:\\n    …", {"y"} -> {"x", "y"}
    """
    match statement:
        case ast.For(target=target) | ast.AsyncFor(target=target):
            return before | target_names(target)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return before.union(*(target_names(item.optional_vars) for item in items))
    return before


def _intersect_branches(branches: Iterable[Bound | None]) -> Bound | None:
    reachable = [branch for branch in branches if branch is not None]
    return frozenset.intersection(*reachable) if reachable else _UNREACHABLE


def _after_try(statement: ast.Try | ast.TryStar, before: Bound) -> Bound | None:
    completed = bound_after_all(statement.orelse, bound_after_all(statement.body, before))
    branches = [
        completed,
        *(bound_after_all(handler.body, before) for handler in statement.handlers),
    ]
    after = _intersect_branches(branches)
    finally_ = bound_after_all(statement.finalbody, before)
    if after is _UNREACHABLE or finally_ is _UNREACHABLE:
        return _UNREACHABLE
    return after | finally_


def is_inert(statement: ast.stmt) -> bool:
    """Whether a statement of a module can call no function of the program.

    "def f(): …", "import math", "N = 3" -> True; "f()", "@made\\ndef f(): …" -> False
    """
    match statement:
        case (
            ast.FunctionDef(args=args, decorator_list=[])
            | ast.AsyncFunctionDef(args=args, decorator_list=[])
        ):
            return all(map(_is_literal_or_name, [*args.defaults, *filter(None, args.kw_defaults)]))
        case ast.ClassDef(bases=bases, keywords=[], decorator_list=[], body=body):
            return not bases and all(map(is_inert, body))
        case ast.Assign(targets=targets, value=value):
            return all(isinstance(target, ast.Name) for target in targets) and _is_literal_or_name(
                value
            )
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
    return False


def _is_literal_or_name(value: ast.expr) -> bool:
    allowed = ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.UnaryOp | ast.Set
    contexts = ast.expr_context | ast.unaryop
    is_literal = all(isinstance(part, allowed | contexts) for part in ast.walk(value))
    return is_literal or isinstance(value, ast.Name)


def is_resumable(function: Function) -> bool:
    """Whether a function can be suspended and resumed: a generator, or a coroutine."""
    if isinstance(function, ast.AsyncFunctionDef):
        return True
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            pending += ast.iter_child_nodes(node)
    return False
