"""A trace and a prediction from different Pythons go in; a pair that can be compared comes out.

Up to Python 3.11 a list, set or dict comprehension is a call of its own; from 3.12 it is inlined
and its iterations are line steps of the function around it. Where one side has such frames and
the other does not, both are compared without the steps inside comprehensions and generator
expressions, and with one step for each statement that holds one: a mistake made inside is then
seen in what the statement gives.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from worldline.codecs import Decoded
from worldline.trace import Step, Trace, changes, parse_source, states

_INLINED = (ast.ListComp, ast.SetComp, ast.DictComp)
_FRAMES = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")

Style = Literal["framed", "inlined"]


def comparable(truth: Trace, predicted: Decoded) -> tuple[Trace, Decoded]:
    """The two as they are where they are of one style, else both without comprehensions."""
    found = list(_statements(truth.program.text))
    style = prediction_style(predicted, found)
    own: Style = "framed" if truth.origin.has_comprehension_frames else "inlined"
    if style is None or style == own:
        return truth, predicted
    lines = truth.program.lines
    return _folded_truth(truth, found), _folded_prediction(predicted, found, lines)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement with comprehensions: its lines, where those of them begin that may be inlined,
    and the names that they bind and nothing around them does."""

    lines: range
    starts: frozenset[int]
    names: frozenset[str]


def prediction_style(predicted: Decoded, found: Sequence[_Statement]) -> Style | None:
    """How a prediction writes comprehensions; none where it does not come to one.

    a call that shows `.0` on the line of one -> "framed";
    a line that shows its variable -> "inlined"
    """
    for step, written in zip(predicted.steps, predicted.written, strict=True):
        for statement in found:
            if step.line not in statement.lines or not statement.starts:
                continue
            if ".0" in written.locals:
                if step.line in statement.starts:
                    return "framed"
            elif not statement.names.isdisjoint(written.locals):
                return "inlined"
    return None


def _statements(text: str) -> Iterator[_Statement]:
    """The innermost statements that have a comprehension or generator expression in them."""
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
            for part in ast.iter_child_nodes(statement)
            if not isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case)
            for node in ast.walk(part)
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


def _folded_truth(truth: Trace, found: Sequence[_Statement]) -> Trace:
    inside = {n for n, scope in enumerate(truth.scopes) if scope.function.endswith(_FRAMES)}
    kept = _kept(truth.steps, inside, found)
    return replace(truth, steps=tuple(_restated(truth.steps, kept, found)))


def _folded_prediction(
    predicted: Decoded, found: Sequence[_Statement], lines: Sequence[str]
) -> Decoded:
    inside = {
        step.scope
        for step, written in zip(predicted.steps, predicted.written, strict=True)
        if step.event == "call" and ".0" in written.locals
    }
    kept = _kept(predicted.steps, inside, found)
    steps = list(_restated(predicted.steps, kept, found))
    all_states = list(states(predicted.steps))
    written = []
    for index, step in zip(kept, steps, strict=True):
        # A step may now come behind another than the one that its `..` was written against.
        shown = all_states[index] if step.has_locals else {}
        before = predicted.written[index]
        is_moved = step.line != predicted.steps[index].line
        line = lines[step.line - 1] if is_moved else before.line
        written.append(replace(before, line=line, locals=shown))
    return replace(
        predicted,
        steps=tuple(steps),
        written=tuple(written),
        # What the text breaks off in may be a step that is left out.
        fragment=None,
    )


def _kept(steps: Sequence[Step], inside: set[int], found: Sequence[_Statement]) -> list[int]:
    """The steps outside of comprehensions, where a statement with one has only its first step."""
    kept = []
    last_line: dict[int, int] = {}
    for index, step in enumerate(steps):
        if step.scope in inside:
            continue
        before = last_line.get(step.scope)
        if step.event == "line":
            last_line[step.scope] = step.line
            both = (step.line, before)
            if any(all(line in statement.lines for line in both) for statement in found):
                continue
        elif step.event == "call":
            last_line.pop(step.scope, None)
        kept.append(index)
    return kept


def _restated(
    steps: Sequence[Step], kept: Sequence[int], found: Sequence[_Statement]
) -> Iterator[Step]:
    """The steps that are kept, each with what changed since the last one kept of its scope.

    Versions differ in which of its lines a statement begins and ends on, so all count as the first.
    """
    known: dict[int, dict[str, str]] = {}
    wanted = set(kept)
    for index, (step, state) in enumerate(zip(steps, states(steps), strict=True)):
        if index not in wanted:
            continue
        starts = [one.lines.start for one in found if step.line in one.lines]
        if starts and step.event != "call":
            step = replace(step, line=starts[-1])
        if not step.has_locals:
            yield step
            continue
        before = known.get(step.scope, {})
        gone = tuple(sorted(name for name in before if name not in state))
        yield replace(step, changed=changes(before, state), gone=gone)
        known[step.scope] = state
