"""A simple statement goes in; the lines that do the same, an operation each, come out."""

import ast
import copy
from collections.abc import Callable, Mapping
from typing import Any

from worldline.rewrite.expressions.branches import awaited, chosen, compared, either, named
from worldline.rewrite.expressions.calls import called
from worldline.rewrite.expressions.fstrings import formatted
from worldline.rewrite.expressions.loops import looped
from worldline.rewrite.expressions.lowering import Lowering, Special, UnsafeError, named_in
from worldline.rewrite.expressions.parts import parts_of, with_parts

SPECIAL: Mapping[type[ast.expr], Special] = {
    ast.BoolOp: either,
    ast.IfExp: chosen,
    ast.Compare: compared,
    ast.NamedExpr: named,
    ast.Await: awaited,
    ast.YieldFrom: awaited,
    ast.Call: called,
    ast.JoinedStr: formatted,
    ast.ListComp: looped,
    ast.SetComp: looped,
    ast.DictComp: looped,
}


def needs_lines(low: Lowering, statement: ast.stmt) -> bool:
    """Whether a simple statement, or the header of another, takes more than one operation."""
    match statement:
        case ast.AugAssign(target=target, value=value):
            # The operation of the statement itself is one; the target is read and written.
            return _inside(low, target) + low.operations.of(value) > 0
        case ast.Assign(targets=targets, value=value):
            inside = sum(_inside(low, target) for target in targets)
            return inside + low.operations.of(value) > 1
        case ast.AnnAssign(value=value):
            return low.operations.of(value) > 1
        case ast.Delete(targets=targets):
            return sum(_inside(low, target) for target in targets) > 1
        case ast.Raise(exc=exc, cause=cause):
            return low.operations.of(exc) + low.operations.of(cause) > 1
        case ast.Assert(test=test, msg=msg):
            return low.operations.of(test) > 1 or low.operations.of(msg) > 1
        case ast.Return(value=value) | ast.Expr(value=value):
            return low.operations.of(value) > 1
    return False


def lower_statement(low: Lowering, statement: ast.stmt) -> None:
    """Put a simple statement into lines of one operation each."""
    _STATEMENTS[type(statement)](low, statement)


def _inside(low: Lowering, target: ast.expr) -> int:
    """The operations in a target, besides what it does itself: `a[i + 1]` -> 1."""
    match target:
        case ast.Starred(value=value):
            return _inside(low, value)
        case ast.Attribute(value=value):
            return low.operations.of(value)
        case ast.Subscript(value=value, slice=index):
            return low.operations.of(value) + low.operations.of(index)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return sum(_inside(low, part) for part in elts)
    return 0


def _expression(low: Lowering, node: ast.Expr) -> None:
    value = low.top(node.value)
    # What was put into a variable has been worked out, and nobody wants it.
    if not isinstance(value, ast.Name):
        low.put(ast.Expr(value), origin=node.value)


def _return(low: Lowering, node: ast.Return) -> None:
    if node.value is not None:
        low.put(ast.Return(low.top(node.value)), origin=node)


def _raise(low: Lowering, node: ast.Raise) -> None:
    if node.exc is None:
        return
    if node.cause is None:
        low.put(ast.Raise(low.top(node.exc), None), origin=node)
    else:
        exc, cause = low.operands([node.exc, node.cause])
        low.put(ast.Raise(exc, cause), origin=node)


def _assert(low: Lowering, node: ast.Assert) -> None:
    if low.operations.of(node.msg) <= 1 or node.msg is None:
        low.put(ast.Assert(low.top(node.test), node.msg), origin=node)
        return
    if not low.names.facts.is_truth_plain:
        raise UnsafeError("a class of the program decides what is true, and could count the calls")
    test = low.kept(low.operand(node.test), [node.msg], origin=node.test)
    low.head("if", ast.UnaryOp(ast.Not(), test), origin=node)
    with low.deeper():
        # The message is evaluated only where it is needed.
        low.put(ast.Assert(test, low.top(node.msg)), origin=node.msg)


