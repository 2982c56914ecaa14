"""Facts and their cause as one diagnosis, also as JSON."""

from dataclasses import dataclass
from typing import Any

from worldline.diagnose.causes import Cause, find_cause
from worldline.diagnose.facts import Facts, gather_facts
from worldline.diagnose.html import diagnosis_html
from worldline.predict import Prediction
from worldline.tokens import Tokenizer
from worldline.trace import Trace


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Where a prediction left reality, in what, through which operation, and why."""

    facts: Facts
    cause: Cause | None

    @property
    def id(self) -> str:
        """The sample's name."""
        return self.facts.id

    @property
    def where(self) -> str | None:
        """In what the two first differ, if they do."""
        return self.facts.divergence.where if self.facts.divergence else None

    @property
    def kind(self) -> str | None:
        """The kind of the real value where they differ; none where no value differs."""
        return self.facts.value.kind if self.facts.value else None

    def _repr_html_(self) -> str:
        """Its story and both executions where they part, in a notebook."""
        return diagnosis_html(self)


@dataclass(frozen=True, slots=True)
class Sample:
    """One prediction beside what really happens, and what follows from it."""

    prediction: Prediction
    truth: Trace
    diagnosis: Diagnosis


def diagnose(
    truth: Trace, prediction: Prediction, *, tokenizer: Tokenizer | None = None
) -> Diagnosis:
    """Say where a prediction leaves the real execution, in what, and why."""
    facts = gather_facts(truth, prediction, tokenizer=tokenizer)
    return Diagnosis(facts, find_cause(facts))


def diagnosis_to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """The facets of a diagnosis, one column each; a facet that does not apply is null."""
    facts, divergence = diagnosis.facts, diagnosis.facts.divergence
    value, action, operation = facts.value, facts.action, facts.operation
    horizon, alignment = facts.horizon, facts.alignment
    recovery = alignment.recovery if alignment else None
    cause = diagnosis.cause
    return {
        "id": facts.id,
        "outcome": facts.outcome,
        "where": divergence.where if divergence else None,
        "step": divergence.step if divergence else None,
        "event": divergence.event if divergence else None,
        "line": divergence.line if divergence else None,
        "executed_line": divergence.executed if divergence else None,
        "variable": divergence.variable if divergence else None,
        "true": divergence.true if divergence else None,
        "predicted": divergence.predicted if divergence else None,
        "is_within_cut": divergence.is_within_cut if divergence else None,
        "differing_variables": [d.name for d in divergence.differences] if divergence else [],
        "kind": value.kind if value else None,
        "leaf": value.leaf if value else None,
        "leaf_kind": value.leaf_kind if value else None,
        "change": value.change if value else None,
        "true_chars": value.true_chars if value else None,
        "predicted_chars": value.predicted_chars if value else None,
        "edit_distance": value.edit_distance if value else None,
        "true_tokens": value.true_tokens if value else None,
        "predicted_tokens": value.predicted_tokens if value else None,
        "moved_tokens": value.moved_tokens if value else None,
        "action": action.kind if action else None,
        "is_legal": action.is_legal if action else None,
        "operations": list(operation.operations) if operation else [],
        "nesting": operation.depth if operation else None,
        "hidden_values": operation.hidden if operation else None,
        "iterates_mutated": operation.iterates_mutated if operation else None,
        "iteration": horizon.iteration if horizon else None,
        "call_depth": horizon.call_depth if horizon else None,
        "chars_before": horizon.chars_before if horizon else None,
        "tokens_before": horizon.tokens_before if horizon else None,
        "budget": horizon.budget if horizon else None,
        "is_folded": alignment.is_folded if alignment else None,
        "matched_steps": alignment.matched if alignment else None,
        "predicted_steps": facts.predicted_steps,
        "true_steps": facts.true_steps,
        "is_cut": facts.is_cut,
        "found_back": recovery.times if recovery else None,
        "found_back_steps": recovery.steps if recovery else None,
        "result": facts.result,
        "is_result_right": facts.is_result_right,
        "is_answer_right": facts.is_answer_right,
        "is_reference_right": facts.is_reference_right,
        "equality_rules": dict(alignment.rules) if alignment else {},
        "cause": cause.name if cause else None,
        "confirmed_by": cause.confirmed_by if cause else None,
        "note": facts.note,
    }
