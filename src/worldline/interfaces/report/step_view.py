"""Comparison of the steps of an actual and a predicted execution, one by one."""

from collections.abc import Mapping

from worldline.analysis.alignment import Alignment
from worldline.core.language import ValueSyntax
from worldline.core.trace import Step, Trace, exception_text
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


# The numbers of an actual and of a predicted step that are shown in one row; None in a gap.
StepPair = tuple[int | None, int | None]


def step_pairs(alignment: Alignment) -> list[StepPair]:
    """The steps of both executions, paired; after a gap, shifted by its size.

    actual a b c d, predicted a c d, where b is skipped -> (0, 0), (1, None), (2, 1), (3, 2)
    """
    start, gap = alignment.matched_steps, alignment.gap
    actual, predicted = len(alignment.actual.steps), len(alignment.predicted.steps)
    if gap is None:
        return [
            (n if n < actual else None, n if n < predicted else None)
            for n in range(max(actual, predicted))
        ]
    pairs: list[StepPair] = [(n, n) for n in range(start)]
    a = b = start
    if gap.shift > 0:
        pairs += [(n, None) for n in range(start, start + gap.steps)]
        a += gap.steps
    else:
        pairs += [(None, n) for n in range(start, start + gap.steps)]
        b += gap.steps
    return pairs + [
        (a + n if a + n < actual else None, b + n if b + n < predicted else None)
        for n in range(max(actual - a, predicted - b))
    ]


def is_same_step(
    actual: Trace, decoded: Decoded, index: int, both: States, *, predicted_index: int | None = None
) -> bool:
    """Whether both executions are on the same line with the same complete state, or value.

    Args:
        actual: The actual execution.
        decoded: The predicted execution.
        index: The number of the actual step.
        both: The states of both.
        predicted_index: The number of the predicted step, if it is another.
    """
    other = index if predicted_index is None else predicted_index
    if index >= len(actual.steps) or other >= len(decoded.steps):
        return False
    values = actual.program.values
    step, predicted = actual.steps[index], decoded.steps[other]
    written = decoded.step_texts[other]
    if actual.source_line(step) != written.line or written.number not in (None, step.line):
        return False
    if not written.shows_state:
        return step.event == predicted.event
    if step.has_locals and predicted.has_locals:
        if not written.shows_all:
            shown = {name: both[0][index].get(name, "") for name in both[1][other]}
            return _canonical(shown, values) == _canonical(both[1][other], values)
        return _canonical(both[0][index], values) == _canonical(both[1][other], values)
    if step.event != predicted.event or step.value is None or predicted.value is None:
        return step.event == predicted.event
    return values.canonical_value(step.value) == values.canonical_value(predicted.value)


def _canonical(state: Mapping[str, str], values: ValueSyntax) -> dict[str, str]:
    return {name: values.canonical_value(value) for name, value in state.items()}


def first_wrong_local(actual: Trace, decoded: Decoded, index: int, both: States) -> str | None:
    """The first local that still has a wrong value at a step whose texts are the same."""
    if index >= min(len(actual.steps), len(decoded.steps)):
        return None
    step, predicted = actual.steps[index], decoded.steps[index]
    is_alike = (
        actual.source_line(step) == decoded.step_texts[index].line
        and (step.event, step.value) == (predicted.event, predicted.value)
        # The actual step may change more: then the predicted one still has the value before.
        and predicted.changed.items() <= step.changed.items()
    )
    if not is_alike:
        return None
    canonical_value = actual.program.values.canonical_value
    for name, value in both[1][index].items():
        if canonical_value(both[0][index].get(name, "")) != canonical_value(value):
            return name
    return None
