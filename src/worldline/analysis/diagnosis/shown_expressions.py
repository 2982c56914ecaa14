"""Expressions that a step shows the value of, and the operations in them."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldline.analysis.diagnosis.operation_syntax import operation_name
from worldline.analysis.diagnosis.source_statements import (
    executed_expressions,
    statements_at,
    syntax_nodes,
)
from worldline.analysis.diagnosis.variable_writes import bound_by_header, written_names
from worldline.languages.python.expression_frames import COMPREHENSIONS, LAMBDA

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Condition = ast.If | ast.While | ast.Assert
_Compound = (
    ast.If | ast.For | ast.While | ast.With | ast.Try | ast.AsyncFor | ast.AsyncWith | ast.Match
)
_FRAMES = {name: kind for kind, name in COMPREHENSIONS.items()} | {LAMBDA: ast.Lambda}


@dataclass(frozen=True, slots=True)
class FrameStyle:
    """Which expressions have steps of their own, so that their values are shown by these."""

    comprehensions: bool
    generators: bool
    lambdas: bool


@dataclass(frozen=True, slots=True)
class OperationNode:
    """An operation in the syntax tree.

    Attributes:
        node: The operation.
        is_certain: Whether it is evaluated whenever the step is: not the `b` of `a and b`.
    """

    node: ast.AST
    is_certain: bool


@dataclass(frozen=True, slots=True)
class ShownExpressions:
    """What one step shows.

    Attributes:
        operations: The operations that compute it.
        nesting: How deeply these nest.
        read: The expressions that are evaluated.
        names: The variables that are written, if it is a state.
        condition: The statement, if the step shows which branch is taken.
    """

    operations: tuple[OperationNode, ...]
    nesting: int
    read: tuple[ast.AST, ...]
    names: frozenset[str] = frozenset()
    condition: Condition | ast.For | ast.AsyncFor | None = None


@lru_cache(maxsize=64)
def program_calls(text: str) -> frozenset[str]:
    """Names of the program's functions and classes, whose calls are steps."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(node.name for node in syntax_nodes(text) if isinstance(node, kinds))


@lru_cache(maxsize=4096)
def _statements(text: str, line: int) -> tuple[ast.stmt, ...]:
    return tuple(statements_at(syntax_nodes(text), line))


@lru_cache(maxsize=4096)
def shown_by_line(text: str, line: int, style: FrameStyle) -> ShownExpressions | None:
    """What the state after a line shows; None if it shows nothing of what the line computes.

    "x = s.strip()" -> the operation .strip(), written to x

    Args:
        text: The source of the program.
        line: The number of the executed line.
        style: Which expressions have steps of their own.
    """
    statements = _statements(text, line)
    if not statements or _has_body_on_line(statements):
        return None
    (*_, last) = statements
    if isinstance(last, ast.If | ast.While | ast.Assert):
        return _shown(text, [last.test], style, condition=last)
    if isinstance(last, ast.For | ast.AsyncFor):
        inner = _nested_operations(text, last.iter, style)
        if isinstance(last.iter, ast.Call) and inner[0] and inner[0][-1].node is last.iter:
            # No step shows the value of `range(n)`, only the items.
            inner = inner[0][:-1], inner[1] - 1
        operations = (*inner[0], OperationNode(last, is_certain=True))
        names = frozenset(bound_by_header(last))
        return ShownExpressions(operations, inner[1] + 1, (last.iter,), names, last)
    kinds = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Delete
    if not all(isinstance(statement, kinds) for statement in statements):
        return None
    names = frozenset(name for statement in statements for name in written_names(statement))
    expressions = [node for statement in statements for node in executed_expressions(statement)]
    shown = _shown(text, expressions, style, names=names)
    is_bare_call = isinstance(last, ast.Expr) and not shown.operations
    return None if is_bare_call or not names else shown


@lru_cache(maxsize=4096)
def shown_by_return(text: str, line: int, style: FrameStyle) -> ShownExpressions | None:
    """What the value of a return or yield on a line shows; None if it is not computed there."""
    for statement in reversed(_statements(text, line)):
        match statement:
            case (
                ast.Return(value=ast.expr() as value)
                | ast.Expr(value=ast.Yield(value=ast.expr() as value))
                | ast.Assign(value=ast.Yield(value=ast.expr() as value))
            ):
                return _shown(text, [value], style)
    return None


@lru_cache(maxsize=4096)
def shown_by_exception(text: str, line: int, style: FrameStyle) -> ShownExpressions | None:
    """What an exception that a line raises itself shows."""
    statements = _statements(text, line)
    if not statements or _has_body_on_line(statements):
        return None
    expressions = [node for statement in statements for node in executed_expressions(statement)]
    return _shown(text, expressions, style)


@lru_cache(maxsize=4096)
def shown_by_call(
    text: str, line: int, function: str, style: FrameStyle
) -> ShownExpressions | None:
    """What the arguments of a call show: the expressions at the only call of that name."""
    name = function.rpartition(".")[2]
    calls = [
        node
        for statement in _statements(text, line)
        for expression in executed_expressions(statement)
        for node in ast.walk(expression)
        if isinstance(node, ast.Call) and _called_name(node) == name
    ]
    if len(calls) != 1:
        return None
    arguments = [*calls[0].args, *(keyword.value for keyword in calls[0].keywords)]
    return _shown(text, arguments, style) if arguments else None


