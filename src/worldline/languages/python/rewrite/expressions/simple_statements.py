"""Lowering of simple statements."""

import ast
import copy
from collections.abc import Callable, Mapping
from typing import Any

from worldline.languages.python.rewrite.expressions.call_expressions import lower_call
from worldline.languages.python.rewrite.expressions.comprehension_loops import lower_comprehension
from worldline.languages.python.rewrite.expressions.conditional_expressions import (
    lower_await,
    lower_boolean,
    lower_comparison,
    lower_conditional,
    lower_walrus,
)
from worldline.languages.python.rewrite.expressions.fstrings import lower_fstring
from worldline.languages.python.rewrite.expressions.lowering import (
    Lowering,
    SpecialCase,
    UnsafeError,
    walrus_targets,
)
from worldline.languages.python.rewrite.expressions.operands import operands_of, replace_operands

SPECIAL_CASES: Mapping[type[ast.expr], SpecialCase] = {
    ast.BoolOp: lower_boolean,
    ast.IfExp: lower_conditional,
    ast.Compare: lower_comparison,
    ast.NamedExpr: lower_walrus,
    ast.Await: lower_await,
    ast.YieldFrom: lower_await,
    ast.Call: lower_call,
    ast.JoinedStr: lower_fstring,
    ast.ListComp: lower_comprehension,
    ast.SetComp: lower_comprehension,
    ast.DictComp: lower_comprehension,
}


def needs_lowering(lowering: Lowering, statement: ast.stmt) -> bool:
    """Whether a simple statement, or a header, has more than one operation."""
    match statement:
        case ast.AugAssign(target=target, value=value):
            # The statement itself is one operation.
            return _target_operations(lowering, target) + lowering.operations.count(value) > 0
        case ast.Assign(targets=targets, value=value):
            target_operations = sum(_target_operations(lowering, target) for target in targets)
            return target_operations + lowering.operations.count(value) > 1
        case ast.AnnAssign(value=value):
            return lowering.operations.count(value) > 1
        case ast.Delete(targets=targets):
            return sum(_target_operations(lowering, target) for target in targets) > 1
        case ast.Raise(exc=exc, cause=cause):
            return lowering.operations.count(exc) + lowering.operations.count(cause) > 1
        case ast.Assert(test=test, msg=msg):
            return lowering.operations.count(test) > 1 or lowering.operations.count(msg) > 1
        case ast.Return(value=value) | ast.Expr(value=value):
            return lowering.operations.count(value) > 1
    return False


def lower_statement(lowering: Lowering, statement: ast.stmt) -> None:
    """Lower a simple statement to lines of one operation each."""
    _LOWER_BY_TYPE[type(statement)](lowering, statement)


def _target_operations(lowering: Lowering, target: ast.expr) -> int:
    """Number of operations inside a target: `a[i + 1]` -> 1."""
    match target:
        case ast.Starred(value=value):
            return _target_operations(lowering, value)
        case ast.Attribute(value=value):
            return lowering.operations.count(value)
        case ast.Subscript(value=value, slice=index):
            return lowering.operations.count(value) + lowering.operations.count(index)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return sum(_target_operations(lowering, part) for part in elts)
    return 0


def _lower_expression(lowering: Lowering, node: ast.Expr) -> None:
    value = lowering.lower(node.value)
    # A value that ended up in a temporary variable is not used.
    if not isinstance(value, ast.Name):
        lowering.emit(ast.Expr(value), origin=node.value)


def _lower_return(lowering: Lowering, node: ast.Return) -> None:
    if node.value is not None:
        lowering.emit(ast.Return(lowering.lower(node.value)), origin=node)


def _lower_raise(lowering: Lowering, node: ast.Raise) -> None:
    if node.exc is None:
        return
    if node.cause is None:
        lowering.emit(ast.Raise(lowering.lower(node.exc), None), origin=node)
    else:
        exc, cause = lowering.lower_operands([node.exc, node.cause])
        lowering.emit(ast.Raise(exc, cause), origin=node)


def _lower_assert(lowering: Lowering, node: ast.Assert) -> None:
    if lowering.operations.count(node.msg) <= 1 or node.msg is None:
        lowering.emit(ast.Assert(lowering.lower(node.test), node.msg), origin=node)
        return
    if not lowering.names.facts.has_builtin_truthiness:
        raise UnsafeError("the program uses __bool__ or __len__, which would be called more often")
    test = lowering.stabilize(lowering.lower_operand(node.test), [node.msg], origin=node.test)
    lowering.emit_header("if", ast.UnaryOp(ast.Not(), test), origin=node)
    with lowering.indented():
        # The message is evaluated only if the assertion fails.
        lowering.emit(ast.Assert(test, lowering.lower(node.msg)), origin=node.msg)


