"""Where, what and why: a divergence with its facts and its cause."""

from worldline.diagnose.actions import ActionFacts, ActionKind
from worldline.diagnose.causes import RULES, UNEXPLAINED, Cause, CauseName, Rule, find_cause
from worldline.diagnose.diagnosis import (
    Diagnosis,
    Sample,
    diagnose,
    diagnosis_to_json,
)
from worldline.diagnose.difficulty import Difficulty, difficulty, difficulty_to_json
from worldline.diagnose.facts import Facts, HorizonFacts, Outcome, gather_facts
from worldline.diagnose.html import AFTER, BEFORE
from worldline.diagnose.operations import OperationFacts, operation_facts
from worldline.diagnose.values import (
    Change,
    ValueFacts,
    ValueKind,
    common_start,
    edit_distance,
    moved,
    value_kind,
)
from worldline.diagnose.wording import count, difference, place, shorten, why

__all__ = [
    "AFTER",
    "BEFORE",
    "RULES",
    "UNEXPLAINED",
    "ActionFacts",
    "ActionKind",
    "Cause",
    "CauseName",
    "Change",
    "Diagnosis",
    "Difficulty",
    "Facts",
    "HorizonFacts",
    "OperationFacts",
    "Outcome",
    "Rule",
    "Sample",
    "ValueFacts",
    "ValueKind",
    "common_start",
    "count",
    "diagnose",
    "diagnosis_to_json",
    "difference",
    "difficulty",
    "difficulty_to_json",
    "edit_distance",
    "find_cause",
    "gather_facts",
    "moved",
    "operation_facts",
    "place",
    "shorten",
    "value_kind",
    "why",
]
