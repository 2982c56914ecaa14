"""An expression of which only a part may be evaluated goes in; blocks that choose come out."""

import ast
from collections.abc import Sequence

from worldline.rewrite.expressions.lowering import Lowering, UnsafeError


def _is_joined(low: Lowering, nodes: Sequence[ast.expr]) -> bool:
    return any(map(low.operations.of, nodes))


def _check_truth(low: Lowering) -> None:
    """What decides between branches is asked for its truth once more where it is used."""
    if not low.names.facts.is_truth_plain:
        raise UnsafeError("a class of the program decides what is true, and could count the calls")


def either(low: Lowering, node: ast.BoolOp) -> ast.expr:
    """`a() and b()` -> t1 = a(), and in a block under `if t1:` t1 = b()."""
    if not _is_joined(low, node.values):
        return node
    _check_truth(low)
    value = low.top(node.values[0])
    kind = low.kinds.of(node)
    name = low.fresh.value()
    low.assign(name, value, origin=node.values[0])
    for count, part in enumerate(node.values[1:]):
        test: ast.expr = ast.Name(name, ast.Load())
        test = ast.UnaryOp(ast.Not(), test) if isinstance(node.op, ast.Or) else test
        with low.deeper(count):
            low.head("if", test, origin=part)
            with low.deeper():
                low.assign(name, low.top(part), origin=part)
    low.kinds.added[name] = kind
    return ast.Name(name, ast.Load())


def chosen(low: Lowering, node: ast.IfExp) -> ast.expr:
    """`a() if c() else b()` -> t1 = c(), and blocks under `if t1:` and `else:`."""
    if not _is_joined(low, [node.test, node.body, node.orelse]):
        return node
    kind = low.kinds.of(node)
    low.head("if", low.top(node.test), origin=node.test)
    name = ""
    with low.deeper():
        value = low.top(node.body)
        name = low.fresh.value()
        low.assign(name, value, origin=node.body)
    low.put("else:", origin=node.orelse)
    with low.deeper():
        low.assign(name, low.top(node.orelse), origin=node.orelse)
    low.kinds.added[name] = kind
    return ast.Name(name, ast.Load())


def compared(low: Lowering, node: ast.Compare) -> ast.expr:
    """`a < b() < c()` -> t1 = b(), t2 = a < t1, and in a block under `if t2:` the rest."""
    if len(node.ops) == 1:
        return low.rebuilt(node)
    _check_truth(low)
    left, right = low.operands([node.left, node.comparators[0]])
    right = low.kept(right, node.comparators[1:], origin=node.comparators[0])
    kind = low.kinds.of(node)
    name = low.fresh.value()
    low.assign(name, ast.Compare(left, [node.ops[0]], [right]), origin=node)
    for count, part in enumerate(node.comparators[1:], 1):
        with low.deeper(count - 1):
            low.head("if", ast.Name(name, ast.Load()), origin=part)
            with low.deeper():
                left = right
                right = low.kept(low.operand(part), node.comparators[count + 1 :], origin=part)
                low.assign(name, ast.Compare(left, [node.ops[count]], [right]), origin=part)
    low.kinds.added[name] = kind
    return ast.Name(name, ast.Load())


def named(low: Lowering, node: ast.NamedExpr) -> ast.expr:
    """`(x := f())` -> x = f(), and x."""
    low.assign(node.target.id, low.top(node.value), origin=node)
    return ast.Name(node.target.id, ast.Load())


def awaited(low: Lowering, node: ast.Await | ast.YieldFrom) -> ast.expr:
    """`await f(g())` -> t1 = g(), and await f(t1): what f gives says nothing by itself."""
    if not isinstance(node.value, ast.Call):
        return low.rebuilt(node)
    value = low.top(node.value)
    return ast.Await(value) if isinstance(node, ast.Await) else ast.YieldFrom(value)
