"""Diagnosis of a prediction: where it diverges, in what, and the likely cause."""

from worldline.analysis.diagnosis.action_errors import ActionFacts, ActionKind
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
from worldline.analysis.diagnosis.execution_difficulty import (
    Difficulty,
    difficulty_to_json,
    measure_difficulty,
)
from worldline.analysis.diagnosis.facts import Facts, Outcome, PositionFacts, gather_facts
from worldline.analysis.diagnosis.labels import LABELS, label
from worldline.analysis.diagnosis.line_operations import OperationFacts, operation_facts
from worldline.analysis.diagnosis.messages import (
    divergence_location,
    explain_divergence,
    value_difference,
)
from worldline.analysis.diagnosis.value_differences import (
    ValueChange,
    ValueFacts,
    ValueKind,
    count_changed_tokens,
    edit_distance,
    value_kind,
)

AFTER = STEPS_AFTER  # old name
BEFORE = STEPS_BEFORE  # old name
diagnose = diagnose_prediction  # old name
difference = value_difference  # old name
difficulty = measure_difficulty  # old name
place = divergence_location  # old name
why = explain_divergence  # old name

__all__ = [
    "AFTER",  # old name
    "BEFORE",  # old name
    "LABELS",
    "RULES",
    "STEPS_AFTER",
    "STEPS_BEFORE",
    "UNEXPLAINED",
    "ActionFacts",
    "ActionKind",
    "Cause",
    "CauseName",
    "Diagnosis",
    "Difficulty",
    "Facts",
    "OperationFacts",
    "Outcome",
    "PositionFacts",
    "Rule",
    "Sample",
    "ValueChange",
    "ValueFacts",
    "ValueKind",
    "count_changed_tokens",
    "diagnose",  # old name
    "diagnose_prediction",
    "diagnosis_to_json",
    "difference",  # old name
    "difficulty",  # old name
    "difficulty_to_json",
    "divergence_location",
    "edit_distance",
    "explain_divergence",
    "find_cause",
    "gather_facts",
    "label",
    "measure_difficulty",
    "operation_facts",
    "place",  # old name
    "value_difference",
    "value_kind",
    "why",  # old name
]
