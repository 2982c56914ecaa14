"""Alignment of an actual and a predicted execution, up to the first divergence."""

from collections.abc import Mapping
from dataclasses import dataclass

from worldline.analysis.alignment.comprehension_frames import make_comparable
from worldline.analysis.alignment.divergence import Divergence
from worldline.analysis.alignment.gaps import Gap, find_gap
from worldline.analysis.alignment.reconvergence import Reconvergence, find_reconvergence
from worldline.analysis.alignment.step_comparator import PredictedStep, StepComparator
from worldline.analysis.alignment.truncated_step import divergence_within_truncated_step
from worldline.core.trace import DEADLOCK, Trace
from worldline.core.util.text import pluralize, truncate_text
from worldline.models.codecs import Decoded


@dataclass(frozen=True, slots=True)
class Alignment:
    """The steps of two executions, paired up to the first divergence.

    Without a divergence, the predicted execution is a prefix of the actual one, or all of it.

    Attributes:
        actual: The actual trace that was compared. Its steps are the ones that are counted.
        predicted: The predicted steps that were compared.
        excludes_comprehensions: Whether steps inside comprehensions were removed from both
            sides, because the two come from Python versions that trace them differently, or the
            format does not ask for them.
        matched_steps: The number of steps before the divergence.
        is_complete: Whether the prediction matches the actual execution to its end.
        divergence: The first step that differs.
        gap: Steps that the prediction skips, inserts or repeats at the divergence, if it continues
            correctly after them.
        reconvergence: Steps after the divergence that match again.
        rules: How often each equality rule was needed to match two values.
    """

    actual: Trace
    predicted: Decoded
    excludes_comprehensions: bool
    matched_steps: int
    is_complete: bool
    divergence: Divergence | None
    reconvergence: Reconvergence | None
    rules: Mapping[str, int]
    gap: Gap | None = None

    def __repr__(self) -> str:
        matched = f"{self.matched_steps} of {pluralize(len(self.actual.steps), 'step')} matched"
        if self.divergence is not None:
            end = f"diverged at {self.divergence.summary(width=20)}"
        else:
            end = "complete" if self.is_complete else "incomplete"
        return f"Alignment({truncate_text(f'{matched}, {end}', 105)})"


def align(actual: Trace, predicted: Decoded) -> Alignment:
    """Pair the steps of two executions, in order, up to the first divergence.

    Args:
        actual: The recorded execution.
        predicted: The steps that a codec decoded from a model's output.

    Returns:
        The paired steps, the first divergence if there is one, and what follows it.
    """
    recorded = actual
    actual, predicted = make_comparable(actual, predicted)
    comparator = StepComparator(actual)
    matched_steps, divergence = _match_steps(comparator, predicted)
    if divergence is None:
        divergence = _end_divergence(comparator, predicted, matched_steps)
    gap = (
        find_gap(actual, predicted, matched_steps)
        if divergence is not None and divergence.where != "end"
        else None
    )
    return Alignment(
        actual=actual,
        predicted=predicted,
        excludes_comprehensions=actual is not recorded,
        matched_steps=matched_steps,
        is_complete=divergence is None and _is_complete(actual, predicted, matched_steps),
        divergence=divergence,
        reconvergence=None
        if divergence is None
        else find_reconvergence(actual, predicted, matched_steps, gap),
        rules=dict(comparator.rules),
        gap=gap,
    )


def first_divergence(actual: Trace, predicted: Decoded) -> tuple[Trace, int, Divergence | None]:
    """Match steps as `align` does, without a look at what follows the divergence.

    Returns:
        The actual trace as it was compared, the number of matched steps, and the divergence.
    """
    actual, predicted = make_comparable(actual, predicted)
    comparator = StepComparator(actual)
    matched_steps, divergence = _match_steps(comparator, predicted)
    if divergence is None:
        divergence = _end_divergence(comparator, predicted, matched_steps)
    return actual, matched_steps, divergence


def has_result(actual: Trace) -> bool:
    """Whether an answer can be compared with an execution: with its end, or with a deadlock."""
    return actual.is_complete or (actual.ending.reason == DEADLOCK and bool(actual.steps))


