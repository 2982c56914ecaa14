"""Constant folding: values of expressions that need no execution.

Only literals and small arithmetic on them are evaluated.
"""

import ast
import operator
from collections.abc import Callable
from typing import Any

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_SIGNS: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
# Limit on the size of a result, in bits or characters.
_MAX_SIZE = 10_000


def constant_value(node: ast.expr) -> Any:
    """Evaluate a constant expression.

    `[1] * 3` -> [1, 1, 1]; `2.0 / 3` -> 0.6666666666666666; `len(x)` -> ValueError

    Raises:
        ValueError: The expression is not constant, or its value is too large.
    """
    try:
        return _value(node)
    except (TypeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"not a constant: {error}") from error


def _value(node: ast.expr) -> Any:
    match node:
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
            operands = _value(left), _value(right)
            _check_size(op, *operands)
            return _OPERATORS[type(op)](*operands)
        case ast.UnaryOp(op, operand) if type(op) in _SIGNS:
            return _SIGNS[type(op)](_value(operand))
        case ast.Tuple(items):
            return tuple(_value(item) for item in items)
        case ast.List(items):
            return [_value(item) for item in items]
        case ast.Set(items):
            return {_value(item) for item in items}
        case ast.Dict(keys, values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return {_value(key): _value(value) for key, value in pairs if key is not None}
    return ast.literal_eval(node)


def _check_size(op: ast.operator, left: Any, right: Any) -> None:
    """Raise a ValueError if the result of an operation would be too large."""
    size = 0
    match op, left, right:
        # On a text, % is formatting, with a result of any width.
        case ast.Mod(), str() | bytes(), _:
            raise ValueError("formatted text")
        case ast.Pow(), int(), int():
            size = left.bit_length() * abs(right)
        case ast.Mult(), int(), int():
            size = left.bit_length() + right.bit_length()
        case ast.Mult(), str() | bytes() | list() | tuple(), int():
            size = len(repr(left)) * right
        case ast.Mult(), int(), str() | bytes() | list() | tuple():
            size = left * len(repr(right))
    if size > _MAX_SIZE:
        raise ValueError("too large")
