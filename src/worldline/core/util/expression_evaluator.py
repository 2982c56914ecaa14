"""Values of expressions over built-in types, computed without executing a program.

Two evaluators use it: for conditions of a debugger, and for checks of predicted states. Both say
what a name and a call mean, and what is too large; operators, displays and comparisons are here.
"""

import ast
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


class ExpressionEvaluator(ABC):
    """Evaluates expressions in one state. A subclass says what is known and what is too large.

    Attributes:
        max_length: Longest sequence that `*` makes.
    """

    max_length: int

    @abstractmethod
    def name(self, node: ast.Name) -> Any:
        """The value of a variable."""

    @abstractmethod
    def call(self, node: ast.Call) -> Any:
        """The value of a call."""

    @abstractmethod
    def error(self, reason: str) -> Exception:
        """The error that refuses an expression."""

    def checked(self, value: Any) -> Any:
        """An operand of an operation, if it is known and not too large."""
        return value

    def constant(self, value: Any) -> Any:
        """The value of a literal."""
        return value

    def attribute(self, node: ast.Attribute) -> Any:
        """The value of a field."""
        raise self.error(f"{ast.unparse(node)} is not evaluated")

    def subscript(self, node: ast.Subscript) -> Any:
        """The value of an item or a slice."""
        return self.operand(node.value)[self._index(node.slice)]

    def other(self, node: ast.expr) -> Any:
        """The value of any other expression."""
        raise self.error(f"{ast.unparse(node)} is not evaluated")

    def operand(self, node: ast.expr) -> Any:
        """The value of a part of an expression, checked."""
        return self.checked(self.evaluate(node))

    def evaluate(self, node: ast.expr) -> Any:
        """The value of an expression."""
        match node:
            case ast.Constant(value=value):
                return self.constant(value)
            case ast.Name():
                return self.name(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                kind = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
                return kind(self.operand(item) for item in items)
            case ast.Dict(keys=keys, values=values) if None not in keys:
                pairs = zip(keys, values, strict=True)
                return {self.operand(key): self.operand(value) for key, value in pairs if key}
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not() as sign, operand=operand):
                value = self.operand(operand)
                if isinstance(sign, ast.Not):
                    return not value
                return -value if isinstance(sign, ast.USub) else +value
            case ast.BinOp(left=left, op=operation, right=right):
                return self.binary(operation, self.operand(left), self.operand(right))
            case ast.BoolOp(op=operation, values=values):
                return self._boolean(operation, values)
            case ast.Compare():
                return self._comparison(node)
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                return self.evaluate(body if self.operand(test) else otherwise)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Call():
                return self.call(node)
        return self.other(node)

    def binary(self, operation: ast.operator, left: Any, right: Any) -> Any:
        """Apply a binary operator; a product of a number and a sequence is limited in length."""
        if type(operation) not in _ARITHMETIC:
            raise self.error(f"the operator {type(operation).__name__} is not evaluated")
        if isinstance(operation, ast.Mod) and isinstance(left, str):
            raise self.error("texts are not formatted here")
        if isinstance(operation, ast.Mult):
            for count, sequence in ((left, right), (right, left)):
                is_repeated = isinstance(count, int) and isinstance(sequence, str | list | tuple)
                if is_repeated and count * len(sequence) > self.max_length:
                    raise self.error(f"the result has more than {self.max_length:,} items")
        return _ARITHMETIC[type(operation)](left, right)

    def _boolean(self, operation: ast.boolop, values: list[ast.expr]) -> Any:
        value = None
        for node in values:
            value = self.operand(node)
            if bool(value) == isinstance(operation, ast.Or):
                break
        return value

    def _comparison(self, node: ast.Compare) -> bool:
        left = self.operand(node.left)
        for operation, other in zip(node.ops, node.comparators, strict=True):
            right = self.operand(other)
            if isinstance(operation, ast.Is | ast.IsNot):
                if left is not None and right is not None:
                    raise self.error("the identity of objects was not recorded; use ==")
                if (left is right) != isinstance(operation, ast.Is):
                    return False
            elif not _COMPARISONS[type(operation)](left, right):
                return False
            left = right
        return True

    def _index(self, node: ast.expr) -> Any:
        if not isinstance(node, ast.Slice):
            return self.operand(node)
        bounds = (node.lower, node.upper, node.step)
        return slice(*(None if bound is None else self.operand(bound) for bound in bounds))
