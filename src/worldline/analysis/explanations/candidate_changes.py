"""Candidate changes of a program, those of the diverging line first."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from worldline.analysis.alignment import Divergence
from worldline.analysis.diagnosis.source_statements import statements_at
from worldline.analysis.explanations.misconception import Change, Misconception, Source
from worldline.core.trace import Trace


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that a misconception makes to a program.

    `is_on_line`: it is on the line that was executed just before the divergence.
    """

    misconception: Misconception
    change: Change
    is_on_line: bool


def find_candidates(
    source: Source,
    actual: Trace,
    divergence: Divergence,
    misconceptions: Iterable[Misconception],
    *,
    limit: int,
) -> list[Candidate]:
    """The changes to lines that were executed before the divergence.

    Args:
        source: The parsed program.
        actual: The actual execution.
        divergence: The divergence to explain.
        misconceptions: The misconceptions to try, in this order.
        limit: The maximum number of changes.

    Returns:
        Those of the diverging line, then those of other lines, the last executed first.
    """
    by_place: dict[tuple[int, int, str, str], Candidate] = {}
    misconceptions = list(misconceptions)
    for node in _executed_nodes(source, _executed_lines(actual, divergence)):
        for misconception in misconceptions:
            for change in misconception.find(node, source):
                key = (*source.span(change.node), change.text, change.after_program)
                candidate = Candidate(misconception, change, _is_at(change, divergence))
                by_place.setdefault(key, candidate)
    return sorted(by_place.values(), key=lambda candidate: not candidate.is_on_line)[:limit]


def _executed_nodes(source: Source, lines: Sequence[int]) -> Iterator[ast.AST]:
    """The nodes of the statements on some lines, each once."""
    statements = [node for node in ast.walk(source.tree) if isinstance(node, ast.stmt)]
    visited: set[int] = set()
    for line in lines:
        for statement in statements_at(statements, line):
            if id(statement) not in visited:
                visited.add(id(statement))
                yield from _own_nodes(statement)


def _executed_lines(actual: Trace, divergence: Divergence) -> list[int]:
    """The executed line of the divergence, then the lines before it, the last executed first."""
    steps: Sequence[int] = [step.line for step in actual.steps[: divergence.step + 1]]
    return list(dict.fromkeys([divergence.executed_line, *reversed(steps)]))


def _is_at(change: Change, divergence: Divergence) -> bool:
    last = change.node.end_lineno or change.node.lineno
    return change.node.lineno <= divergence.executed_line <= last


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements in its body.

    The parts of an f-string are left out: before Python 3.12 their positions are wrong.
    """
    yield statement
    waiting: list[ast.AST] = list(ast.iter_child_nodes(statement))
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.stmt | ast.JoinedStr | ast.ExceptHandler):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)
