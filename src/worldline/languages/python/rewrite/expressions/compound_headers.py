"""Lowering of the headers of compound statements (`if`, `while`, `for`, `with`, `match`)."""

import ast
from collections.abc import Iterator

from worldline.languages.python.rewrite.expressions.comprehension_loops import lower_negation
from worldline.languages.python.rewrite.expressions.lowering import Lowering, UnsafeError


def header_expression(statement: ast.stmt) -> ast.expr | None:
    """The expression of a header that may be evaluated before its statement.

    "with a() as x, b() as y:" -> a(); b() is evaluated after a() has been entered
    """
    match statement:
        case ast.If(test=test) | ast.While(test=test):
            return test
        case ast.For(iter=source) | ast.AsyncFor(iter=source):
            return source
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return items[0].context_expr
        case ast.Match(subject=subject):
            return subject
    return None


def late_expressions(statement: ast.stmt) -> Iterator[tuple[ast.expr, str]]:
    """Yield expressions of a statement that cannot be evaluated before it, and the reason."""
    match statement:
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items[1:]:
                yield item.context_expr, "it is evaluated after the item before it was entered"
        case ast.Match(cases=cases):
            for case in cases:
                if case.guard is not None:
                    yield case.guard, "its pattern has to match first"


def lower_header(lowering: Lowering, statement: ast.stmt) -> None:
    """Lower a header to lines of one operation each.

    The last line is the new header, except for `while`, which becomes `while True` with a test
    inside.
    """
    match statement:
        case ast.If(test=test):
            lowering.emit_header("if", lowering.lower(test), origin=statement)
        case ast.While():
            _lower_while(lowering, statement)
        case ast.For(target=target, iter=source):
            lowering.emit(ast.For(target, lowering.lower(source), [], []), origin=statement)
        case ast.AsyncFor(target=target, iter=source):
            lowering.emit(ast.AsyncFor(target, lowering.lower(source), [], []), origin=statement)
        case ast.With(items=[first, *rest]):
            item = ast.withitem(lowering.lower(first.context_expr), first.optional_vars)
            lowering.emit(ast.With([item, *rest], []), origin=statement)
        case ast.AsyncWith(items=[first, *rest]):
            item = ast.withitem(lowering.lower(first.context_expr), first.optional_vars)
            lowering.emit(ast.AsyncWith([item, *rest], []), origin=statement)
        case ast.Match(subject=subject):
            lowering.emit_header("match", lowering.lower(subject), origin=statement)


def _lower_while(lowering: Lowering, statement: ast.While) -> None:
    """`while f(g()):` -> while True:, t1 = g(), t2 = f(t1), if not t2:, break."""
    if statement.orelse:
        raise UnsafeError("its else must know whether the loop ended by break")
    lowering.emit("while True:", origin=statement)
    with lowering.indented():
        lowering.emit_header("if", lower_negation(lowering, statement.test), origin=statement.test)
        with lowering.indented():
            lowering.emit("break", origin=statement.test)
