"""Comparison of the truncated step at the end of an output."""

from dataclasses import replace

from worldline.analysis.alignment.divergence import Divergence, VariableDifference
from worldline.analysis.alignment.step_comparator import PredictedStep, StepComparator
from worldline.core.trace import Step
from worldline.models.codecs import UNCHANGED, Fragment


def divergence_within_truncated_step(
    comparator: StepComparator, index: int, step: Step, fragment: Fragment | None
) -> Divergence | None:
    """Find the divergence in a truncated step, if it was already wrong."""
    if fragment is None:
        return None
    line = comparator.program.line(step.line)
    predicted = PredictedStep(
        fragment.event or step.event, fragment.line or "", fragment.locals, fragment.open_value
    )
    if fragment.event is not None and fragment.event != step.event:
        return _within_truncated_step(comparator.action_divergence(index, step, predicted))
    if step.has_locals != _shows_locals(fragment):
        # The event is not written yet: what there is may begin a return as well as a line.
        if _is_different_line(fragment, line):
            return _within_truncated_step(comparator.action_divergence(index, step, predicted))
        return None
    if not step.has_locals:
        return _truncated_value_divergence(comparator, index, step, fragment, predicted)
    values = comparator.program.values
    actual = comparator.state_after(step)
    # Variables that are not written yet do not count as omitted.
    differences = tuple(
        difference
        for difference in comparator.local_differences(step, fragment.locals)
        if difference.predicted is not None
    )
    name, value = fragment.open_name, fragment.open_value
    if not differences and name is not None and value is not None:
        correct_texts = [actual.get(name, "")]
        if name in actual and name not in step.changed:
            correct_texts.append(UNCHANGED)
        if not any(values.may_start_value(text, value) for text in correct_texts):
            differences = (VariableDifference(name, actual.get(name), value),)
    if differences:
        return _within_truncated_step(
            comparator.state_divergence(index, step, predicted, differences)
        )
    if _is_different_line(fragment, line):
        return _within_truncated_step(comparator.action_divergence(index, step, predicted))
    return None


def _is_different_line(fragment: Fragment, line: str) -> bool:
    """Whether the text of the truncated source line cannot be this line."""
    if not fragment.line:
        return False
    return (
        fragment.line != line if fragment.is_line_complete else not line.startswith(fragment.line)
    )


def _shows_locals(fragment: Fragment) -> bool:
    if fragment.event is not None:
        return fragment.event in ("call", "line")
    return bool(fragment.locals) or fragment.open_name is not None or fragment.line is None


def _truncated_value_divergence(
    comparator: StepComparator, index: int, step: Step, fragment: Fragment, predicted: PredictedStep
) -> Divergence | None:
    line = comparator.program.line(step.line)
    if _is_different_line(fragment, line):
        return _within_truncated_step(comparator.action_divergence(index, step, predicted))
    value = fragment.open_value
    values = comparator.program.values
    actual = values.NULL if step.value is None else step.value
    if value is None or values.may_start_value(actual, value):
        return None
    divergence = comparator.value_divergence(index, step, predicted)
    return None if divergence is None else _within_truncated_step(divergence)


def _within_truncated_step(divergence: Divergence) -> Divergence:
    return replace(divergence, is_within_truncated_step=True)
