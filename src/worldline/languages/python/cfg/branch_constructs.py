"""Branching constructs of a syntax tree (`if`, loops, `match`, …) and their lines."""

import ast
from collections.abc import Collection, Iterator

from worldline.core.trace import first_line
from worldline.languages.control_flow.line_branches import Construct
from worldline.languages.python.expression_frames import COMPREHENSIONS, LAMBDA

# Identifies a code object: its name and its first line.
ScopeKey = tuple[str, int]

MODULE: ScopeKey = ("<module>", 1)


def find_constructs(
    tree: ast.Module, frames: Collection[ScopeKey]
) -> dict[ScopeKey, list[Construct]]:
    """Find the branching constructs of every scope that has a frame of its own.

    "if x:\\n    y()" -> {("<module>", 1): [Construct("if", lines 1 to 1, lines 2 to 2)]}
    """
    constructs_by_scope: dict[ScopeKey, list[Construct]] = {}
    outer_scope: dict[ast.AST, ScopeKey] = {}
    # An explicit stack: an expression may be nested deeper than Python's recursion limit.
    pending: list[tuple[ast.AST, ScopeKey]] = [(tree, MODULE)]
    while pending:
        node, scope = pending.pop()
        scope = outer_scope.get(node, scope)
        inner = _scope_key(node)
        outer_scope.update(dict.fromkeys(_parts_in_outer_scope(node), scope))
        # A comprehension without a frame belongs to the enclosing scope.
        if inner is not None and inner in frames:
            scope = inner
        constructs_by_scope.setdefault(scope, []).extend(_construct_of(node))
        pending += [(child, scope) for child in ast.iter_child_nodes(node)]
    return constructs_by_scope


def _scope_key(node: ast.AST) -> ScopeKey | None:
    """Return the key of the code object that a node creates, if it creates one."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name, first_line(node))
    if isinstance(node, ast.Lambda):
        return (LAMBDA, node.lineno)
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return (COMPREHENSIONS[type(node)], node.lineno)
    return None


def _parts_in_outer_scope(node: ast.AST) -> list[ast.AST]:
    """Parts of a scope's node that are evaluated in the enclosing scope."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    if isinstance(node, ast.Lambda):
        return [node.args]
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return [node.generators[0].iter]
    return []


def _construct_of(node: ast.AST) -> Iterator[Construct]:
    """Yield the construct that a node is, if it branches."""
    match node:
        case ast.If():
            yield Construct("if", _span(node, node.test), _block(node.body))
        case ast.While():
            yield Construct("while", _span(node, node.test), _span(node, node.body[-1]))
        case ast.For() | ast.AsyncFor():
            yield Construct("for", _span(node, node.iter), _span(node, node.body[-1]))
        case ast.With() | ast.AsyncWith():
            last = node.items[-1].optional_vars or node.items[-1].context_expr
            yield Construct("with", _span(node, last), _block(node.body))
        case ast.ExceptHandler() if node.type is not None:
            yield Construct("except", _span(node, node.type), _block(node.body))
        case ast.match_case():
            header = _span(node.pattern, node.guard or node.pattern)
            yield Construct("match", header, _block(node.body))
        case ast.Assert():
            yield Construct("assert", _span(node, node), _span(node, node))
        case ast.IfExp():
            yield Construct("ternary", _span(node, node), _span(node, node))
        case ast.BoolOp():
            yield Construct("boolean", _span(node, node), _span(node, node))
        case ast.Compare() if len(node.ops) > 1:
            yield Construct("comparison", _span(node, node), _span(node, node))
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield Construct("comprehension", _span(node, node), _span(node, node))


_Located = ast.stmt | ast.expr | ast.pattern | ast.ExceptHandler


def _span(first: _Located, last: _Located) -> range:
    return range(first.lineno, (last.end_lineno or last.lineno) + 1)


def _block(body: list[ast.stmt]) -> range:
    return range(first_line(body[0]), (body[-1].end_lineno or body[-1].lineno) + 1)