def _lower_delete(lowering: Lowering, node: ast.Delete) -> None:
    for target in node.targets:
        lowering.emit(ast.Delete([_lower_target(lowering, target)]), origin=target)


def _lower_target(lowering: Lowering, target: ast.expr) -> ast.expr:
    """Lower the operands of a target."""
    return lowering.rebuild(target) if isinstance(target, ast.Attribute | ast.Subscript) else target


def _lower_assign(lowering: Lowering, node: ast.Assign) -> None:
    if not any(_target_operations(lowering, target) for target in node.targets):
        lowering.emit(ast.Assign(node.targets, lowering.lower(node.value)), origin=node)
        return
    value = lowering.stabilize(lowering.lower_operand(node.value), node.targets, origin=node.value)
    if (
        len(node.targets) > 1
        and not isinstance(value, ast.Constant)
        and not lowering.is_temporary(value)
    ):
        # Evaluated once for all targets; one of them may be a name in it.
        value = lowering.store(value, origin=node.value)
    for target in node.targets:
        _emit_store(lowering, target, value)


def _emit_store(lowering: Lowering, target: ast.expr, value: ast.expr) -> None:
    """Assign a lowered value to a target."""
    if not isinstance(target, ast.Tuple | ast.List) or not _target_operations(lowering, target):
        lowering.emit(ast.Assign([_lower_target(lowering, target)], value), origin=target)
        return
    # Everything is unpacked before the first element is stored.
    names = [lowering.temporaries.next_name() for _ in target.elts]
    lowering.types.temporaries.update(dict.fromkeys(names))
    stores: list[ast.expr] = [
        ast.Starred(ast.Name(name, ast.Store()), ast.Store())
        if isinstance(part, ast.Starred)
        else ast.Name(name, ast.Store())
        for name, part in zip(names, target.elts, strict=True)
    ]
    lowering.emit(ast.Assign([ast.Tuple(stores, ast.Store())], value), origin=target)
    for name, part in zip(names, target.elts, strict=True):
        inner = part.value if isinstance(part, ast.Starred) else part
        _emit_store(lowering, inner, ast.Name(name, ast.Load()))


def _lower_annotated(lowering: Lowering, node: ast.AnnAssign) -> None:
    if not isinstance(node.target, ast.Name) or node.value is None:
        raise UnsafeError("it has an annotation")
    lowered = ast.AnnAssign(node.target, node.annotation, lowering.lower(node.value), node.simple)
    lowering.emit(lowered, origin=node)


def _lower_augmented(lowering: Lowering, node: ast.AugAssign) -> None:
    """`a[i] += f(x)` -> t1 = a[i], t2 = f(x), t1 += t2, a[i] = t1."""
    target = node.target
    if isinstance(target, ast.Name):
        can_stay = lowering.is_stable(ast.Name(target.id, ast.Load()), walrus_targets([node.value]))
    else:
        can_stay = lowering.operations.count(node.value) == 0
    if can_stay:
        lowered_target = _lower_target(lowering, target)
        assert isinstance(lowered_target, ast.Name | ast.Attribute | ast.Subscript)
        lowering.emit(
            ast.AugAssign(lowered_target, node.op, lowering.lower_operand(node.value)), origin=node
        )
        return
    stable_target = _stabilize_target(lowering, target, node.value)
    old = lowering.store(_as_load(stable_target), origin=target)
    assert isinstance(old, ast.Name)
    # The operator may change the type.
    lowering.types.temporaries[old.id] = None
    value = lowering.lower_operand(node.value)
    lowering.emit(ast.AugAssign(ast.Name(old.id, ast.Store()), node.op, value), origin=node)
    lowering.emit(ast.Assign([stable_target], old), origin=target)


def _stabilize_target(lowering: Lowering, target: ast.expr, later: ast.expr) -> ast.expr:
    """Return a target that stays the same while something else is evaluated."""
    if isinstance(target, ast.Name):
        return target
    operands = operands_of(target)
    stable_parts = [
        lowering.stabilize(
            lowering.lower_operand(operand), [*operands[index + 1 :], later], origin=operand
        )
        for index, operand in enumerate(operands)
    ]
    return replace_operands(target, iter(stable_parts))


def _as_load(target: ast.expr) -> ast.expr:
    """Return a target as an expression to be read."""
    copied = copy.copy(target)
    assert isinstance(copied, ast.Name | ast.Attribute | ast.Subscript)
    copied.ctx = ast.Load()
    return copied


_LOWER_BY_TYPE: Mapping[type[ast.stmt], Callable[[Lowering, Any], None]] = {
    ast.Expr: _lower_expression,
    ast.Return: _lower_return,
    ast.Raise: _lower_raise,
    ast.Assert: _lower_assert,
    ast.Delete: _lower_delete,
    ast.Assign: _lower_assign,
    ast.AnnAssign: _lower_annotated,
    ast.AugAssign: _lower_augmented,
}
