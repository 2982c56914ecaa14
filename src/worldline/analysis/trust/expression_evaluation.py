"""Value of one expression in a predicted state, for simple built-in operations only.

It checks whether a predicted state follows from the one before it. Nothing of the program is
executed: no call of its functions, no loop, no attribute of an object. If a value is not certain,
`UnknownValueError` is raised.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from worldline.analysis.alignment import parse_literal
from worldline.core.trace import words
from worldline.core.util.expression_evaluator import ExpressionEvaluator

# Longest value that is computed, in items or characters, and the largest number.
_MAX_LENGTH, _MAX_NUMBER = 2_000, 10**12
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        abs, all, any, bool, chr, dict, int, len, list, max, min, ord, sorted, str, sum, tuple
    )
}  # fmt: skip
# Functions and methods whose results are lists in effect, but are not shown as such.
_ITERATORS: Mapping[str, Callable[..., Any]] = {
    function.__name__: function for function in (enumerate, range, reversed, zip)
}
_VIEWS = frozenset({"items", "keys", "values"})
# Methods that change nothing. Those with a width are limited by the length of its result.
_METHODS: Mapping[type, frozenset[str]] = {
    str: words(
        "capitalize casefold center count endswith find index isalnum isalpha isdecimal isdigit "
        "islower isnumeric isspace istitle isupper join ljust lower lstrip partition removeprefix "
        "removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines "
        "startswith strip swapcase title upper zfill"
    ),
    list: frozenset({"copy", "count", "index"}),
    tuple: frozenset({"count", "index"}),
    dict: frozenset({"copy", "get"}),
    set: frozenset({"copy", "difference", "intersection", "union"}),
}
_PLAIN_TYPES = (str, int, float, bool, list, tuple, dict, set, type(None))


class UnknownValueError(Exception):
    """The expression uses more than simple operations on known values, or fails."""


def evaluate_expression(node: ast.expr, state: Mapping[str, str]) -> Any:
    """Evaluate an expression in a state of rendered values.

    `s[1:] + 'c'`, {"s": "'ab'"} -> "bc"

    Raises:
        UnknownValueError: A value is not known, the operation is not a simple one, or it fails.
    """
    try:
        return _PredictedState(state).operand(node)
    except UnknownValueError:
        raise
    # The operations of built-in types fail in these ways; the program would, too.
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnknownValueError(str(error)) from error


def evaluate_iterable(node: ast.expr, state: Mapping[str, str]) -> list[Any]:
    """Evaluate what a `for` loop iterates over, as a list; sets have no order and no value.

    `enumerate(xs)`, {"xs": "['a']"} -> [(0, "a")]

    Raises:
        UnknownValueError: It is not known.
    """
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if (
            name in _ITERATORS and name not in state
        ):
            parts = [_argument(name, each, state) for each in args]
            if name == "range" and any(
                not isinstance(part, int) or abs(part) > _MAX_LENGTH for part in parts
            ):
                raise UnknownValueError("a long range")
            try:
                return list(_ITERATORS[name](*parts))
            except (TypeError, ValueError) as error:
                raise UnknownValueError(str(error)) from error
        case ast.Call(func=ast.Attribute(value=base, attr=name), args=[], keywords=[]) if (
            name in _VIEWS
        ):
            value = evaluate_expression(base, state)
            if isinstance(value, dict):
                return list(getattr(value, name)())
            raise UnknownValueError(f"{name} of no dict")
    value = evaluate_expression(node, state)
    if not isinstance(value, str | list | tuple | dict):
        raise UnknownValueError("not a sequence")
    return list(value)


def _argument(function: str, node: ast.expr, state: Mapping[str, str]) -> Any:
    if function == "range":
        return evaluate_expression(node, state)
    return evaluate_iterable(node, state)


def binary_value(operation: ast.operator, left: Any, right: Any) -> Any:
    """Apply a binary operator.

    Raises:
        UnknownValueError: The operator is not a simple one, or a value is too large.
    """
    state = _PredictedState({})
    return state.binary(operation, state.checked(left), state.checked(right))


@dataclass(frozen=True, slots=True)
class _PredictedState(ExpressionEvaluator):
    values: Mapping[str, str]
    max_length = _MAX_LENGTH

    def error(self, reason: str) -> Exception:
        return UnknownValueError(reason)

    def name(self, node: ast.Name) -> Any:
        name = node.id
        if name not in self.values:
            raise self.error(f"{name} is not in the state")
        if len(self.values[name]) > _MAX_LENGTH:
            raise self.error(f"{name} is long")
        return parse_literal(self.values[name])

    def call(self, node: ast.Call) -> Any:
        match node:
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if (
                name in _FUNCTIONS and name not in self.values
            ):
                if name in ("list", "tuple", "sorted", "sum", "max", "min") and len(args) == 1:
                    return _FUNCTIONS[name](evaluate_iterable(args[0], self.values))
                return _FUNCTIONS[name](*map(self.operand, args))
            case ast.Call(func=ast.Attribute(value=base, attr=name), args=args, keywords=[]):
                return self._method(self.operand(base), name, list(map(self.operand, args)))
        raise self.error("a call")

    def _method(self, receiver: Any, name: str, arguments: list[Any]) -> Any:
        if name not in _METHODS.get(type(receiver), ()):
            raise self.error(f"method {name}")
        if any(isinstance(each, int) and abs(each) > _MAX_LENGTH for each in arguments):
            raise self.error("a large number")
        if name == "replace" and len(receiver) * sum(map(len, arguments[:2])) > 10**6:
            raise self.error("a long value")
        return getattr(receiver, name)(*arguments)

    def checked(self, value: Any) -> Any:
        """A value of moderate size and a plain type."""
        if type(value) not in _PLAIN_TYPES:
            raise self.error(f"a {type(value).__name__}")
        if isinstance(value, int | float) and abs(value) > _MAX_NUMBER:
            raise self.error("a large number")
        if isinstance(value, str | list | tuple | dict | set) and len(value) > _MAX_LENGTH:
            raise self.error("a long value")
        return value
