"""Lowering of expressions that evaluate only some of their operands, and of `:=` and `await`."""

import ast
from collections.abc import Sequence

from worldline.languages.python.rewrite.expressions.lowering import Lowering, UnsafeError


def _has_operations(lowering: Lowering, nodes: Sequence[ast.expr]) -> bool:
    return any(map(lowering.operations.count, nodes))


def _check_truthiness(lowering: Lowering) -> None:
    """Raise if the program defines truth tests: a lowered operand is tested once more."""
    if not lowering.names.facts.has_builtin_truthiness:
        raise UnsafeError("the program uses __bool__ or __len__, which would be called more often")


def lower_boolean(lowering: Lowering, node: ast.BoolOp) -> ast.expr:
    """`a() and b()` -> t1 = a(), and in a block under `if t1:` t1 = b()."""
    if not _has_operations(lowering, node.values):
        return node
    _check_truthiness(lowering)
    value = lowering.lower(node.values[0])
    result_type = lowering.types.type_of(node)
    name = lowering.temporaries.next_name()
    lowering.emit_assignment(name, value, origin=node.values[0])
    for depth, operand in enumerate(node.values[1:]):
        test: ast.expr = ast.Name(name, ast.Load())
        test = ast.UnaryOp(ast.Not(), test) if isinstance(node.op, ast.Or) else test
        with lowering.indented(depth):
            lowering.emit_header("if", test, origin=operand)
            with lowering.indented():
                lowering.emit_assignment(name, lowering.lower(operand), origin=operand)
    lowering.types.temporaries[name] = result_type
    return ast.Name(name, ast.Load())


def lower_conditional(lowering: Lowering, node: ast.IfExp) -> ast.expr:
    """`a() if c() else b()` -> t1 = c(), and blocks under `if t1:` and `else:`."""
    if not _has_operations(lowering, [node.test, node.body, node.orelse]):
        return node
    result_type = lowering.types.type_of(node)
    lowering.emit_header("if", lowering.lower(node.test), origin=node.test)
    name = ""
    with lowering.indented():
        value = lowering.lower(node.body)
        name = lowering.temporaries.next_name()
        lowering.emit_assignment(name, value, origin=node.body)
    lowering.emit("else:", origin=node.orelse)
    with lowering.indented():
        lowering.emit_assignment(name, lowering.lower(node.orelse), origin=node.orelse)
    lowering.types.temporaries[name] = result_type
    return ast.Name(name, ast.Load())


def lower_comparison(lowering: Lowering, node: ast.Compare) -> ast.expr:
    """`a < b() < c()` -> t1 = b(), t2 = a < t1, and in a block under `if t2:` the rest."""
    if len(node.ops) == 1:
        return lowering.rebuild(node)
    _check_truthiness(lowering)
    left, right = lowering.lower_operands([node.left, node.comparators[0]])
    right = lowering.stabilize(right, node.comparators[1:], origin=node.comparators[0])
    result_type = lowering.types.type_of(node)
    name = lowering.temporaries.next_name()
    lowering.emit_assignment(name, ast.Compare(left, [node.ops[0]], [right]), origin=node)
    for index, comparator in enumerate(node.comparators[1:], 1):
        with lowering.indented(index - 1):
            lowering.emit_header("if", ast.Name(name, ast.Load()), origin=comparator)
            with lowering.indented():
                left = right
                right = lowering.stabilize(
                    lowering.lower_operand(comparator),
                    node.comparators[index + 1 :],
                    origin=comparator,
                )
                lowering.emit_assignment(
                    name, ast.Compare(left, [node.ops[index]], [right]), origin=comparator
                )
    lowering.types.temporaries[name] = result_type
    return ast.Name(name, ast.Load())


def lower_walrus(lowering: Lowering, node: ast.NamedExpr) -> ast.expr:
    """`(x := f())` -> x = f(), and x."""
    lowering.emit_assignment(node.target.id, lowering.lower(node.value), origin=node)
    return ast.Name(node.target.id, ast.Load())


def lower_await(lowering: Lowering, node: ast.Await | ast.YieldFrom) -> ast.expr:
    """`await f(g())` -> t1 = g(), and await f(t1): a call and its await stay on one line."""
    if not isinstance(node.value, ast.Call):
        return lowering.rebuild(node)
    value = lowering.lower(node.value)
    return ast.Await(value) if isinstance(node, ast.Await) else ast.YieldFrom(value)
