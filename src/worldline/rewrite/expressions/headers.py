"""The header of a compound statement goes in; lines that work it out, and a header, come out."""

import ast
from collections.abc import Iterator

from worldline.rewrite.expressions.loops import negated
from worldline.rewrite.expressions.lowering import Lowering, UnsafeError


def header_of(statement: ast.stmt) -> ast.expr | None:
    """What of a header may be worked out before its statement.

    "with a() as x, b() as y:" -> a(); b() is evaluated when a() has been entered
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


def waiting_in(statement: ast.stmt) -> Iterator[tuple[ast.expr, str]]:
    """Expressions of a statement that cannot be worked out before it, and why."""
    match statement:
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items[1:]:
                yield item.context_expr, "what stands before it has been entered by then"
        case ast.Match(cases=cases):
            for case in cases:
                if case.guard is not None:
                    yield case.guard, "its pattern has to match first"


def lower_header(low: Lowering, statement: ast.stmt) -> None:
    """Put a header into lines of one operation each; the last but for a loop's is the header."""
    match statement:
        case ast.If(test=test):
            low.head("if", low.top(test), origin=statement)
        case ast.While():
            _while(low, statement)
        case ast.For(target=target, iter=source):
            low.put(ast.For(target, low.top(source), [], []), origin=statement)
        case ast.AsyncFor(target=target, iter=source):
            low.put(ast.AsyncFor(target, low.top(source), [], []), origin=statement)
        case ast.With(items=[first, *rest]):
            made = ast.withitem(low.top(first.context_expr), first.optional_vars)
            low.put(ast.With([made, *rest], []), origin=statement)
        case ast.AsyncWith(items=[first, *rest]):
            made = ast.withitem(low.top(first.context_expr), first.optional_vars)
            low.put(ast.AsyncWith([made, *rest], []), origin=statement)
        case ast.Match(subject=subject):
            low.head("match", low.top(subject), origin=statement)


def _while(low: Lowering, statement: ast.While) -> None:
    """`while f(g()):` -> while True:, t1 = g(), t2 = f(t1), if not t2:, break."""
    if statement.orelse:
        raise UnsafeError("its else would not know whether the loop was left")
    low.put("while True:", origin=statement)
    with low.deeper():
        low.head("if", negated(low, statement.test), origin=statement.test)
        with low.deeper():
            low.put("break", origin=statement.test)