def _delete(low: Lowering, node: ast.Delete) -> None:
    for target in node.targets:
        low.put(ast.Delete([_target(low, target)]), origin=target)


def _target(low: Lowering, target: ast.expr) -> ast.expr:
    """A target with what is inside it worked out."""
    return low.rebuilt(target) if isinstance(target, ast.Attribute | ast.Subscript) else target


def _assign(low: Lowering, node: ast.Assign) -> None:
    if not any(_inside(low, target) for target in node.targets):
        low.put(ast.Assign(node.targets, low.top(node.value)), origin=node)
        return
    value = low.kept(low.operand(node.value), node.targets, origin=node.value)
    if len(node.targets) > 1 and not isinstance(value, ast.Constant) and not low.is_own(value):
        # Made once, for all targets, of which one may be a name in it.
        value = low.saved(value, origin=node.value)
    for target in node.targets:
        _store(low, target, value)


def _store(low: Lowering, target: ast.expr, value: ast.expr) -> None:
    """Put a value that is worked out into a target."""
    if not isinstance(target, ast.Tuple | ast.List) or not _inside(low, target):
        low.put(ast.Assign([_target(low, target)], value), origin=target)
        return
    # All is unpacked before the first part goes into its target.
    names = [low.fresh.value() for _ in target.elts]
    low.kinds.added.update(dict.fromkeys(names))
    stores: list[ast.expr] = [
        ast.Starred(ast.Name(name, ast.Store()), ast.Store())
        if isinstance(part, ast.Starred)
        else ast.Name(name, ast.Store())
        for name, part in zip(names, target.elts, strict=True)
    ]
    low.put(ast.Assign([ast.Tuple(stores, ast.Store())], value), origin=target)
    for name, part in zip(names, target.elts, strict=True):
        inner = part.value if isinstance(part, ast.Starred) else part
        _store(low, inner, ast.Name(name, ast.Load()))


def _annotated(low: Lowering, node: ast.AnnAssign) -> None:
    if not isinstance(node.target, ast.Name) or node.value is None:
        raise UnsafeError("it has an annotation")
    made = ast.AnnAssign(node.target, node.annotation, low.top(node.value), node.simple)
    low.put(made, origin=node)


def _augmented(low: Lowering, node: ast.AugAssign) -> None:
    """`a[i] += f(x)` -> t1 = a[i], t2 = f(x), t1 += t2, a[i] = t1."""
    target = node.target
    if isinstance(target, ast.Name):
        is_kept = low.is_stable(ast.Name(target.id, ast.Load()), named_in([node.value]))
    else:
        is_kept = low.operations.of(node.value) == 0
    if is_kept:
        place = _target(low, target)
        assert isinstance(place, ast.Name | ast.Attribute | ast.Subscript)
        low.put(ast.AugAssign(place, node.op, low.operand(node.value)), origin=node)
        return
    made = _steadied(low, target, node.value)
    old = low.saved(_loading(made), origin=target)
    assert isinstance(old, ast.Name)
    # What an operator makes of it may have another type.
    low.kinds.added[old.id] = None
    value = low.operand(node.value)
    low.put(ast.AugAssign(ast.Name(old.id, ast.Store()), node.op, value), origin=node)
    low.put(ast.Assign([made], old), origin=target)


def _steadied(low: Lowering, target: ast.expr, later: ast.expr) -> ast.expr:
    """A target that stays the same while something else is evaluated."""
    if isinstance(target, ast.Name):
        return target
    parts = parts_of(target)
    found = [
        low.kept(low.operand(part), [*parts[index + 1 :], later], origin=part)
        for index, part in enumerate(parts)
    ]
    return with_parts(target, iter(found))


def _loading(target: ast.expr) -> ast.expr:
    """A target, to be read."""
    made = copy.copy(target)
    assert isinstance(made, ast.Name | ast.Attribute | ast.Subscript)
    made.ctx = ast.Load()
    return made


_STATEMENTS: Mapping[type[ast.stmt], Callable[[Lowering, Any], None]] = {
    ast.Expr: _expression,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
}