@lru_cache(maxsize=4096)
def find_frame(text: str, function: str, line: int) -> ast.expr | None:
    """The lambda or comprehension of a scope; None if the line has several of that kind."""
    kind = _FRAMES.get(function.rpartition(".")[2])
    nodes = [
        node
        for statement in syntax_nodes(text)
        if isinstance(statement, ast.stmt) and kind is not None
        for expression in executed_expressions(statement)
        for node in ast.walk(expression)
        if isinstance(node, kind) and node.lineno == line
    ]
    return nodes[0] if len(nodes) == 1 else None


def is_frame(function: str) -> bool:
    """Whether a scope belongs to a lambda, a comprehension or a generator expression."""
    return function.rpartition(".")[2] in _FRAMES


@lru_cache(maxsize=4096)
def shown_by_frame(text: str, frame: ast.expr, style: FrameStyle) -> ShownExpressions | None:
    """What the value of a lambda or a comprehension shows."""
    if isinstance(frame, ast.Lambda):
        return _shown(text, [frame.body], style)
    assert isinstance(frame, Comprehension)
    items = [frame.key, frame.value] if isinstance(frame, ast.DictComp) else [frame.elt]
    conditions = [test for generator in frame.generators for test in generator.ifs]
    shown = _shown(text, [*items, *conditions], style)
    if isinstance(frame, ast.GeneratorExp):
        return shown
    # The value has all items, so that its operations were executed many times.
    operations = (*shown.operations, OperationNode(frame, is_certain=True))
    return ShownExpressions(operations, shown.nesting + 1, shown.read)


@lru_cache(maxsize=4096)
def shown_by_item(text: str, frame: ast.expr, style: FrameStyle) -> ShownExpressions | None:
    """What the loop variable of a comprehension with one `for`, on one line, shows."""
    if not isinstance(frame, Comprehension) or frame.lineno != frame.end_lineno:
        return None
    if len(frame.generators) != 1:
        return None
    (generator,) = frame.generators
    operations, nesting = _nested_operations(text, generator.iter, style)
    if isinstance(generator.iter, ast.Call) and operations[-1:]:
        operations, nesting = operations[:-1], nesting - 1
    names = {node.id for node in ast.walk(generator.target) if isinstance(node, ast.Name)}
    return ShownExpressions(
        (*operations, OperationNode(generator, is_certain=True)),
        nesting + 1,
        (generator.iter,),
        frozenset(names),
    )


@lru_cache(maxsize=4096)
def is_same_statement(text: str, line: int, other: int) -> bool:
    """Whether two lines belong to one simple statement, which is then not finished."""
    first, second = _statements(text, line), _statements(text, other)
    return bool(first) and first == second and not isinstance(first[-1], _Compound)


def _has_body_on_line(statements: Sequence[ast.stmt]) -> bool:
    """Whether a header and its body are on one line, so that it is not known what was executed."""
    return len(statements) > 1 and any(isinstance(each, _Compound) for each in statements)


def _shown(
    text: str,
    expressions: Sequence[ast.expr],
    style: FrameStyle,
    *,
    names: frozenset[str] = frozenset(),
    condition: Condition | None = None,
) -> ShownExpressions:
    parts = [_nested_operations(text, expression, style) for expression in expressions]
    operations = tuple(operation for each, _ in parts for operation in each)
    nesting = max((depth for _, depth in parts), default=0)
    return ShownExpressions(operations, nesting, tuple(expressions), names, condition)


def _nested_operations(
    text: str, root: ast.AST, style: FrameStyle
) -> tuple[tuple[OperationNode, ...], int]:
    """The operations of an expression whose values no other step shows, and how deep they nest."""
    calls = program_calls(text)

    def visit(node: ast.AST, is_certain: bool) -> tuple[list[OperationNode], int]:
        if _is_shown_elsewhere(node, calls, style):
            return [], 0
        operations: list[OperationNode] = []
        depth = 0
        for child, is_child_certain in _children(node):
            inner, inner_depth = visit(child, is_certain and is_child_certain)
            operations += inner
            depth = max(depth, inner_depth)
        if _is_operation(node):
            operations.append(OperationNode(node, is_certain))
            depth += 1
        return operations, depth

    operations, depth = visit(root, True)
    return tuple(operations), depth


def _is_shown_elsewhere(node: ast.AST, calls: frozenset[str], style: FrameStyle) -> bool:
    match node:
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            return style.comprehensions
        case ast.GeneratorExp():
            return style.generators
        case ast.Lambda():
            return style.lambdas
        case ast.Call():
            return _called_name(node) in calls
    return False


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """The parts of an expression, each with whether it is evaluated whenever the whole is."""
    match node:
        case ast.BoolOp(values=[first, *others]):
            yield first, True
            yield from ((other, False) for other in others)
        case ast.IfExp(test=test, body=body, orelse=otherwise):
            yield test, True
            yield from ((body, False), (otherwise, False))
        case ast.Call(func=ast.Attribute(value=receiver), args=args, keywords=keywords):
            yield from ((part, True) for part in (receiver, *args, *keywords))
        case ast.Lambda(body=body):
            yield body, False
        case _:
            yield from ((child, True) for child in ast.iter_child_nodes(node))


def _is_operation(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return True
    is_stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
    return not is_stored and operation_name(node) is not None


def _called_name(call: ast.Call) -> str | None:
    if isinstance(call.func, ast.Name):
        return call.func.id
    return call.func.attr if isinstance(call.func, ast.Attribute) else None
