"""Value of one expression in a predicted state, for simple built-in operations only.

It checks whether a predicted state follows from the one before it. Nothing of the program is
executed: no call of its functions, no loop, no attribute of an object. If a value is not certain,
`UnknownValueError` is raised.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from worldline.analysis.alignment import parse_literal
from worldline.core.trace import words

# Longest value that is computed, in items or characters, and the largest number.
_MAX_LENGTH, _MAX_NUMBER = 2_000, 10**12
_OPERATORS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Div: operator.truediv,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}
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
        return _checked(_evaluate(node, state))
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


def _evaluate(node: ast.expr, state: Mapping[str, str]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return _variable(name, state)
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            kind = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
            return kind(_evaluate(item, state) for item in items)
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return {_evaluate(key, state): _evaluate(value, state) for key, value in pairs if key}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_checked(_evaluate(operand, state))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _evaluate(operand, state)
        case ast.BinOp(left=left, op=operation, right=right):
            return binary_value(operation, _evaluate(left, state), _evaluate(right, state))
        case ast.BoolOp(op=operation, values=values):
            return _boolean(operation, values, state)
        case ast.Compare(left=left, ops=operations, comparators=others):
            return _comparison(left, operations, others, state)
        case ast.IfExp(test=test, body=body, orelse=otherwise):
            return _evaluate(body if _evaluate(test, state) else otherwise, state)
        case ast.Subscript(value=base, slice=index):
            return _checked(_evaluate(base, state))[_index(index, state)]
        case ast.Call(keywords=[]):
            return _call(node, state)
    raise UnknownValueError(f"not a simple operation: {type(node).__name__}")


def _variable(name: str, state: Mapping[str, str]) -> Any:
    if name not in state:
        raise UnknownValueError(f"{name} is not in the state")
    if len(state[name]) > _MAX_LENGTH:
        raise UnknownValueError(f"{name} is long")
    return parse_literal(state[name])


def binary_value(operation: ast.operator, left: Any, right: Any) -> Any:
    """Apply a binary operator; a product of a number and a sequence is limited in length.

    Raises:
        UnknownValueError: The operator is not a simple one, or the result is too long.
    """
    if type(operation) not in _OPERATORS:
        raise UnknownValueError("not a simple operator")
    if isinstance(operation, ast.Mult):
        for count, sequence in ((left, right), (right, left)):
            is_repeated = isinstance(count, int) and isinstance(sequence, str | list | tuple)
            if is_repeated and count * len(sequence) > _MAX_LENGTH:
                raise UnknownValueError("a long value")
    if isinstance(operation, ast.Mod) and isinstance(left, str):
        raise UnknownValueError("formatting")
    return _OPERATORS[type(operation)](_checked(left), _checked(right))


def _boolean(operation: ast.boolop, values: list[ast.expr], state: Mapping[str, str]) -> Any:
    value = None
    for node in values:
        value = _evaluate(node, state)
        if bool(value) == isinstance(operation, ast.Or):
            break
    return value


def _comparison(
    left: ast.expr, operations: list[ast.cmpop], others: list[ast.expr], state: Mapping[str, str]
) -> bool:
    value = _evaluate(left, state)
    for operation, node in zip(operations, others, strict=True):
        other = _evaluate(node, state)
        if isinstance(operation, ast.Is | ast.IsNot):
            if value is not None and other is not None:
                raise UnknownValueError("identity of objects")
            if (value is other) != isinstance(operation, ast.Is):
                return False
        elif not _OPERATORS[type(operation)](value, other):
            return False
        value = other
    return True


def _index(node: ast.expr, state: Mapping[str, str]) -> Any:
    if not isinstance(node, ast.Slice):
        return _evaluate(node, state)
    bounds = (node.lower, node.upper, node.step)
    return slice(*(None if bound is None else _evaluate(bound, state) for bound in bounds))


def _call(node: ast.Call, state: Mapping[str, str]) -> Any:
    match node.func:
        case ast.Name(id=name) if name in _FUNCTIONS and name not in state:
            if name in ("list", "tuple", "sorted", "sum", "max", "min") and len(node.args) == 1:
                values = evaluate_iterable(node.args[0], state)
                return _FUNCTIONS[name](values)
            return _FUNCTIONS[name](*(_checked(_evaluate(each, state)) for each in node.args))
        case ast.Attribute(value=base, attr=name):
            receiver = _checked(_evaluate(base, state))
            arguments = [_checked(_evaluate(each, state)) for each in node.args]
            if name not in _METHODS.get(type(receiver), ()):
                raise UnknownValueError(f"method {name}")
            if any(isinstance(each, int) and abs(each) > _MAX_LENGTH for each in arguments):
                raise UnknownValueError("a large number")
            if name == "replace" and len(receiver) * sum(map(len, arguments[:2])) > 10**6:
                raise UnknownValueError("a long value")
            return getattr(receiver, name)(*arguments)
    raise UnknownValueError("a call")


def _checked(value: Any) -> Any:
    """A value of moderate size and a plain type."""
    if type(value) not in _PLAIN_TYPES:
        raise UnknownValueError(f"a {type(value).__name__}")
    if isinstance(value, int | float) and abs(value) > _MAX_NUMBER:
        raise UnknownValueError("a large number")
    if isinstance(value, str | list | tuple | dict | set) and len(value) > _MAX_LENGTH:
        raise UnknownValueError("a long value")
    return value
