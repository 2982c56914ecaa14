"""Gaps: steps that a prediction skips, inserts or repeats before it continues correctly."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

from worldline.core.language import ValueSyntax
from worldline.core.trace import Step, Trace, states
from worldline.models.codecs import UNCHANGED, Decoded, StepText

GapKind = Literal["steps_skipped", "steps_inserted", "steps_repeated"]
# Actual steps that are compared in addition to the number of predicted ones, for predictions that
# skip steps.
MAX_SKIPPED_STEPS = 1_000
# Steps that must match after a gap; fewer are enough if both executions end with them.
_MIN_STEPS_AFTER, _MIN_LAST_STEPS = 3, 2


@dataclass(frozen=True, slots=True)
class Gap:
    """Steps that only one of the two executions has, at the first divergence.

    Attributes:
        kind: Which steps: actual ones that are skipped, or predicted ones that are inserted or
            repeat the steps before.
        steps: Their number.
        steps_after: The number of steps after the gap that match.
        is_iteration: Whether they are complete iterations of a loop, a comprehension or a
            generator.
    """

    kind: GapKind
    steps: int
    steps_after: int
    is_iteration: bool

    @property
    def shift(self) -> int:
        """The number of the actual step minus that of the predicted one, after the gap."""
        return self.steps if self.kind == "steps_skipped" else -self.steps


def find_gap(actual: Trace, predicted: Decoded, start: int) -> Gap | None:
    """Find the gap at a divergence, if the prediction continues correctly after one.

    actual a b c d e, predicted a c d e, 1 -> Gap("steps_skipped", 1, 3 steps after)

    Right after a gap, `..` stands for any value: it repeats a state that was skipped.

    Args:
        actual: The actual execution.
        predicted: The predicted steps, of a format that shows complete states.
        start: The number of the step that differs.
    """
    if not all(text.shows_state and text.shows_all for text in predicted.step_texts):
        return None
    limit = min(len(actual.steps), len(predicted.steps) + MAX_SKIPPED_STEPS)
    matcher = _StepMatcher(actual, predicted, list(states(actual.steps[:limit])))
    best: Gap | None = None
    for size in range(1, MAX_SKIPPED_STEPS + 1):
        for kind, i, j in (
            ("steps_skipped", start + size, start),
            ("steps_inserted", start, start + size),
        ):
            matched = matcher.matching_steps(i, j)
            is_end = i + matched == len(actual.steps) and j + matched == len(predicted.steps)
            if matched < (_MIN_LAST_STEPS if is_end else _MIN_STEPS_AFTER):
                continue
            if best is None or matched > best.steps_after:
                best = _gap(matcher, kind == "steps_skipped", start, size, matched)
    return best


def _gap(matcher: "_StepMatcher", is_skipped: bool, start: int, size: int, matched: int) -> Gap:
    actual, predicted = matcher.actual, matcher.predicted
    if is_skipped:
        steps = actual.steps
        is_iteration = _is_same_place(steps[start], steps[start + size])
        return Gap("steps_skipped", size, matched, is_iteration)
    texts, steps = predicted.step_texts, predicted.steps
    is_iteration = texts[start].line == texts[start + size].line and _is_same_place(
        steps[start], steps[start + size]
    )
    all_states = list(states(steps[: start + size]))
    is_repeated = start >= size and all(
        texts[n].line == texts[n - size].line
        and steps[n].value == steps[n - size].value
        and all_states[n] == all_states[n - size]
        for n in range(start, start + size)
    )
    kind: GapKind = "steps_repeated" if is_repeated else "steps_inserted"
    return Gap(kind, size, matched, is_iteration and not (is_repeated and size == 1))


def _is_same_place(first: Step, second: Step) -> bool:
    """Whether a scope comes back to the same line: it has completed an iteration."""
    return (first.scope, first.line, first.event) == (second.scope, second.line, second.event)


@dataclass(frozen=True, slots=True)
class _StepMatcher:
    """Compares predicted steps with actual ones at another position."""

    actual: Trace
    predicted: Decoded
    actual_states: Sequence[dict[str, str]]

    def matching_steps(self, i: int, j: int) -> int:
        """The number of steps that match, from an actual and from a predicted step on."""
        values = self.actual.program.values
        shown_scopes: set[int] = set()
        for length in count():
            a, b = i + length, j + length
            if a >= len(self.actual_states) or b >= len(self.predicted.steps):
                return length
            step, text = self.actual.steps[a], self.predicted.step_texts[b]
            if not self._is_same_line(step, text, self.predicted.steps[b]):
                return length
            if not step.has_locals:
                value = self.predicted.steps[b].value
                if not values.compare_values(str(step.value), str(value)).is_same:
                    return length
                continue
            is_first = step.scope not in shown_scopes
            state = self.actual_states[a]
            if not _is_same_state(values, step, state, text, is_first=is_first):
                return length
            shown_scopes.add(step.scope)
        raise AssertionError("unreachable")

    def _is_same_line(self, step: Step, text: StepText, predicted: Step) -> bool:
        is_same_event = step.event == predicted.event or (
            not self.predicted.knows_events and step.has_locals and predicted.has_locals
        )
        if text.number is not None:
            return is_same_event and text.number == step.line
        return is_same_event and text.line == self.actual.source_line(step)


def _is_same_state(
    values: ValueSyntax, step: Step, state: dict[str, str], text: StepText, *, is_first: bool
) -> bool:
    for name, value in text.locals.items():
        if name not in state:
            return False
        if value == UNCHANGED:
            if name in step.changed and not is_first:
                return False
        elif not values.compare_values(state[name], value).is_same:
            return False
    return all(name in text.locals or values.is_opaque(value) for name, value in state.items())
