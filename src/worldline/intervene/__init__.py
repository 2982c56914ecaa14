"""Interventions: one thing is changed, the prediction made again, and the two are compared."""

from worldline.intervene.changed import is_rewrite, question_with, rewritten_program, settings_with
from worldline.intervene.interventions import (
    CALLED_FOR,
    CONFIRMED_BY_EXECUTION,
    INTERVENTIONS,
    Intervention,
    InterventionName,
)
from worldline.intervene.patching import patch, text_before

__all__ = [
    "CALLED_FOR",
    "CONFIRMED_BY_EXECUTION",
    "INTERVENTIONS",
    "Intervention",
    "InterventionName",
    "is_rewrite",
    "patch",
    "question_with",
    "rewritten_program",
    "settings_with",
    "text_before",
]
