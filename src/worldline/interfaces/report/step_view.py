"""Comparison of the steps of an actual and a predicted execution, one by one."""

from collections.abc import Mapping

from worldline.analysis.alignment import canonical_value
from worldline.core.trace import Step, Trace
from worldline.interfaces.report.trace_listing import exception_text
from worldline.models.codecs import Decoded

# The locals at every step of the actual and of the predicted execution.
States = tuple[list[dict[str, str]], list[dict[str, str]]]


def step_result_text(step: Step) -> str:
    """What a step that leaves a scope returns or raises; empty for other steps.

    "= 4", "raises KeyError(1)", "left by the exception"
    """
    if step.event == "exception":
        return exception_text(step.value or "")
    if step.event == "return":
        return "left by the exception" if step.value is None else f"= {step.value}"
    return ""


def is_same_step(actual: Trace, decoded: Decoded, index: int, both: States) -> bool:
    """Whether both executions are on the same line with the same complete state, or value."""
    if index >= min(len(actual.steps), len(decoded.steps)):
        return False
    step, predicted = actual.steps[index], decoded.steps[index]
    written = decoded.step_texts[index]
    if actual.source_line(step) != written.line or written.number not in (None, step.line):
        return False
    if not written.shows_state:
        return step.event == predicted.event
    if step.has_locals and predicted.has_locals:
        if not written.shows_all:
            shown = {name: both[0][index].get(name, "") for name in both[1][index]}
            return _canonical(shown) == _canonical(both[1][index])
        return _canonical(both[0][index]) == _canonical(both[1][index])
    if step.event != predicted.event or step.value is None or predicted.value is None:
        return step.event == predicted.event
    return canonical_value(step.value) == canonical_value(predicted.value)


def _canonical(state: Mapping[str, str]) -> dict[str, str]:
    return {name: canonical_value(value) for name, value in state.items()}


def first_wrong_local(actual: Trace, decoded: Decoded, index: int, both: States) -> str | None:
    """The first local that still has a wrong value at a step whose texts are the same."""
    if index >= min(len(actual.steps), len(decoded.steps)):
        return None
    step, predicted = actual.steps[index], decoded.steps[index]
    is_alike = (
        actual.source_line(step) == decoded.step_texts[index].line
        and (step.event, step.value) == (predicted.event, predicted.value)
        and dict(step.changed) == dict(predicted.changed)
    )
    if not is_alike:
        return None
    for name, value in both[1][index].items():
        if canonical_value(both[0][index].get(name, "")) != canonical_value(value):
            return name
    return None
