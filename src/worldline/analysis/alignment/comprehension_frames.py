"""Comparison of traces from Python versions that trace comprehensions differently.

Up to Python 3.11, a list, set or dict comprehension is a call with a frame of its own. From 3.12
on it is inlined: its iterations are line steps of the enclosing function. If a trace and a
prediction differ in this, the steps inside comprehensions and generator expressions are removed
from both, and every statement that contains one keeps a single step. A mistake made inside then
shows in the result of the statement.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from worldline.core.trace import Step, Trace, changed_locals, parse_source, states
from worldline.models.codecs import Decoded

_INLINED = (ast.ListComp, ast.SetComp, ast.DictComp)
_FRAMES = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")

Style = Literal["framed", "inlined"]


def make_comparable(actual: Trace, predicted: Decoded) -> tuple[Trace, Decoded]:
    """Remove the steps inside comprehensions from both sides, if these differ in style."""
    statements = list(_statements(actual.program.text))
    predicted_style = prediction_style(predicted, statements)
    actual_style: Style = "framed" if actual.origin.has_comprehension_frames else "inlined"
    if predicted_style is None or predicted_style == actual_style:
        return actual, predicted
    lines = actual.program.lines
    return (
        _actual_without_comprehensions(actual, statements),
        _prediction_without_comprehensions(predicted, statements, lines),
    )


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement that contains comprehensions.

    Attributes:
        lines: The lines of the statement.
        starts: The first lines of the comprehensions that may be inlined.
        names: The names that only these comprehensions bind.
    """

    lines: range
    starts: frozenset[int]
    names: frozenset[str]


def prediction_style(predicted: Decoded, statements: Sequence[_Statement]) -> Style | None:
    """The style in which a prediction traces comprehensions; None if it does not reach one.

    a call that shows `.0` on the line of a comprehension -> "framed";
    a line that shows a variable of a comprehension -> "inlined"
    """
    for step, step_text in zip(predicted.steps, predicted.step_texts, strict=True):
        for statement in statements:
            if step.line not in statement.lines or not statement.starts:
                continue
            if ".0" in step_text.locals:
                if step.line in statement.starts:
                    return "framed"
            elif not statement.names.isdisjoint(step_text.locals):
                return "inlined"
    return None


def _statements(text: str) -> Iterator[_Statement]:
    """The innermost statements that contain a comprehension or generator expression."""
    tree = parse_source(text)
    if tree is None:
        return
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
            yield _Statement(
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


def _actual_without_comprehensions(actual: Trace, statements: Sequence[_Statement]) -> Trace:
    frames = {n for n, scope in enumerate(actual.scopes) if scope.function.endswith(_FRAMES)}
    kept = _kept_indices(actual.steps, frames, statements)
    return replace(actual, steps=tuple(_merged_steps(actual.steps, kept, statements)))


def _prediction_without_comprehensions(
    predicted: Decoded, statements: Sequence[_Statement], lines: Sequence[str]
) -> Decoded:
    frames = {
        step.scope
        for step, step_text in zip(predicted.steps, predicted.step_texts, strict=True)
        if step.event == "call" and ".0" in step_text.locals
    }
    kept = _kept_indices(predicted.steps, frames, statements)
    steps = list(_merged_steps(predicted.steps, kept, statements))
    all_states = list(states(predicted.steps))
    step_texts = []
    for index, step in zip(kept, steps, strict=True):
        # The state is written out: `..` refers to the previous step, which may be removed.
        state = all_states[index] if step.has_locals else {}
        step_text = predicted.step_texts[index]
        is_moved = step.line != predicted.steps[index].line
        line = lines[step.line - 1] if is_moved else step_text.line
        step_texts.append(replace(step_text, line=line, locals=state))
    return replace(
        predicted,
        steps=tuple(steps),
        step_texts=tuple(step_texts),
        # The truncated step may be one that is removed.
        fragment=None,
    )


def _kept_indices(
    steps: Sequence[Step], frames: set[int], statements: Sequence[_Statement]
) -> list[int]:
    """Indices of the steps outside comprehensions, and of the first step of each statement."""
    kept = []
    last_line: dict[int, int] = {}
    for index, step in enumerate(steps):
        if step.scope in frames:
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


def _merged_steps(
    steps: Sequence[Step], kept: Sequence[int], statements: Sequence[_Statement]
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
