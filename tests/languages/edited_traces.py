"""Predictions that are wrong in one place: one variable, line or return of a trace is edited."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from worldline.analysis.diagnosis import diagnose_prediction
from worldline.core.trace import Step, Trace
from worldline.models.codecs import get_codec
from worldline.models.prediction import Prediction, make_prediction


@dataclass(frozen=True)
class Edit:
    """One edit: what differs, at which step, in which variable, and the values there."""

    where: str
    step: int
    variable: str | None
    actual: str
    predicted: str


def wrong_value(value: str, rng: random.Random) -> str:
    """Another value of the same kind, or a number."""
    if value.startswith(("'", '"')):
        return f"{value[:-1]}?{value[0]}"
    if value.lstrip("-").isdecimal():
        return str(int(value) + rng.choice([-3, 1, 7]))
    return {"true": "false", "false": "true", "[]": "[0]", "{}": "{z: 0}"}.get(value, "12345")


def variable_edits(trace: Trace, rng: random.Random) -> Iterator[tuple[Edit, Step]]:
    for index, step in enumerate(trace.steps):
        for name, value in step.changed.items():
            other = wrong_value(value, rng)
            scope = trace.scopes[step.scope]
            is_argument = step.event == "call" and name in scope.variables[: scope.parameters]
            # A generator is called again when it is resumed.
            if step.event == "call" and any(s.scope == step.scope for s in trace.steps[:index]):
                continue
            edit = Edit("argument" if is_argument else "state", index, name, value, other)
            yield edit, replace(step, changed={**step.changed, name: other})


def return_edits(trace: Trace, rng: random.Random) -> Iterator[tuple[Edit, Step]]:
    for index, step in enumerate(trace.steps):
        if step.event == "return" and step.value is not None:
            other = wrong_value(step.value, rng)
            yield Edit("return", index, None, step.value, other), replace(step, value=other)


def line_edits(trace: Trace, rng: random.Random) -> Iterator[tuple[Edit, Step]]:
    lines = {step.line for step in trace.steps if step.event == "line"}
    for index, step in enumerate(trace.steps):
        text = trace.source_line(step)
        others = sorted(n for n in lines if trace.program.line(n) != text)
        if step.event == "line" and others and step.scope > 0:
            line = rng.choice(others)
            # A changed variable would be compared first.
            if not step.changed and not step.gone:
                edit = Edit("action", index, None, text, trace.program.line(line))
                yield edit, replace(step, line=line)


EDITS = {"variable": variable_edits, "line": line_edits, "return": return_edits}


def edited_prediction(
    trace: Trace, kind: str, rng: random.Random
) -> tuple[Edit, Prediction] | None:
    """A prediction with one edit of a kind, in CWM's format; None if the trace has no place."""
    choices = list(EDITS[kind](trace, rng))
    if not choices:
        return None
    edit, step = rng.choice(choices)
    steps = (*trace.steps[: edit.step], step, *trace.steps[edit.step + 1 :])
    codec = get_codec("cwm")
    text = "".join(codec.encode(replace(trace, steps=steps)))
    return edit, make_prediction(f"{kind} {edit.step}", trace.program, text, codec, finish="stop")


def wrong_fact(trace: Trace, edit: Edit, prediction: Prediction) -> str:
    """How the diagnosis differs from the edit; "" if it is the edit."""
    facts = diagnose_prediction(trace, prediction).facts
    divergence = facts.divergence
    if divergence is None:
        return f"no divergence: {facts.outcome}"
    expected = (edit.step, edit.where, edit.variable, edit.actual, edit.predicted)
    diagnosed = (
        *(divergence.step, divergence.where, divergence.variable),
        *(divergence.actual, divergence.predicted),
    )
    if diagnosed != expected:
        return f"{diagnosed} instead of {expected}"
    kind = trace.program.values.value_kind(edit.actual)
    if facts.value is not None and facts.value.kind != kind:
        return f"kind {facts.value.kind} instead of {kind}"
    return ""
