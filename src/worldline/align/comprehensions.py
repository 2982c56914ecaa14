"""A trace and a prediction from different Pythons go in; a pair that can be compared comes out.

Up to Python 3.11 a list, set or dict comprehension is a call of its own; from 3.12 it is inlined
and its iterations are line steps of the function around it. Where the real trace has no such
frames and the prediction does (or might), the steps inside comprehensions are left out on both
sides: a mistake made there is then seen in what the comprehension gives. Generator expressions
keep their frames in every version.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from worldline.codecs import Decoded
from worldline.trace import Step, Trace, changes

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)


def comparable(truth: Trace, predicted: Decoded) -> tuple[Trace, Decoded]:
    """The two as they are, or both without the steps inside comprehensions."""
    if truth.origin.has_comprehension_frames:
        return truth, predicted
    return _without_inlined(truth), _without_frames(predicted)


@dataclass(frozen=True, slots=True)
class _Inlined:
    """A comprehension in the source: the lines of its statement and the names it binds."""

    first: int
    last: int
    names: frozenset[str]


def _without_inlined(truth: Trace) -> Trace:
    found = list(_inlined(truth.program.text))
    if not found:
        return truth
    kept: list[Step] = []
    inside: dict[int, bool] = {}
    last_line: dict[int, tuple[int, dict[str, str]]] = {}
    last_kept: dict[int, dict[str, str]] = {}
    for step, state in zip(truth.steps, truth.states(), strict=True):
        before = last_line.get(step.scope)
        if step.has_locals:
            last_line[step.scope] = (step.line, state)
        if step.event == "line" and before:
            was_inside = inside.get(step.scope, False)
            inside[step.scope] = _is_inside(step.line, state, before, found, was_inside)
            if inside[step.scope]:
                continue
        if not step.has_locals:
            kept.append(step)
            continue
        known = last_kept.get(step.scope, {})
        gone = tuple(sorted(name for name in known if name not in state))
        kept.append(replace(step, changed=changes(known, state), gone=gone))
        last_kept[step.scope] = state
    return replace(truth, steps=tuple(kept))


def _is_inside(
    line: int,
    state: dict[str, str],
    before: tuple[int, dict[str, str]],
    found: list[_Inlined],
    was_inside: bool,
) -> bool:
    """Whether a line step is an iteration of a comprehension: the names that it binds are there,
    and were not, or were other, when the step before it in the same comprehension began."""
    line_before, state_before = before
    return any(
        one.first <= line <= one.last
        and one.first <= line_before <= one.last
        and any(
            name in state and (was_inside or state[name] != state_before.get(name))
            for name in one.names
        )
        for one in found
    )


def _inlined(text: str) -> Iterator[_Inlined]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.stmt):
            continue
        for node in ast.walk(statement):
            if isinstance(node, _COMPREHENSIONS):
                names = frozenset(
                    name.id
                    for generator in node.generators
                    for name in ast.walk(generator.target)
                    if isinstance(name, ast.Name)
                )
                yield _Inlined(node.lineno, node.end_lineno or node.lineno, names)


def _without_frames(predicted: Decoded) -> Decoded:
    frames = {
        step.scope
        for index, step in enumerate(predicted.steps)
        if step.event == "call" and _is_comprehension(predicted, index)
    }
    kept = [i for i, step in enumerate(predicted.steps) if step.scope not in frames]
    is_cut_inside = bool(predicted.steps) and predicted.steps[-1].scope in frames
    return replace(
        predicted,
        steps=tuple(predicted.steps[i] for i in kept),
        written=tuple(predicted.written[i] for i in kept),
        fragment=None if is_cut_inside else predicted.fragment,
    )


def _is_comprehension(predicted: Decoded, index: int) -> bool:
    """Whether a call enters a list, set or dict comprehension, not a generator expression."""
    if ".0" not in predicted.written[index].locals:
        return False
    scope = predicted.steps[index].scope
    values = [
        str(step.value)
        for step in predicted.steps[index:]
        if step.scope == scope and step.event == "return"
    ]
    if not values:
        return any(bracket in predicted.written[index].line for bracket in "[{")
    return len(values) == 1 and values[0].startswith(("[", "{", "set("))
