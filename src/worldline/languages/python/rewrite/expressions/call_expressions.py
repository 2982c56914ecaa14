"""Lowering of calls."""

import ast
from collections.abc import Sequence

from worldline.languages.python.rewrite.expressions.comprehension_loops import lower_consumer
from worldline.languages.python.rewrite.expressions.lowering import Lowering, UnsafeError


def lower_call(lowering: Lowering, node: ast.Call) -> ast.expr:
    """`f(g(x))` -> t1 = g(x), and f(t1).

    Python looks up the callee before it evaluates the arguments. So if the arguments have
    operations, a method is looked up first (`t1 = x.m`), unless x certainly has a built-in type
    with that method: then the time of the lookup cannot be observed, and the call keeps its form.
    """
    consumer = lowering.plans.consumer(node)
    if consumer:
        return lower_consumer(lowering, node, consumer)
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    later = [each for each in values if lowering.operations.count(each)]
    func = _lower_callee(lowering, node.func, later)
    _check_unpacked_mappings(lowering, node.keywords)
    lowered = _lower_arguments(lowering, node, values)
    args, keyword_values = lowered[: len(node.args)], lowered[len(node.args) :]
    keywords = [
        ast.keyword(keyword.arg, value)
        for keyword, value in zip(node.keywords, keyword_values, strict=True)
    ]
    return ast.Call(func, args, keywords)


def _lower_callee(lowering: Lowering, func: ast.expr, later: Sequence[ast.expr]) -> ast.expr:
    if not isinstance(func, ast.Attribute) or lowering.names.is_module_attribute(func):
        return lowering.stabilize(lowering.lower_operand(func), later, origin=func)
    base = lowering.lower_operand(func.value)
    if not later:
        return ast.Attribute(base, func.attr, ast.Load())
    if lowering.types.has_method(base, func.attr):
        base = lowering.stabilize(base, later, origin=func.value)
        return ast.Attribute(base, func.attr, ast.Load())
    return lowering.store(ast.Attribute(base, func.attr, ast.Load()), origin=func)


def _check_unpacked_mappings(lowering: Lowering, keywords: Sequence[ast.keyword]) -> None:
    is_unpacked = False
    for keyword in keywords:
        if is_unpacked and lowering.operations.count(keyword.value):
            raise UnsafeError("** has to be unpacked before the other arguments are evaluated")
        is_unpacked = is_unpacked or keyword.arg is None


def _lower_arguments(lowering: Lowering, node: ast.Call, values: list[ast.expr]) -> list[ast.expr]:
    if len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
        # A single starred argument is unpacked after everything has been evaluated.
        operands = lowering.lower_operands([node.args[0].value, *values[1:]])
        return [ast.Starred(operands[0], ast.Load()), *operands[1:]]
    return lowering.lower_operands(values)
