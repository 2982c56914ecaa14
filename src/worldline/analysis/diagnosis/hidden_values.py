"""Values within an expression that no step shows."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from worldline.analysis.diagnosis.operation_syntax import is_operation, operands, operation_name


@dataclass(frozen=True, slots=True)
class ShownCalls:
    """Which calls have steps of their own, so that their values are shown."""

    functions: set[str]
    has_comprehension_frames: bool

    def has_value(self, node: ast.AST) -> bool:
        """Whether a step shows the value of an operation, or it has none: a lambda, a generator."""
        if isinstance(node, ast.Lambda | ast.GeneratorExp):
            return True
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
            return self.has_comprehension_frames
        name = operation_name(node) if isinstance(node, ast.Call) else None
        return name is not None and name[:-2].lstrip(".") in self.functions


def count_hidden_values(node: ast.expr, shown_calls: ShownCalls, *, is_shown: bool) -> int:
    """Count the operations of an expression whose value no step shows."""

    def count(part: ast.AST) -> int:
        is_hidden = is_operation(part) and not shown_calls.has_value(part)
        return is_hidden + sum(count(child) for child in operands(part))

    if not is_shown:
        return count(node)
    displayed = list(_displayed_expressions(node))
    return sum(
        count(part) - (is_operation(part) and not shown_calls.has_value(part)) for part in displayed
    )


def longest_hidden_chain(node: ast.expr, shown_calls: ShownCalls, *, is_shown: bool) -> int:
    """The longest chain of hidden values that the value of an expression depends on."""

    def chain(part: ast.AST) -> int:
        if shown_calls.has_value(part):
            return 0
        return is_operation(part) + max((chain(child) for child in operands(part)), default=0)

    if not is_shown:
        return chain(node)
    return max(
        (
            chain(part) - (is_operation(part) and not shown_calls.has_value(part))
            for part in _displayed_expressions(node)
        ),
        default=0,
    )


def _displayed_expressions(node: ast.expr) -> Iterator[ast.AST]:
    """The expressions whose values are shown by the value of an expression.

    (a + b, [c - d]) -> a + b, c - d
    """
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        for item in node.elts:
            yield from _displayed_expressions(item)
    elif isinstance(node, ast.Dict):
        for child in [*node.keys, *node.values]:
            if child is not None:
                yield from _displayed_expressions(child)
    else:
        yield node


def shows_value(statement: ast.stmt) -> bool:
    """Whether the next step shows the value of an expression; of an iterable, only one item."""
    return not isinstance(statement, ast.For | ast.AsyncFor | ast.With | ast.AsyncWith)
