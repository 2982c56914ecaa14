"""A syntax tree goes in, the constructs that decide where to go come out, with their lines."""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from worldline.flow.graph import LOOPS, Branch, BranchKind
from worldline.flow.steps import CodeSteps

# What a code object is known by: its name, and the line it says it starts on.
ScopeKey = tuple[str, int]

MODULE: ScopeKey = ("<module>", 1)
COMPREHENSIONS: Mapping[type[ast.AST], str] = {
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}


@dataclass(frozen=True, slots=True)
class Construct:
    """Something that decides: the lines where it does, and the lines of its block."""

    kind: BranchKind
    head: range
    block: range


def constructs(tree: ast.Module, frames: Collection[ScopeKey]) -> dict[ScopeKey, list[Construct]]:
    """The deciding constructs of every scope that has a frame of its own.

    "if x:\\n    y()" -> {("<module>", 1): [Construct("if", lines 1 to 1, lines 2 to 2)]}
    """
    found: dict[ScopeKey, list[Construct]] = {}
    outside: dict[ast.AST, ScopeKey] = {}
    # A stack of our own: an expression may be nested deeper than Python can recurse.
    waiting: list[tuple[ast.AST, ScopeKey]] = [(tree, MODULE)]
    while waiting:
        node, scope = waiting.pop()
        scope = outside.get(node, scope)
        inner = _scope_of(node)
        outside.update(dict.fromkeys(_evaluated_outside(node), scope))
        # A comprehension that has no frame belongs to the scope around it.
        if inner is not None and inner in frames:
            scope = inner
        found.setdefault(scope, []).extend(_of(node))
        waiting += [(part, scope) for part in ast.iter_child_nodes(node)]
    return found


def branches(steps: CodeSteps, found: Collection[Construct]) -> dict[int, tuple[Branch, ...]]:
    """The decisions of one code object by line, each with where it may lead.

    A loop without a condition (`while True`) has no way out, but is one of them.
    """
    by_line: dict[int, dict[Branch, None]] = {}
    for construct in found:
        lines = [line for line in construct.head if line in steps.successors]
        deciding = [line for line in lines if line in steps.decisions]
        if not deciding and construct.kind in LOOPS:
            deciding = lines[:1]
        for line in deciding:
            after = steps.successors[line]
            inside = frozenset(there for there in after if there in construct.block)
            branch = Branch(construct.kind, inside, after - inside)
            by_line.setdefault(line, {})[branch] = None
    return {
        line: tuple(sorted(by_line[line], key=lambda branch: branch.kind))
        for line in sorted(by_line)
    }


def first_line(node: ast.stmt | ast.expr | ast.pattern) -> int:
    """The first line of a node, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _scope_of(node: ast.AST) -> ScopeKey | None:
    """The key of the code object that a node makes, if it makes one."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name, first_line(node))
    if isinstance(node, ast.Lambda):
        return ("<lambda>", node.lineno)
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return (COMPREHENSIONS[type(node)], node.lineno)
    return None


def _evaluated_outside(node: ast.AST) -> list[ast.AST]:
    """The parts of a node that makes a scope which belong to the scope around it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    if isinstance(node, ast.Lambda):
        return [node.args]
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return [node.generators[0].iter]
    return []


def _of(node: ast.AST) -> Iterator[Construct]:
    """The construct that a node is, if it decides something."""
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
            head = _span(node.pattern, node.guard or node.pattern)
            yield Construct("match", head, _block(node.body))
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


_Placed = ast.stmt | ast.expr | ast.pattern | ast.ExceptHandler


def _span(first: _Placed, last: _Placed) -> range:
    return range(first.lineno, (last.end_lineno or last.lineno) + 1)


def _block(body: list[ast.stmt]) -> range:
    return range(first_line(body[0]), (body[-1].end_lineno or body[-1].lineno) + 1)
