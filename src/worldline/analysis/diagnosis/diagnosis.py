"""Diagnosis of one prediction: its facts and their cause, also as JSON."""

from dataclasses import dataclass
from typing import Any

from worldline.analysis.choices import Possibility
from worldline.analysis.diagnosis.causes import Cause, cause_evidence, find_cause
from worldline.analysis.diagnosis.diagnosis_html import diagnosis_html
from worldline.analysis.diagnosis.facts import Facts, gather_facts
from worldline.core.trace import Trace
from worldline.core.util.text import truncate_text
from worldline.models.prediction import Prediction
from worldline.models.tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Where a prediction diverged, in what, through which operation, and why."""

    facts: Facts
    cause: Cause | None

    def __repr__(self) -> str:
        cause = f"{self.cause.name}; " if self.cause else ""
        return f"Diagnosis({truncate_text(f'{self.id!r}, {cause}{self.facts.summary()}', 105)})"

    @property
    def id(self) -> str:
        """The sample's name."""
        return self.facts.id

    @property
    def where(self) -> str | None:
        """What differs at the divergence; None without a divergence."""
        return self.facts.divergence.where if self.facts.divergence else None

    @property
    def kind(self) -> str | None:
        """The kind of the actual value that differs; None if no value differs."""
        return self.facts.value.kind if self.facts.value else None

    def _repr_html_(self) -> str:
        """The explanation and the steps around the divergence, for notebooks."""
        return diagnosis_html(self)


@dataclass(frozen=True, slots=True)
class Sample:
    """One prediction, the actual execution, and the diagnosis of the difference.

    For a program with choices, `actual` is the execution that agrees with the prediction for the
    most steps, and `possibility` says whether some values of the choices give the prediction.
    """

    prediction: Prediction
    actual: Trace
    diagnosis: Diagnosis
    possibility: Possibility | None = None

    def __repr__(self) -> str:
        text = f"{self.prediction.id!r}, {self.diagnosis.facts.summary()}"
        return f"Sample({truncate_text(text, 110)})"


def diagnose_prediction(
    actual: Trace, prediction: Prediction, *, tokenizer: Tokenizer | None = None
) -> Diagnosis:
    """Find where a prediction diverges from the actual execution, in what, and why.

    Args:
        actual: The recorded execution of the prediction's program.
        prediction: The predicted steps, or only the predicted result.
        tokenizer: Counts the tokens of values and of the output; without one they are not counted.
    """
    facts = gather_facts(actual, prediction, tokenizer=tokenizer)
    return Diagnosis(facts, find_cause(facts))


def diagnosis_to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """The facts of a diagnosis as one flat row; a fact that does not apply is null."""
    facts, divergence = diagnosis.facts, diagnosis.facts.divergence
    value, action, operation = facts.value, facts.action, facts.operation
    position, alignment = facts.position, facts.alignment
    reconvergence = alignment.reconvergence if alignment else None
    gap = alignment.gap if alignment else None
    cause = diagnosis.cause
    return {
        "id": facts.id,
        "outcome": facts.outcome,
        "differs_in": divergence.where if divergence else None,
        "step": divergence.step if divergence else None,
        "event": divergence.event if divergence else None,
        "line": divergence.line if divergence else None,
        "executed_line": divergence.executed_line if divergence else None,
        "variable": divergence.variable if divergence else None,
        "actual_value": divergence.actual if divergence else None,
        "predicted_value": divergence.predicted if divergence else None,
        "is_within_truncated_step": divergence.is_within_truncated_step if divergence else None,
        "differing_variables": [d.name for d in divergence.differences] if divergence else [],
        "kind": value.kind if value else None,
        "leaf": value.leaf if value else None,
        "leaf_kind": value.leaf_kind if value else None,
        "change": value.change if value else None,
        "actual_chars": value.actual_chars if value else None,
        "predicted_chars": value.predicted_chars if value else None,
        "edit_distance": value.edit_distance if value else None,
        "actual_tokens": value.actual_tokens if value else None,
        "predicted_tokens": value.predicted_tokens if value else None,
        "changed_tokens": value.changed_tokens if value else None,
        "action_error": action.kind if action else None,
        "is_legal": action.is_legal if action else None,
        "operations": list(operation.operations) if operation else [],
        "nesting": operation.nesting if operation else None,
        "hidden_values": operation.hidden_values if operation else None,
        "hidden_chain": operation.hidden_chain if operation else None,
        "mutates_iterated": facts.is_mutated_while_iterating if operation else None,
        "iteration": position.iteration if position else None,
        "call_depth": position.call_depth if position else None,
        "chars_before": position.chars_before if position else None,
        "tokens_before": position.tokens_before if position else None,
        "max_tokens": position.max_tokens if position else None,
        "excludes_comprehensions": alignment.excludes_comprehensions if alignment else None,
        "matched_steps": alignment.matched_steps if alignment else None,
        "predicted_steps": facts.predicted_steps,
        "actual_steps": facts.actual_steps,
        "is_truncated": facts.is_truncated,
        "gap": gap.kind if gap else None,
        "gap_steps": gap.steps if gap else None,
        "steps_after_gap": gap.steps_after if gap else None,
        "decisive_step": reconvergence.decisive_step if reconvergence else None,
        "reconverged": reconvergence.times if reconvergence else None,
        "reconverged_steps": reconvergence.steps if reconvergence else None,
        "result": facts.result,
        "is_result_correct": facts.is_result_correct,
        "is_answer_correct": facts.is_answer_correct,
        "is_reference_correct": facts.is_reference_correct,
        "equality_rules": dict(alignment.rules) if alignment else {},
        "cause": cause.name if cause else None,
        "evidence": cause_evidence(facts, cause.name) if cause else None,
        "confirmed_by": cause.confirmed_by if cause else None,
        "refuted_by": cause.refuted_by if cause else None,
        "note": facts.note,
    }
