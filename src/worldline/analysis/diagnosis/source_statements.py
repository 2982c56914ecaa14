"""Statements of a source line, and the expressions that a step on it evaluates."""

import ast
from collections.abc import Sequence
from functools import lru_cache

from worldline.core.trace import parse_source


# Cached because many lines of one program are inspected in a row; no function changes the nodes.
@lru_cache(maxsize=16)
def syntax_nodes(text: str) -> tuple[ast.AST, ...]:
    """All statements of a program's syntax tree; empty if it does not parse."""
    tree = parse_source(text)
    nodes = () if tree is None else ast.walk(tree)
    return tuple(node for node in nodes if isinstance(node, ast.stmt))


def statements_at(nodes: Sequence[ast.AST], line: int) -> list[ast.stmt]:
    """The statements that a step on this line executes: simple statements, or headers."""
    enclosing = [
        node
        for node in nodes
        if isinstance(node, ast.stmt) and node.lineno <= line <= _last_line(node)
    ]
    if not enclosing:
        return []
    start = max(node.lineno for node in enclosing)
    # `for x in y: f(x)` on one line is a header and a body; both may have been executed.
    return [node for node in enclosing if node.lineno == start]


def executed_expressions(statement: ast.stmt) -> list[ast.expr]:
    """The expressions that a step on the statement's own line evaluates."""
    if isinstance(statement, ast.For | ast.AsyncFor):
        return [statement.iter]
    if isinstance(statement, ast.While | ast.If):
        return [statement.test]
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [item.context_expr for item in statement.items]
    if isinstance(statement, ast.Match):
        return [statement.subject]
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return list(statement.decorator_list)
    if isinstance(statement, ast.Try):
        return []
    if isinstance(statement, ast.AnnAssign):
        return [node for node in (statement.target, statement.value) if node is not None]
    if isinstance(statement, ast.AugAssign):
        # `a += b` computes `a + b`.
        operation = ast.BinOp(statement.target, statement.op, statement.value)
        return [ast.copy_location(operation, statement)]
    return [node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.expr)]


def _last_line(node: ast.stmt) -> int:
    """The last line of a simple statement, or of the header of a compound one."""
    body = getattr(node, "body", None)
    if isinstance(node, ast.Match):
        body = [case.pattern for case in node.cases]
    if isinstance(body, list) and body:
        return max(node.lineno, int(body[0].lineno) - 1)
    return node.end_lineno or node.lineno
