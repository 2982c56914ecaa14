"""An f-string goes in; lines that work out its parts, and an f-string of them, come out."""

import ast

from worldline.rewrite.expressions.lowering import Lowering, UnsafeError, named_in

# Writing one of these out does nothing else, and cannot fail.
_PLAIN = ("str", "int", "float", "bool", "NoneType")


def formatted(low: Lowering, node: ast.JoinedStr) -> ast.expr:
    """`f"{a}{g(x)}"` -> t1 = f"{a}", t2 = g(x), and f"{t1}{t2}".

    Each part is made into text before the next is evaluated.
    """
    values: list[ast.expr] = []
    for index, part in enumerate(node.values):
        if not isinstance(part, ast.FormattedValue):
            values.append(part)
            continue
        is_last = not any(map(low.operations.of, _evaluated(node.values[index + 1 :])))
        values.append(_part(low, part, node.values[index + 1 :], is_last=is_last))
    return ast.JoinedStr(values)


def _evaluated(parts: list[ast.expr]) -> list[ast.expr]:
    """Everything that is evaluated for parts of an f-string."""
    found: list[ast.expr] = []
    for part in parts:
        if isinstance(part, ast.FormattedValue):
            found.append(part.value)
            if isinstance(part.format_spec, ast.JoinedStr):
                found += _evaluated(part.format_spec.values)
    return found


def _part(
    low: Lowering, part: ast.FormattedValue, rest: list[ast.expr], *, is_last: bool
) -> ast.FormattedValue:
    made = _worked_out(low, part)
    if is_last or _is_plain(low, made, rest):
        return made
    text = low.saved(ast.JoinedStr([made]), origin=part.value)
    return ast.FormattedValue(text, -1, None)


def _is_plain(low: Lowering, part: ast.FormattedValue, rest: list[ast.expr]) -> bool:
    """Whether it makes no difference when a part is made into text."""
    if part.format_spec is not None or low.kinds.of(part.value) not in _PLAIN:
        return False
    later = [each for each in _evaluated(rest) if low.operations.of(each)]
    return low.is_stable(part.value, named_in(later))


def _worked_out(low: Lowering, part: ast.FormattedValue) -> ast.FormattedValue:
    spec = part.format_spec
    if not isinstance(spec, ast.JoinedStr) or not low.operations.spec(part):
        return ast.FormattedValue(low.operand(part.value), part.conversion, spec)
    if part.conversion != -1:
        raise UnsafeError("Python 3.13 converts the value before its format is evaluated")
    inner = _evaluated(spec.values)
    value = low.kept(low.operand(part.value), inner, origin=part.value)
    made = formatted(low, spec)
    return ast.FormattedValue(value, part.conversion, made)
