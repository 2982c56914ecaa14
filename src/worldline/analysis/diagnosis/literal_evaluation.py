"""Evaluation of simple expressions on rendered values, without executing the program."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
# Methods that search a string or a list, and change nothing.
_SEARCHES = frozenset({"find", "rfind", "index", "rindex", "count"})


def evaluate_literal(node: ast.expr, state: Mapping[str, str]) -> Any:
    """Evaluate an expression of numbers, look-ups and searches in a state of rendered values.

    `len(s) - 3`, {"s": "'ab'"} -> -1

    Raises:
        ValueError: The expression does something else, or a value is not a literal.
    """
    try:
        return _evaluate(node, state)
    except (TypeError, KeyError, IndexError, SyntaxError, ArithmeticError, AttributeError) as error:
        raise ValueError(f"cannot evaluate {ast.unparse(node)}: {error}") from error


def _evaluate(node: ast.expr, state: Mapping[str, str]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return ast.literal_eval(state[name])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, state)
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _OPERATORS:
            return _OPERATORS[type(operation)](_number(left, state), _number(right, state))
        case ast.Subscript(value=base, slice=index) if not isinstance(index, ast.Slice):
            return _evaluate(base, state)[_evaluate(index, state)]
        case ast.Call(func=ast.Name(id="len"), args=[argument], keywords=[]):
            return len(_evaluate(argument, state))
        case ast.Call(func=ast.Attribute(value=base, attr=name), args=args, keywords=[]):
            receiver = _evaluate(base, state)
            if name in _SEARCHES and isinstance(receiver, str | list | tuple):
                return getattr(receiver, name)(*(_evaluate(argument, state) for argument in args))
    raise ValueError(f"cannot evaluate {ast.unparse(node)}")


def _number(node: ast.expr, state: Mapping[str, str]) -> int:
    value = _evaluate(node, state)
    if not isinstance(value, int) or abs(value) > 10**18:
        raise ValueError(f"{ast.unparse(node)} is not a small integer")
    return value
