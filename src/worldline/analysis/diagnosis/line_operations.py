"""Operations of a source line, from its syntax: what it calls, reads, writes and hides."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from worldline.analysis.diagnosis.hidden_values import (
    ShownCalls,
    count_hidden_values,
    longest_hidden_chain,
    shows_value,
)
from worldline.analysis.diagnosis.operation_syntax import is_store, nesting_depth, operations_in
from worldline.analysis.diagnosis.source_statements import (
    executed_expressions,
    statements_at,
    syntax_nodes,
)
from worldline.analysis.diagnosis.variable_writes import (
    bound_by_header,
    mutated_iterables,
    written_names,
)
from worldline.core.trace import source_lines
from worldline.core.util.text import truncate_text


@dataclass(frozen=True, slots=True)
class OperationFacts:
    """The operations of one line.

    Attributes:
        line: The line number.
        source: The source text of the line.
        operations: Methods, functions and operators, innermost first.
        nesting: How deeply the operations nest.
        hidden_values: The number of operations whose value no step shows.
        hidden_chain: How many of them depend on each other: 2 in `a.b().c().d()`, 1 in
            `f(a.b(), a.c())`.
        writes: Names that the line binds, or whose value it may change in place.
        reads: Names whose value the line uses.
        loop_targets: Names that the header of a loop binds on this line.
        mutated_iterables: Names that a loop around the line iterates over, and whose number of
            items its body changes.
        is_loop_header: Whether the line is the header of a loop.
    """

    line: int
    source: str
    operations: tuple[str, ...]
    nesting: int
    hidden_values: int
    hidden_chain: int
    writes: frozenset[str]
    reads: frozenset[str]
    loop_targets: frozenset[str]
    mutated_iterables: frozenset[str]
    is_loop_header: bool

    def __repr__(self) -> str:
        operations = " ".join(self.operations) or "no operation"
        text = f"line {self.line}: {truncate_text(self.source, 50)}; {operations}"
        return f"OperationFacts({truncate_text(text, 100)})"


def operation_facts(
    text: str,
    line: int,
    *,
    expressions: Sequence[ast.expr] | None = None,
    has_comprehension_frames: bool = True,
) -> OperationFacts:
    """Find the operations of a line; of a compound statement, those of its header.

    "x = s.strip().upper()", 1 ->
    operations (".strip()", ".upper()"), nesting 2, hidden_values 1, writes x

    Args:
        text: The source of the program.
        line: The line number, from 1.
        expressions: The parts of the line that were evaluated, whose values a step shows. By
            default, all of the line.
        has_comprehension_frames: Whether a step shows the value of a comprehension, as up to
            Python 3.11.
    """
    lines = source_lines(text)
    source = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    nodes = syntax_nodes(text)
    statements = statements_at(nodes, line)
    shown_calls = ShownCalls(_program_functions(nodes), has_comprehension_frames)
    if expressions is None:
        parts = _executed_parts(statements)
    else:
        parts = [(expression, True) for expression in expressions]
    operations = [op for expression, _ in parts for op in operations_in(expression)]
    return OperationFacts(
        line=line,
        source=source,
        operations=tuple(operations),
        nesting=max((nesting_depth(expression) for expression, _ in parts), default=0),
        hidden_values=sum(count_hidden_values(part, shown_calls, is_shown=s) for part, s in parts),
        hidden_chain=max(
            (longest_hidden_chain(part, shown_calls, is_shown=s) for part, s in parts), default=0
        ),
        writes=frozenset(name for statement in statements for name in written_names(statement)),
        reads=frozenset(
            node.id
            for expression, _ in parts
            for node in ast.walk(expression)
            if isinstance(node, ast.Name) and not is_store(node)
        )
        | frozenset(
            node.target.id
            for node in statements
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
        ),
        loop_targets=frozenset(name for s in statements for name in bound_by_header(s)),
        mutated_iterables=mutated_iterables(nodes, line),
        is_loop_header=any(
            isinstance(statement, ast.For | ast.While | ast.AsyncFor) for statement in statements
        ),
    )


def nesting_and_hidden_values(text: str, lines: Iterable[int]) -> list[tuple[int, int]]:
    """For each line, how deeply its operations nest, and how many hide their value.

    The same as in `operation_facts`, in a small part of the time.

    "x = s.strip().upper()", [1] -> [(2, 1)]
    """
    nodes = syntax_nodes(text)
    shown_calls = ShownCalls(_program_functions(nodes), True)
    measured = []
    for line in lines:
        parts = _executed_parts(statements_at(nodes, line))
        nesting = max((nesting_depth(expression) for expression, _ in parts), default=0)
        hidden = sum(count_hidden_values(part, shown_calls, is_shown=s) for part, s in parts)
        measured.append((nesting, hidden))
    return measured


def _executed_parts(statements: Sequence[ast.stmt]) -> list[tuple[ast.expr, bool]]:
    """The expressions that statements evaluate, each with whether a step shows its value."""
    return [(e, shows_value(s)) for s in statements for e in executed_expressions(s)]


def _program_functions(nodes: Sequence[ast.AST]) -> set[str]:
    """Names of the program's functions. Their calls are steps, so the returned value is shown."""
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
