"""A call goes in; lines that work out what is called and its arguments, and the call, come out."""

import ast
from collections.abc import Sequence

from worldline.rewrite.expressions.loops import consumed
from worldline.rewrite.expressions.lowering import Lowering, UnsafeError


def called(low: Lowering, node: ast.Call) -> ast.expr:
    """`f(g(x))` -> t1 = g(x), and f(t1).

    What is called is looked up before the arguments are evaluated. So where they have operations,
    a method is looked up first (`t1 = x.m`), unless x surely has a built-in type with that method:
    then nobody can tell when it was looked up, and it is called as it was.
    """
    consumer = low.plans.consumer(node)
    if consumer:
        return consumed(low, node, consumer)
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    later = [each for each in values if low.operations.of(each)]
    func = _function(low, node.func, later)
    _check_mappings(low, node.keywords)
    made = _arguments(low, node, values)
    args, rest = made[: len(node.args)], made[len(node.args) :]
    keywords = [
        ast.keyword(keyword.arg, value) for keyword, value in zip(node.keywords, rest, strict=True)
    ]
    return ast.Call(func, args, keywords)


def _function(low: Lowering, func: ast.expr, later: Sequence[ast.expr]) -> ast.expr:
    if not isinstance(func, ast.Attribute) or low.names.is_path(func):
        return low.kept(low.operand(func), later, origin=func)
    base = low.operand(func.value)
    if not later:
        return ast.Attribute(base, func.attr, ast.Load())
    if low.kinds.has_method(base, func.attr):
        base = low.kept(base, later, origin=func.value)
        return ast.Attribute(base, func.attr, ast.Load())
    return low.saved(ast.Attribute(base, func.attr, ast.Load()), origin=func)


def _check_mappings(low: Lowering, keywords: Sequence[ast.keyword]) -> None:
    is_unpacked = False
    for keyword in keywords:
        if is_unpacked and low.operations.of(keyword.value):
            raise UnsafeError("what ** unpacks has to be before the rest is evaluated")
        is_unpacked = is_unpacked or keyword.arg is None


def _arguments(low: Lowering, node: ast.Call, values: list[ast.expr]) -> list[ast.expr]:
    if len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
        # By itself it is unpacked only when everything has been evaluated.
        found = low.operands([node.args[0].value, *values[1:]])
        return [ast.Starred(found[0], ast.Load()), *found[1:]]
    return low.operands(values)
