"""Comparison of traces that show the steps inside comprehensions differently.

Up to Python 3.11, a comprehension is a call with a frame of its own; from 3.12 on it is inlined. If
a trace and a prediction differ in this, the steps inside comprehensions and generator expressions
are removed from both, and every statement that contains one keeps a single step. The codecs for
chat models do not ask for these steps, nor for those inside lambdas: they are always removed. A
mistake made inside shows in the result of the statement.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from worldline.core.trace import Trace, states
from worldline.languages.python.expression_frames import (
    ComprehensionStatement,
    are_merged,
    comprehension_statements,
    expression_lines,
    expression_scopes,
    kept_indices,
    merged_steps,
    renumbered_steps,
    without_expression_frames,
)
from worldline.models.codecs import Decoded

Style = Literal["framed", "inlined"]


def make_comparable(actual: Trace, predicted: Decoded) -> tuple[Trace, Decoded]:
    """Remove the steps inside comprehensions from both sides, if these differ in style."""
    if not actual.program.is_python:
        return actual, predicted
    if predicted.omits_expression_frames:
        return without_expression_frames(actual), _without_expressions(predicted, actual)
    statements = comprehension_statements(actual.program.text)
    predicted_style = prediction_style(predicted, statements)
    actual_style: Style = "framed" if actual.origin.has_comprehension_frames else "inlined"
    if predicted_style is None or predicted_style == actual_style:
        return actual, predicted
    lines = actual.program.lines
    kept = kept_indices(actual.steps, expression_scopes(actual, with_lambdas=False), statements)
    return (
        replace(actual, steps=tuple(merged_steps(actual.steps, kept, statements))),
        _prediction_without(predicted, _comprehension_scopes(predicted), statements, lines),
    )


def prediction_style(
    predicted: Decoded, statements: Sequence[ComprehensionStatement]
) -> Style | None:
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


def _without_expressions(predicted: Decoded, actual: Trace) -> Decoded:
    """A prediction without the frames that the codec does not ask for but the model wrote."""
    program = actual.program
    lines = expression_lines(program.text)
    # Later calls of a scope resume it.
    first_calls = {s.scope: s.line for s in reversed(predicted.steps) if s.event == "call"}
    scopes = {scope for scope, line in first_calls.items() if line in lines}
    statements = comprehension_statements(program.text)
    shown = _prediction_without(predicted, scopes, statements, program.lines)
    if shown is predicted:
        return predicted
    kept = sorted({step.scope for step in predicted.steps} - scopes)
    return replace(shown, steps=tuple(renumbered_steps(shown.steps, kept)))


def _comprehension_scopes(predicted: Decoded) -> set[int]:
    return {
        step.scope
        for step, step_text in zip(predicted.steps, predicted.step_texts, strict=True)
        if step.event == "call" and ".0" in step_text.locals
    }


def _prediction_without(
    predicted: Decoded,
    scopes: set[int],
    statements: Sequence[ComprehensionStatement],
    lines: Sequence[str],
) -> Decoded:
    kept = kept_indices(predicted.steps, scopes, statements)
    steps = list(merged_steps(predicted.steps, kept, statements))
    if predicted.omits_expression_frames and not are_merged(predicted.steps, steps):
        return predicted
    all_states = list(states(predicted.steps))
    step_texts = []
    for index, step in zip(kept, steps, strict=True):
        # The state is written out: `..` refers to the previous step, which may be removed.
        state = all_states[index] if step.has_locals else {}
        step_text = predicted.step_texts[index]
        is_moved = step.line != predicted.steps[index].line
        line = lines[step.line - 1] if is_moved else step_text.line
        number = step.line if step_text.number is not None else None
        step_texts.append(replace(step_text, line=line, locals=state, number=number))
    return replace(
        predicted,
        steps=tuple(steps),
        step_texts=tuple(step_texts),
        # The truncated step may be one that is removed.
        fragment=None,
    )
