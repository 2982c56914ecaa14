"""Interventions: predict again with one thing changed, to confirm the cause of a divergence."""

from worldline.analysis.interventions.catalog import (
    CONFIRMED_BY_EXECUTION,
    INTERVENTIONS,
    INTERVENTIONS_BY_CAUSE,
    Intervention,
    InterventionName,
)
from worldline.analysis.interventions.modified_question import (
    is_rewrite,
    modify_question,
    modify_settings,
    rewrite_program,
    rewritten_program,
)
from worldline.analysis.interventions.prefix_patch import (
    patched_prefix,
    prefix_before_divergence,
)

__all__ = [
    "CONFIRMED_BY_EXECUTION",
    "INTERVENTIONS",
    "INTERVENTIONS_BY_CAUSE",
    "Intervention",
    "InterventionName",
    "is_rewrite",
    "modify_question",
    "modify_settings",
    "patched_prefix",
    "prefix_before_divergence",
    "rewrite_program",
    "rewritten_program",
]
