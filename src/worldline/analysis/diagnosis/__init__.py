"""Diagnosis of a prediction: where it diverges, in what, and the likely cause."""

from worldline.analysis.diagnosis.action_errors import ActionFacts, ActionKind
from worldline.analysis.diagnosis.cause_reasons import CauseReason, find_reason
from worldline.analysis.diagnosis.causes import (
    RULES,
    UNEXPLAINED,
    Cause,
    CauseName,
    Rule,
    find_cause,
)
from worldline.analysis.diagnosis.diagnosis import (
    Diagnosis,
    Sample,
    diagnose_prediction,
    diagnosis_to_json,
)
from worldline.analysis.diagnosis.diagnosis_html import STEPS_AFTER, STEPS_BEFORE
from worldline.analysis.diagnosis.divergence_facts import PositionFacts
from worldline.analysis.diagnosis.execution_difficulty import (
    Difficulty,
    difficulty_to_json,
    measure_difficulty,
)
from worldline.analysis.diagnosis.facts import Facts, Outcome, gather_facts
from worldline.analysis.diagnosis.labels import LABELS, label
from worldline.analysis.diagnosis.line_operations import OperationFacts, operation_facts
from worldline.analysis.diagnosis.messages import (
    divergence_location,
    explain_divergence,
    gap_text,
    value_difference,
)
from worldline.analysis.diagnosis.operation_tallies import (
    OperationTallies,
    add_tallies,
    source_without_call,
    tally_operations,
)
from worldline.analysis.diagnosis.step_operations import (
    ExecutedOperation,
    OperationStep,
    executed_operations,
    operation_steps,
)
from worldline.analysis.diagnosis.value_differences import (
    ValueChange,
    ValueFacts,
    count_changed_tokens,
    edit_distance,
)
from worldline.core.language import ValueKind
from worldline.languages.python.value_kinds import value_kind

__all__ = [
    "LABELS",
    "RULES",
    "STEPS_AFTER",
    "STEPS_BEFORE",
    "UNEXPLAINED",
    "ActionFacts",
    "ActionKind",
    "Cause",
    "CauseName",
    "CauseReason",
    "Diagnosis",
    "Difficulty",
    "ExecutedOperation",
    "Facts",
    "OperationFacts",
    "OperationStep",
    "OperationTallies",
    "Outcome",
    "PositionFacts",
    "Rule",
    "Sample",
    "ValueChange",
    "ValueFacts",
    "ValueKind",
    "add_tallies",
    "count_changed_tokens",
    "diagnose_prediction",
    "diagnosis_to_json",
    "difficulty_to_json",
    "divergence_location",
    "edit_distance",
    "executed_operations",
    "explain_divergence",
    "find_cause",
    "find_reason",
    "gap_text",
    "gather_facts",
    "label",
    "measure_difficulty",
    "operation_facts",
    "operation_steps",
    "source_without_call",
    "tally_operations",
    "value_difference",
    "value_kind",
]
