"""Operands of an expression in their order of evaluation, and their replacement."""

import ast
import copy
from collections.abc import Iterator

_COMPREHENSIONS = ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp


def operands_of(node: ast.AST) -> list[ast.expr]:
    """Expressions that are evaluated for an expression.

    Slices count as several operands. Of a comprehension, only its first iterable is evaluated
    outside.

    "a[f():g()]" -> a, f(), g(); "{k: v}" -> k, v
    """
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [part for pair in pairs for part in pair if part is not None]
    if isinstance(node, _COMPREHENSIONS):
        return [node.generators[0].iter]
    if isinstance(node, ast.Lambda):
        return []
    operands: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if _has_slice(child):
            operands += operands_of(child)
        elif isinstance(child, ast.expr):
            operands.append(child)
    return operands


def replace_operands(node: ast.expr, operands: Iterator[ast.expr]) -> ast.expr:
    """Return an expression with other operands, in the order of `operands_of`.

    "a[f():g()]", [a, t1, t2] -> "a[t1:t2]"
    """
    result = copy.copy(node)
    if isinstance(result, ast.Dict):
        pairs = [(key and next(operands), next(operands)) for key in result.keys]
        result.keys, result.values = [key for key, _ in pairs], [value for _, value in pairs]
    elif isinstance(result, _COMPREHENSIONS):
        first = copy.copy(result.generators[0])
        first.iter = next(operands)
        result.generators = [first, *result.generators[1:]]
    elif not isinstance(result, ast.Lambda):
        for name, value in ast.iter_fields(node):
            setattr(result, name, _replace(value, operands))
    return result


def _replace(value: object, operands: Iterator[ast.expr]) -> object:
    if isinstance(value, list):
        return [_replace(each, operands) for each in value]
    if isinstance(value, ast.expr):
        return replace_operands(value, operands) if _has_slice(value) else next(operands)
    return value


def _has_slice(node: ast.AST) -> bool:
    """Whether this is a slice, or a tuple with some, as in `a[1:2, 3]`."""
    return isinstance(node, ast.Slice) or (
        isinstance(node, ast.Tuple) and any(isinstance(part, ast.Slice) for part in node.elts)
    )
