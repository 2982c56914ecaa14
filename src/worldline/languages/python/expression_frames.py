"""Steps inside lambdas, comprehensions and generator expressions, and traces without them.

Up to Python 3.11, a list, set or dict comprehension is a call with a frame of its own. From 3.12
on it is inlined: its iterations are line steps of the enclosing function. Lambdas and generator
expressions always have frames.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from worldline.core.trace import Step, Trace, changed_locals, parse_source, states

# Names of the scopes of comprehensions, generator expressions and lambdas.
COMPREHENSIONS: Mapping[type[ast.expr], str] = {
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}
LAMBDA = "<lambda>"
_INLINED = (ast.ListComp, ast.SetComp, ast.DictComp)


@dataclass(frozen=True, slots=True)
class ComprehensionStatement:
    """A statement that contains comprehensions or generator expressions.

    Attributes:
        lines: The lines of the statement.
        starts: The first lines of the comprehensions that may be inlined.
        names: The names that only these comprehensions bind.
    """

    lines: range
    starts: frozenset[int]
    names: frozenset[str]


@lru_cache(maxsize=64)
def comprehension_statements(text: str) -> tuple[ComprehensionStatement, ...]:
    """The innermost statements that contain a comprehension or generator expression."""
    tree = parse_source(text)
    return () if tree is None else tuple(_find_statements(tree))


@lru_cache(maxsize=64)
def expression_lines(text: str) -> frozenset[int]:
    """First lines of lambdas, comprehensions and generator expressions.

    A line on which a function is defined as well is left out.
    """
    tree = parse_source(text)
    if tree is None:
        return frozenset()
    expressions = (*_INLINED, ast.GeneratorExp, ast.Lambda)
    lines = {node.lineno for node in ast.walk(tree) if isinstance(node, expressions)}
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(lines) - {
        part.lineno
        for node in ast.walk(tree)
        if isinstance(node, functions)
        for part in (node, *node.decorator_list)
    }


def without_expression_frames(trace: Trace) -> Trace:
    """A trace without the steps inside lambdas, comprehensions and generator expressions.

    The scopes are numbered again. A trace without such steps is returned as it is.
    """
    if not trace.program.is_python:
        return trace
    statements = comprehension_statements(trace.program.text)
    removed = expression_scopes(trace, with_lambdas=True)
    kept = kept_indices(trace.steps, removed, statements)
    steps = tuple(merged_steps(trace.steps, kept, statements))
    if not are_merged(trace.steps, steps):
        return trace
    return _renumber_scopes(replace(trace, steps=steps), removed)


def expression_scopes(trace: Trace, *, with_lambdas: bool) -> set[int]:
    """Numbers of the scopes of comprehensions, generator expressions and, if asked, lambdas."""
    names = (*COMPREHENSIONS.values(), *([LAMBDA] if with_lambdas else []))
    return {n for n, scope in enumerate(trace.scopes) if scope.function.endswith(names)}


def renumbered_steps(steps: Iterable[Step], kept: Sequence[int]) -> Iterator[Step]:
    """Steps with the positions of their scopes among the kept ones as numbers."""
    numbers = {old: new for new, old in enumerate(kept)}
    return (replace(step, scope=numbers[step.scope]) for step in steps)


def kept_indices(
    steps: Sequence[Step],
    removed_scopes: Collection[int],
    statements: Sequence[ComprehensionStatement],
) -> list[int]:
    """Indices of the steps outside some scopes; of a statement, only the first line step."""
    kept = []
    last_line: dict[int, int] = {}
    for index, step in enumerate(steps):
        if step.scope in removed_scopes:
            continue
        previous = last_line.get(step.scope)
        if step.event == "line":
            last_line[step.scope] = step.line
            both = (step.line, previous)
            if any(all(line in statement.lines for line in both) for statement in statements):
                continue
        elif step.event == "call":
            last_line.pop(step.scope, None)
        kept.append(index)
    return kept


def merged_steps(
    steps: Sequence[Step], kept: Sequence[int], statements: Sequence[ComprehensionStatement]
) -> Iterator[Step]:
    """The kept steps, each with what changed since the previous kept step of its scope.

    Python versions differ in the lines on which a statement begins and ends, so that every line of
    a statement is replaced by its first line.
    """
    known: dict[int, dict[str, str]] = {}
    kept_set = set(kept)
    for index, (step, state) in enumerate(zip(steps, states(steps), strict=True)):
        if index not in kept_set:
            continue
        starts = [statement.lines.start for statement in statements if step.line in statement.lines]
        if starts and step.event != "call":
            step = replace(step, line=starts[-1])
        if not step.has_locals:
            yield step
            continue
        before = known.get(step.scope, {})
        gone = tuple(sorted(name for name in before if name not in state))
        yield replace(step, changed=changed_locals(before, state), gone=gone)
        known[step.scope] = state


def are_merged(steps: Sequence[Step], merged: Sequence[Step]) -> bool:
    """Whether `merged_steps` has removed a step or moved one to a different line."""
    if len(merged) < len(steps):
        return True
    return any(a.line != b.line for a, b in zip(steps, merged, strict=True))


def _renumber_scopes(trace: Trace, removed: Collection[int]) -> Trace:
    """A trace whose scopes are numbered without the removed ones, which have no steps."""
    kept = [number for number in range(len(trace.scopes)) if number not in removed]
    return replace(
        trace,
        steps=tuple(renumbered_steps(trace.steps, kept)),
        scopes=tuple(trace.scopes[number] for number in kept),
    )


def _find_statements(tree: ast.Module) -> Iterator[ComprehensionStatement]:
    bound = {
        node.id
        for node in _outside_comprehensions(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    } | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.stmt):
            continue
        nodes = [
            node
            for child in ast.iter_child_nodes(statement)
            if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
            for node in ast.walk(child)
            if isinstance(node, (*_INLINED, ast.GeneratorExp))
        ]
        if nodes:
            inlined = [node for node in nodes if isinstance(node, _INLINED)]
            last = max(node.end_lineno or node.lineno for node in nodes)
            yield ComprehensionStatement(
                range(statement.lineno, last + 1),
                frozenset(node.lineno for node in inlined),
                frozenset(name for node in inlined for name in _targets(node)) - bound,
            )


def _outside_comprehensions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (*_INLINED, ast.GeneratorExp)):
            yield child
            yield from _outside_comprehensions(child)


def _targets(node: ast.ListComp | ast.SetComp | ast.DictComp) -> Iterator[str]:
    for generator in node.generators:
        for name in ast.walk(generator.target):
            if isinstance(name, ast.Name):
                yield name.id
