"""Expressions over recorded values, for conditions and watches. No code of a program is executed.

Comparisons, arithmetic, indexing, fields, `in`, `and`, `or`, `not` and a few functions of numbers
and containers. Everything else is refused.
"""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worldline.analysis.replay.value_tree import ValueItem, value_items
from worldline.core.errors import ExpressionError
from worldline.core.trace import DEFAULT_LANGUAGE, Program
from worldline.core.util.expression_evaluator import ExpressionEvaluator
from worldline.core.util.text import truncate_text

# Longest sequence and largest number that are computed.
_MAX_LENGTH, _MAX_BITS = 100_000, 4_096
_MAX_CHARS = 2_000
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    function.__name__: function for function in (abs, all, any, len, max, min, sorted, sum)
}
_LENGTHS = frozenset({"length", "size", "len"})
# What other languages write differently, outside of strings.
_FOREIGN = re.compile(
    r"(?P<string>'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")|(?P<operator>===|!==|&&|\|\||!(?!=))"
    r"|(?P<name>\b(?:true|false|null|undefined|nil|nullptr)\b)"
)
_TRANSLATIONS = {
    "===": "==", "!==": "!=", "&&": " and ", "||": " or ", "!": " not ", "true": "True",
    "false": "False", "null": "None", "undefined": "None", "nil": "None", "nullptr": "None",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression."""

    text: str
    node: ast.expr


@dataclass(frozen=True, slots=True)
class RecordedValue:
    """A value that is only known as text, such as an instance of a class."""

    text: str


def parse_expression(text: str, *, language: str = DEFAULT_LANGUAGE) -> Expression:
    """Parse an expression in Python's notation, or with the operators of another language.

    `i == 7`; in JavaScript also `i === 7 && !done`

    Raises:
        ExpressionError: It is no expression, or too long.
    """
    if len(text) > _MAX_CHARS:
        raise ExpressionError(f"the expression has more than {_MAX_CHARS:,} characters")
    source = text if language == DEFAULT_LANGUAGE else _FOREIGN.sub(_translated, text)
    try:
        return Expression(text, ast.parse(source.strip(), mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = getattr(error, "msg", None) or str(error)
        raise ExpressionError(f"{truncate_text(text, 60)!r} is no expression: {reason}") from error


def evaluate(text: str, state: Mapping[str, str], program: Program) -> str:
    """Evaluate an expression in a state; the result is text.

    A variable, or an item of one, is written as it was recorded; what is computed, as in Python.

    Args:
        text: The expression.
        state: The recorded variables.
        program: The program, whose language has the notation of the values.

    Raises:
        ExpressionError: It cannot be evaluated without executing code, or it fails.
    """
    expression = parse_expression(text, language=program.language)
    path = _path_text(expression.node, state)
    if path is not None:
        return path
    value = evaluate_expression(expression, state, program)
    return value.text if isinstance(value, RecordedValue) else repr(value)


def evaluate_expression(expression: Expression, state: Mapping[str, str], program: Program) -> Any:
    """Evaluate a parsed expression to a value of Python, or to a `RecordedValue`.

    Raises:
        ExpressionError: It cannot be evaluated without executing code, or it fails.
    """
    try:
        return _RecordedState(state, program).evaluate(expression.node)
    except ExpressionError:
        raise
    # The ways in which operations of built-in types fail.
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ExpressionError(f"{truncate_text(expression.text, 60)} fails: {reason}") from error
    except RecursionError as error:
        raise ExpressionError("the expression is nested too deeply") from error


def is_true(condition: Expression, state: Mapping[str, str], program: Program) -> bool:
    """Whether a condition is true in a state; false if it cannot be evaluated there."""
    try:
        return bool(evaluate_expression(condition, state, program))
    except ExpressionError:
        return False


@dataclass(frozen=True, slots=True)
class _RecordedState(ExpressionEvaluator):
    values: Mapping[str, str]
    program: Program
    max_length = _MAX_LENGTH

    def error(self, reason: str) -> Exception:
        return ExpressionError(reason)

    def constant(self, value: Any) -> Any:
        if isinstance(value, complex | bytes):
            raise self.error(f"{value!r} is not evaluated")
        return value

    def name(self, node: ast.Name) -> Any:
        if node.id in self.values:
            return self._parsed(self.values[node.id])
        known = ", ".join(list(self.values)[:8]) or "none"
        raise self.error(f"there is no variable {node.id} here; known: {known}")

    def attribute(self, node: ast.Attribute) -> Any:
        text = _path_text(node, self.values)
        if text is not None:
            return self._parsed(text)
        if node.attr in _LENGTHS:
            return len(self.operand(node.value))
        raise self.error(f"{_source(node)} was not recorded")

    def subscript(self, node: ast.Subscript) -> Any:
        text = _path_text(node, self.values)
        # Named explicitly: `super()` does not work in a dataclass with slots.
        return ExpressionEvaluator.subscript(self, node) if text is None else self._parsed(text)

    def call(self, node: ast.Call) -> Any:
        match node:
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if (
                name in _FUNCTIONS and name not in self.values
            ):
                return _FUNCTIONS[name](*(self.operand(each) for each in args))
            case ast.Call(func=ast.Attribute(value=base, attr=name), args=[], keywords=[]) if (
                name in _LENGTHS
            ):
                return len(self.operand(base))
        raise self.error(
            f"{_source(node)} would execute code of the program, which a recording cannot do; the "
            f"functions {', '.join(_FUNCTIONS)} are evaluated"
        )

    def other(self, node: ast.expr) -> Any:
        raise self.error(
            f"{_source(node)} is not evaluated: only comparisons, arithmetic, indexing, fields, "
            f"in, and, or, not, and the functions {', '.join(_FUNCTIONS)}"
        )

    def operand(self, node: ast.expr) -> Any:
        value = self.evaluate(node)
        if isinstance(value, RecordedValue):
            raise self.error(
                f"{_source(node)} is {truncate_text(value.text, 60)}, which is known as text "
                "only: no operation can be applied to it"
            )
        return value

    def binary(self, operation: ast.operator, left: Any, right: Any) -> Any:
        bits = [each.bit_length() for each in (left, right) if isinstance(each, int)]
        if isinstance(operation, ast.Mult) and len(bits) == 2 and sum(bits) > _MAX_BITS:
            raise self.error(f"the result has more than {_MAX_BITS:,} bits")
        return ExpressionEvaluator.binary(self, operation, left, right)

    def _parsed(self, text: str) -> Any:
        """The value of a recorded text, if it is a literal."""
        return _parse(text, self.program.language, self.program.values.parse_literal)


@lru_cache(maxsize=1024)
def _parse(text: str, language: str, parse_literal: Callable[[str], Any]) -> Any:
    try:
        return parse_literal(text)
    except ValueError:
        return RecordedValue(text)


def _path_text(node: ast.expr, state: Mapping[str, str]) -> str | None:
    """The recorded text of a variable or of an item in it: `d['a'][0].x`; None if it is neither."""
    match node:
        case ast.Name(id=name):
            return state.get(name)
        case ast.Attribute(value=base, attr=name):
            item = _find_item(_path_text(base, state), name, ("field",))
            return None if item is None else item.text
        case ast.Subscript(value=base, slice=ast.Constant(value=key)):
            text = _path_text(base, state)
            item = _find_item(text, key, ("index",)) or _find_item(text, key, ("key", "field"))
            return None if item is None else item.text
    return None


def _find_item(text: str | None, key: object, kinds: tuple[str, ...]) -> ValueItem | None:
    for item in value_items(text) if text is not None else ():
        if item.kind in kinds and (item.name == str(key) or _unquoted(item.name) == key):
            is_text = isinstance(key, str)
            # `d[1]` is not `d['1']`; an index is never a text.
            if item.kind == "field" or is_text == item.name.startswith(("'", '"')):
                return item
    return None


def _unquoted(name: str) -> str | None:
    return name[1:-1] if name[:1] in ("'", '"') and "\\" not in name else None


def _source(node: ast.expr) -> str:
    return truncate_text(ast.unparse(node), 60)


def _translated(match: re.Match[str]) -> str:
    text = match[0]
    return text if match["string"] is not None else _TRANSLATIONS[text]
