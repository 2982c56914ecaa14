"""Facts about one prediction, from its alignment with the actual execution."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from worldline.analysis.alignment import (
    Alignment,
    Divergence,
    align,
    align_result,
    has_result,
)
from worldline.analysis.diagnosis.action_errors import ActionFacts, action_facts
from worldline.analysis.diagnosis.divergence_facts import (
    PositionFacts,
    input_values,
    is_bound_by_loop,
    is_mutated_while_iterating,
    position_facts,
    value_facts,
    was_just_returned,
)
from worldline.analysis.diagnosis.line_operations import OperationFacts, operation_facts
from worldline.analysis.diagnosis.mechanisms import MechanismName, find_mechanisms
from worldline.analysis.diagnosis.value_differences import ValueFacts
from worldline.analysis.diagnosis.value_source import (
    value_expressions,
)
from worldline.core.language import ValueKind, missing_feature
from worldline.core.trace import Trace
from worldline.core.util.text import pluralize, truncate_text
from worldline.languages.python.value_kinds import value_kind
from worldline.models.codecs import Decoded
from worldline.models.prediction import Prediction
from worldline.models.tokenizers import Tokenizer

Outcome = Literal[
    "correct",
    "diverged",
    "truncated",
    "answer_mismatch",
    "reference_mismatch",
    "malformed",
    "empty_output",
    "infra_error",
]


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that is computed about one prediction, before a cause is chosen.

    Results, answers and references are compared by `==`, unlike states. Facts that do not apply
    are None.

    Attributes:
        id: The sample's name.
        outcome: The result of the diagnosis.
        alignment: The predicted steps paired with the actual ones.
        value: How the value that differs is different.
        action: How the action that differs is wrong.
        operation: What the line executed before the divergence does.
        position: The position of the divergence.
        input_kinds: The kinds of the variables that the executed line reads.
        evidence: The mechanisms that the value depends on, with the evidence for each.
        is_bound_by_loop: Whether the variable that differs is one that the executed loop header,
            or a comprehension, binds.
        is_mutated_while_iterating: Whether a loop around the executed line had added items to, or
            removed some from, what it iterates over.
        was_just_returned: Whether the previous step returned the value that differs, and the line
            does nothing else with it.
        result: What the program returns.
        actual_steps: The number of steps of a complete actual execution.
        predicted_steps: The number of predicted steps.
        is_truncated: Whether the output was truncated.
        is_result_correct: Whether the predicted execution returns the actual result, even after a
            divergence.
        is_answer_correct: Whether the answer extracted from the output is the actual result.
        is_reference_correct: Whether the benchmark expects the actual result.
        note: A remark on how the executions ended.
    """

    id: str
    outcome: Outcome
    alignment: Alignment | None
    value: ValueFacts | None = None
    action: ActionFacts | None = None
    operation: OperationFacts | None = None
    position: PositionFacts | None = None
    input_kinds: frozenset[ValueKind] = frozenset()
    evidence: Mapping[MechanismName, str] = field(default_factory=dict)
    is_bound_by_loop: bool = False
    is_mutated_while_iterating: bool = False
    was_just_returned: bool = False
    result: str | None = None
    actual_steps: int | None = None
    predicted_steps: int = 0
    is_truncated: bool = False
    is_result_correct: bool | None = None
    is_answer_correct: bool | None = None
    is_reference_correct: bool | None = None
    note: str = ""

    def __repr__(self) -> str:
        return f"Facts({truncate_text(f'{self.id!r}, {self.summary()}', 110)})"

    def summary(self) -> str:
        """The outcome in one line: "diverged at step 17 in state: n = 3, actual 5"."""
        if self.divergence is not None:
            return f"diverged at {self.divergence.summary(width=20)}"
        if self.note:
            return f"{self.outcome}: {truncate_text(self.note, 50)}"
        if self.alignment is not None:
            return f"{self.outcome}, {pluralize(self.alignment.matched_steps, 'step')} matched"
        return self.outcome

    @property
    def divergence(self) -> Divergence | None:
        """The first divergence, if there is one."""
        return self.alignment.divergence if self.alignment else None

    @property
    def is_superficially_correct(self) -> bool:
        """Whether the predicted execution diverged and still returned the correct value."""
        return self.outcome == "diverged" and self.is_result_correct is True


