"""Lowering of f-strings."""

import ast

from worldline.languages.python.rewrite.expressions.lowering import (
    Lowering,
    UnsafeError,
    walrus_targets,
)

# Types whose formatting has no side effects and cannot fail.
_SAFE_TO_FORMAT = ("str", "int", "float", "bool", "NoneType")


def lower_fstring(lowering: Lowering, node: ast.JoinedStr) -> ast.expr:
    """`f"{a}{g(x)}"` -> t1 = f"{a}", t2 = g(x), and f"{t1}{t2}".

    Each field is formatted before the next one is evaluated.
    """
    values: list[ast.expr] = []
    for index, part in enumerate(node.values):
        if not isinstance(part, ast.FormattedValue):
            values.append(part)
            continue
        is_last = not any(
            map(lowering.operations.count, _evaluated_expressions(node.values[index + 1 :]))
        )
        values.append(_lower_field(lowering, part, node.values[index + 1 :], is_last=is_last))
    return ast.JoinedStr(values)


def _evaluated_expressions(parts: list[ast.expr]) -> list[ast.expr]:
    """All expressions that are evaluated for parts of an f-string."""
    expressions: list[ast.expr] = []
    for part in parts:
        if isinstance(part, ast.FormattedValue):
            expressions.append(part.value)
            if isinstance(part.format_spec, ast.JoinedStr):
                expressions += _evaluated_expressions(part.format_spec.values)
    return expressions


def _lower_field(
    lowering: Lowering, part: ast.FormattedValue, later_parts: list[ast.expr], *, is_last: bool
) -> ast.FormattedValue:
    lowered = _lower_value(lowering, part)
    if is_last or _can_format_later(lowering, lowered, later_parts):
        return lowered
    text = lowering.store(ast.JoinedStr([lowered]), origin=part.value)
    return ast.FormattedValue(text, -1, None)


def _can_format_later(
    lowering: Lowering, part: ast.FormattedValue, later_parts: list[ast.expr]
) -> bool:
    """Whether it makes no difference when a field is formatted."""
    if part.format_spec is not None or lowering.types.type_of(part.value) not in _SAFE_TO_FORMAT:
        return False
    later = [
        each for each in _evaluated_expressions(later_parts) if lowering.operations.count(each)
    ]
    return lowering.is_stable(part.value, walrus_targets(later))


def _lower_value(lowering: Lowering, part: ast.FormattedValue) -> ast.FormattedValue:
    spec = part.format_spec
    if not isinstance(spec, ast.JoinedStr) or not lowering.operations.count_format_spec(part):
        return ast.FormattedValue(lowering.lower_operand(part.value), part.conversion, spec)
    if part.conversion != -1:
        raise UnsafeError("Python 3.13 converts the value before its format is evaluated")
    inner = _evaluated_expressions(spec.values)
    value = lowering.stabilize(lowering.lower_operand(part.value), inner, origin=part.value)
    lowered_spec = lower_fstring(lowering, spec)
    return ast.FormattedValue(value, part.conversion, lowered_spec)