def align_result(actual: Trace, predicted: Decoded, answer: str) -> Alignment:
    """Compare an answer without steps with the result of the actual execution.

    Args:
        actual: The recorded execution, which has a result.
        predicted: The decoded output, without steps.
        answer: The result that the model predicted.

    Returns:
        An alignment without matched steps. It diverges at the step that returned or raised,
        unless the answer is the actual result, or "deadlock" for an execution that ends so.
    """
    is_deadlock = actual.ending.reason == DEADLOCK
    index = len(actual.steps) - 1
    if not is_deadlock:
        index = max(n for n, step in enumerate(actual.steps) if step.value is not None)
    last = actual.steps[index]
    are_equal = actual.program.values.results_equal
    is_same = is_deadlock and answer.strip() == DEADLOCK
    if actual.result is not None:
        is_same = are_equal(actual.result, answer)
    divergence = Divergence(
        step=index,
        where="return" if actual.result is not None else "exception",
        event=last.event,
        line=last.line,
        scope=last.scope,
        executed_line=last.line,
        actual=DEADLOCK if is_deadlock else last.value or "",
        predicted=answer,
    )
    return Alignment(
        actual=actual,
        predicted=predicted,
        excludes_comprehensions=False,
        matched_steps=0,
        is_complete=is_same,
        divergence=None if is_same else divergence,
        reconvergence=None,
        rules={},
    )


def _match_steps(comparator: StepComparator, predicted: Decoded) -> tuple[int, Divergence | None]:
    """Count the steps that match, and find the divergence after them if both sides continue."""
    pairs = zip(comparator.actual.steps, predicted.steps, predicted.step_texts, strict=False)
    matched_steps = 0
    for step, decoded_step, step_text in pairs:
        predicted_step = PredictedStep(
            decoded_step.event,
            step_text.line,
            step_text.locals,
            decoded_step.value,
            predicted.knows_events,
            step_text.number,
            step_text.shows_state,
            step_text.shows_all,
            decoded_step.thread if predicted.names_threads else None,
        )
        divergence = comparator.compare_step(matched_steps, step, predicted_step)
        if divergence is not None:
            return matched_steps, divergence
        comparator.advance(step, shows_state=step_text.shows_state)
        matched_steps += 1
    return matched_steps, None


def _end_divergence(
    comparator: StepComparator, predicted: Decoded, matched_steps: int
) -> Divergence | None:
    """Find the divergence if all pairs match but one side continues without the other."""
    actual = comparator.actual
    if len(predicted.steps) > matched_steps:
        if not actual.is_complete:
            return None
        last, extra = actual.steps[-1], predicted.steps[matched_steps]
        step_text = predicted.step_texts[matched_steps]
        return Divergence(
            step=matched_steps,
            where="end",
            event=None,
            line=last.line,
            scope=last.scope,
            executed_line=last.line,
            actual="the end",
            predicted=step_text.line,
            predicted_event=extra.event,
            predicted_line=step_text.line,
            predicted_line_number=step_text.number,
        )
    if matched_steps >= len(actual.steps):
        return None
    step = actual.steps[matched_steps]
    if predicted.stop == "truncated":
        return divergence_within_truncated_step(comparator, matched_steps, step, predicted.fragment)
    if predicted.stop == "malformed" or _is_final_unwinding(actual, matched_steps):
        return None
    return Divergence(
        step=matched_steps,
        where="end",
        event=step.event,
        line=step.line,
        scope=step.scope,
        executed_line=comparator.executed_line(step),
        actual=comparator.program.line(step.line),
        predicted="the end",
    )


def _is_final_unwinding(actual: Trace, matched_steps: int) -> bool:
    """Whether only the return by exception of the entry point is left; CWM's traces omit it."""
    step = actual.steps[matched_steps]
    is_last = matched_steps == len(actual.steps) - 1
    return is_last and step.event == "return" and step.value is None


def _is_complete(actual: Trace, predicted: Decoded, matched_steps: int) -> bool:
    if not actual.is_complete or predicted.stop == "malformed":
        return False
    return matched_steps == len(actual.steps) or _is_final_unwinding(actual, matched_steps)