def gather_facts(
    actual: Trace, prediction: Prediction, *, tokenizer: Tokenizer | None = None
) -> Facts:
    """Compare a prediction with the actual execution.

    Args:
        actual: The recorded execution of the prediction's program.
        prediction: The predicted steps, or only the predicted result.
        tokenizer: Counts the tokens of values and of the output; without one they are not counted.
    """
    if prediction.finish == "infra_error":
        return Facts(prediction.id, "infra_error", None, note=prediction.error or "")
    if not actual.steps:
        how = f"{actual.ending.reason}, {actual.ending.detail}"
        note = f"the program could not be executed: {how}"
        return Facts(
            prediction.id, "infra_error", None, note=note, is_truncated=prediction.is_truncated
        )
    if not prediction.text.strip():
        return Facts(
            prediction.id,
            "empty_output",
            None,
            result=actual.result,
            is_truncated=prediction.is_truncated,
        )
    if not prediction.decoded.shows_steps:
        return _result_facts(actual, prediction, tokenizer)
    alignment = align(actual, prediction.decoded)
    actual, decoded = alignment.actual, alignment.predicted
    divergence = alignment.divergence
    is_answer_correct = _is_result(actual, prediction.answer)
    is_reference_correct = _is_reference(actual, prediction.expected)
    base = Facts(
        id=prediction.id,
        outcome=_outcome(actual, prediction, alignment, is_answer_correct, is_reference_correct),
        alignment=alignment,
        result=actual.result,
        actual_steps=len(actual.steps) if actual.is_complete else None,
        predicted_steps=len(decoded.steps),
        is_truncated=prediction.is_truncated,
        is_result_correct=_is_result_correct(actual, alignment),
        is_answer_correct=is_answer_correct,
        is_reference_correct=is_reference_correct,
        note=_note(actual, decoded, alignment),
    )
    if divergence is None:
        return base
    has_value = divergence.where in ("argument", "state", "return", "exception")
    if missing_feature(actual.program.language, "operations"):
        return replace(
            base,
            action=None if has_value else action_facts(actual, decoded, divergence),
            value=value_facts(actual, divergence, None, tokenizer) if has_value else None,
            position=position_facts(actual, prediction, decoded, divergence, tokenizer),
        )
    expressions = value_expressions(actual, divergence) if has_value else None
    operation = operation_facts(
        actual.program.text,
        divergence.executed_line,
        expressions=expressions,
        has_comprehension_frames=_has_comprehension_frames(alignment),
    )
    return replace(
        base,
        operation=operation,
        action=None if has_value else action_facts(actual, decoded, divergence),
        value=value_facts(actual, divergence, operation, tokenizer) if has_value else None,
        input_kinds=frozenset(map(value_kind, input_values(actual, divergence, operation))),
        evidence=find_mechanisms(actual, divergence, expressions) if has_value else {},
        is_bound_by_loop=is_bound_by_loop(actual, divergence, operation),
        is_mutated_while_iterating=is_mutated_while_iterating(actual, divergence, operation),
        was_just_returned=was_just_returned(actual, divergence, expressions),
        position=position_facts(actual, prediction, decoded, divergence, tokenizer),
    )


def _has_comprehension_frames(alignment: Alignment) -> bool:
    has_frames = alignment.actual.origin.has_comprehension_frames
    return has_frames and not alignment.excludes_comprehensions


def _result_facts(actual: Trace, prediction: Prediction, tokenizer: Tokenizer | None) -> Facts:
    """Compare only the result, for a prediction without steps."""
    answer = prediction.answer
    is_reference_correct = _is_reference(actual, prediction.expected)
    base = Facts(
        id=prediction.id,
        outcome="truncated" if prediction.is_truncated else "malformed",
        alignment=None,
        result=actual.result,
        actual_steps=len(actual.steps) if actual.is_complete else None,
        is_truncated=prediction.is_truncated,
        is_reference_correct=is_reference_correct,
    )
    if not has_result(actual):
        note = f"the program could not be executed to its end: {actual.ending.reason}"
        return replace(base, outcome="infra_error", note=note)
    if answer is None:
        return replace(base, note="there is no answer between [ANSWER] and [/ANSWER]")
    alignment = align_result(actual, prediction.decoded, answer)
    divergence = alignment.divergence
    outcome: Outcome = "correct" if divergence is None else "diverged"
    if divergence is None and is_reference_correct is False:
        outcome = "reference_mismatch"
    return replace(
        base,
        outcome=outcome,
        alignment=alignment,
        value=None if divergence is None else value_facts(actual, divergence, None, tokenizer),
        is_result_correct=divergence is None,
        is_answer_correct=divergence is None,
    )


def _is_result(actual: Trace, value: str | None) -> bool | None:
    """Whether a value is what the program returns; None if either is unknown."""
    if value is None or not actual.is_complete:
        return None
    return actual.result is not None and actual.program.values.results_equal(actual.result, value)


def _is_reference(actual: Trace, value: str | None) -> bool | None:
    """Whether a benchmark's value is what the program returns; None if either is unknown."""
    if value is None or not actual.is_complete:
        return None
    values = actual.program.values
    return actual.result is not None and values.is_reference_of(actual.result, value)


def _is_result_correct(actual: Trace, alignment: Alignment) -> bool | None:
    if actual.result is None:
        return None
    if alignment.reconvergence is not None:
        return alignment.reconvergence.is_result_correct
    return True if alignment.is_complete else None


def _outcome(
    actual: Trace,
    prediction: Prediction,
    alignment: Alignment,
    is_answer_correct: bool | None,
    is_reference_correct: bool | None,
) -> Outcome:
    if alignment.divergence is not None:
        return "diverged"
    if not alignment.is_complete:
        has_more = alignment.matched_steps < len(actual.steps)
        if not actual.is_complete and not has_more:
            # Correct as far as the program could be executed; not an error of the model.
            return "infra_error"
        is_truncated = prediction.is_truncated and prediction.decoded.stop == "truncated"
        return "truncated" if is_truncated else "malformed"
    if is_reference_correct is False:
        return "reference_mismatch"
    return "answer_mismatch" if is_answer_correct is False else "correct"


def _note(actual: Trace, decoded: Decoded, alignment: Alignment) -> str:
    """A remark on how the two executions ended, for readers."""
    if alignment.divergence is not None or alignment.is_complete:
        return ""
    if not actual.is_complete and alignment.matched_steps >= len(actual.steps):
        how = actual.ending.detail or "; ".join(actual.notes) or actual.ending.reason
        return f"the program could not be executed to its end: {actual.ending.reason}, {how}"
    steps = "1 step is" if alignment.matched_steps == 1 else f"{alignment.matched_steps} steps are"
    return f"{steps} correct, then {decoded.reason}"
