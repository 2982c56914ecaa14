"""Re-convergence: predicted steps that match the actual ones again after the divergence."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher

from worldline.analysis.alignment.gaps import MAX_SKIPPED_STEPS, Gap
from worldline.core.trace import Step, Trace, states
from worldline.models.codecs import Decoded


@dataclass(frozen=True, slots=True)
class Reconvergence:
    """Steps after the divergence that match the actual execution again.

    Attributes:
        times: The number of runs of two or more steps that match in event, line and full state.
        steps: The number of steps in these runs.
        is_result_correct: Whether the predicted execution returns the actual result; None if it
            does not return.
        decisive_step: The first predicted step after which the prediction never returns to the
            actual execution; None if it returns, and matches to its end.
    """

    times: int
    steps: int
    is_result_correct: bool | None
    decisive_step: int | None = None


def find_reconvergence(
    actual: Trace, predicted: Decoded, start: int, gap: Gap | None = None
) -> Reconvergence:
    """Find runs of steps after the divergence that match in event, line and full state.

    Args:
        actual: The actual execution.
        predicted: The predicted steps.
        start: The number of the step that differs.
        gap: The gap at that step, if there is one.
    """
    actual_steps = actual.steps[: len(predicted.steps) + MAX_SKIPPED_STEPS]
    # If some states are not shown, no states are compared: it is not known which steps are paired.
    has_states = all(text.shows_state and text.shows_all for text in predicted.step_texts)
    canonical_value = actual.program.values.canonical_value
    actual_keys = _step_keys(
        actual_steps,
        [actual.source_line(step) for step in actual_steps],
        predicted.knows_events,
        has_states,
        canonical_value,
    )
    predicted_keys = _step_keys(
        predicted.steps,
        [step_text.line for step_text in predicted.step_texts],
        predicted.knows_events,
        has_states,
        canonical_value,
    )
    matcher = SequenceMatcher(None, actual_keys[start:], predicted_keys[start:], autojunk=False)
    # A single step can match by chance; two in a row, with their full states, hardly do.
    blocks = [block for block in matcher.get_matching_blocks() if block.size >= 2]
    # Where each run ends: the numbers of the next actual and of the next predicted step.
    ends = [(start + block.a + block.size, start + block.b + block.size) for block in blocks]
    if gap is not None:
        end = start + gap.steps_after
        ends.append((end + max(0, gap.shift), end + max(0, -gap.shift)))
    last = max(ends, key=lambda end: end[1], default=(start, start))
    # What would follow a truncated prediction is not known.
    is_end = last[1] == len(predicted.steps) and (
        last[0] == len(actual.steps) or predicted.stop == "truncated"
    )
    return Reconvergence(
        len(blocks),
        sum(block.size for block in blocks),
        _is_result_correct(actual, predicted),
        None if is_end and ends else last[1],
    )


def _step_keys(
    steps: tuple[Step, ...],
    lines: list[str],
    knows_events: bool,
    has_states: bool,
    canonical_value: Callable[[str], str],
) -> list[str]:
    """Each step as one text: its event, line and all locals."""
    keys = []
    for step, state, line in zip(steps, states(steps), lines, strict=True):
        event = step.event if knows_events or not step.has_locals else "step"
        if step.has_locals and not has_states:
            values = ""
        elif step.has_locals:
            values = repr(sorted((name, canonical_value(value)) for name, value in state.items()))
        else:
            values = canonical_value(str(step.value))
        keys.append(f"{event}\0{line}\0{values}")
    return keys


def _is_result_correct(actual: Trace, predicted: Decoded) -> bool | None:
    """Whether the predicted execution returns the actual result; None if it does not return."""
    if actual.result is None or predicted.stop != "complete" or not predicted.steps:
        return None
    last = predicted.steps[-1]
    if last.event != "return" or last.scope != 0:
        return None
    values = actual.program.values
    return values.results_equal(actual.result, values.NULL if last.value is None else last.value)
