"""A statement and the names that surely have a value before it go in; those after it come out.

A name that is deleted anywhere (`del x`, `except E as x`) is never sure: callers take those out.
"""

import ast
from collections.abc import Iterable, Sequence

from worldline.rewrite.scopes import Function

# What is surely bound where the program never comes: everything, so that branches that are left
# take nothing away from the others.
_NEVER = None

Bound = frozenset[str]


def target_names(target: ast.expr | None) -> Bound:
    """The plain names that a target binds.

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
    """The names that surely have a value after a statement; none if nothing comes after it.

    "if x:\\n    y = 1\\nelse:\\n    y = z = 2", {"x"} -> {"x", "y"}
    """
    match statement:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return _NEVER
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
            return _either([bound_after_all(body, before), bound_after_all(orelse, before)])
        case ast.Try() | ast.TryStar():
            return _after_try(statement, before)
    return before


def bound_after_all(body: Sequence[ast.stmt], before: Bound | None) -> Bound | None:
    """The same for statements in a row."""
    for statement in body:
        if before is _NEVER:
            return _NEVER
        before = bound_after(statement, before)
    return before


def bound_within(statement: ast.stmt, before: Bound) -> Bound:
    """The names that surely have a value where a loop's or a `with` statement's body begins.

    "for x in y:\\n    …", {"y"} -> {"x", "y"}
    """
    match statement:
        case ast.For(target=target) | ast.AsyncFor(target=target):
            return before | target_names(target)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return before.union(*(target_names(item.optional_vars) for item in items))
    return before


def _either(ways: Iterable[Bound | None]) -> Bound | None:
    real = [way for way in ways if way is not None]
    return frozenset.intersection(*real) if real else _NEVER


def _after_try(statement: ast.Try | ast.TryStar, before: Bound) -> Bound | None:
    whole = bound_after_all(statement.orelse, bound_after_all(statement.body, before))
    ways = [whole, *(bound_after_all(handler.body, before) for handler in statement.handlers)]
    after = _either(ways)
    finally_ = bound_after_all(statement.finalbody, before)
    if after is _NEVER or finally_ is _NEVER:
        return _NEVER
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
            return all(map(_is_plain, [*args.defaults, *filter(None, args.kw_defaults)]))
        case ast.ClassDef(bases=bases, keywords=[], decorator_list=[], body=body):
            return not bases and all(map(is_inert, body))
        case ast.Assign(targets=targets, value=value):
            return all(isinstance(target, ast.Name) for target in targets) and _is_plain(value)
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
    return False


def _is_plain(value: ast.expr) -> bool:
    kinds = ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.UnaryOp | ast.Set
    other = ast.expr_context | ast.unaryop
    is_made = all(isinstance(part, kinds | other) for part in ast.walk(value))
    return is_made or isinstance(value, ast.Name)


def generates(function: Function) -> bool:
    """Whether a function can be left and come back to: a generator, or a coroutine."""
    if isinstance(function, ast.AsyncFunctionDef):
        return True
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return False
