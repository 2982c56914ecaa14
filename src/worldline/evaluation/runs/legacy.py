"""Columns, values and settings of runs as earlier versions named them (format 1).

Old runs can be read, queried, compared and resumed: rows are renamed when they are read. A run that
was begun by an earlier version and resumed by this one contains both kinds of rows.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from worldline.evaluation.store import Columns, LegacyNames
from worldline.models.prediction import OLD_FINISHES, OLD_GENERATION_FIELDS, rename_fields

RENAMED_COLUMNS: Mapping[str, str] = {
    **OLD_GENERATION_FIELDS,
    "asked_at": "completed_at",
    "text": "output",
    "usage_written": "usage_completion",
    "taken_answer": "external_answer",
    "true_value": "actual_value",
    "true_chars": "actual_chars",
    "true_tokens": "actual_tokens",
    "moved_tokens": "changed_tokens",
    "is_within_cut": "is_within_truncated_step",
    "action": "action_error",
    "iterates_mutated": "mutates_iterated",
    "is_folded": "excludes_comprehensions",
    "true_steps": "actual_steps",
    "is_cut": "is_truncated",
    "found_back": "reconverged",
    "found_back_steps": "reconverged_steps",
    "is_result_right": "is_result_correct",
    "is_answer_right": "is_answer_correct",
    "is_reference_right": "is_reference_correct",
    "program_hidden": "program_hidden_values",
    "program_is_whole": "program_is_complete",
}
RENAMED_INTERVENTIONS: Mapping[str, str] = {"longer": "more-tokens"}
# Old values by the new name of their column.
RENAMED_VALUES: Mapping[str, Mapping[str, str]] = {
    "finish": OLD_FINISHES,
    "verdict": {
        "right": "correct",
        "wrong": "incorrect",
        "cut": "truncated",
        "failed": "infra_error",
    },
    "outcome": {
        "answer_lost": "answer_mismatch",
        "reference_wrong": "reference_mismatch",
        "no_output": "empty_output",
        "error": "infra_error",
    },
    "change": {"entry": "initial", "update": "written", "drift": "carried_over"},
    "action_error": {
        "call_imagined": "call_invented",
        "exception_imagined": "exception_invented",
        "other_call": "wrong_call",
        "ran_on": "continued_past_end",
        "unjudged": "unknown",
    },
    "cause": {
        "budget": "truncated",
        "reference": "wrong_reference",
        "line_made_up": "hallucinated_line",
        "call_confused": "call_error",
        "exception_confused": "exception_error",
        "miscopied": "copy_error",
        "iteration_lost": "wrong_loop_item",
    },
    "confirmed_by": RENAMED_INTERVENTIONS,
}
RENAMED_EQUALITY_RULES: Mapping[str, str] = {"cut": "shortened"}
RENAMING = LegacyNames(RENAMED_COLUMNS, RENAMED_VALUES, {"equality_rules": RENAMED_EQUALITY_RULES})

_RENAMED_SETTINGS = {"budget": "max_tokens", "longest_value": "max_value_chars"}


def with_old_names(columns: Iterable[str]) -> list[str]:
    """Columns with their old names, to read them from parts of any version."""
    requested = set(columns)
    return [*requested, *(old for old, new in RENAMED_COLUMNS.items() if new in requested)]


def old_names(intervention: str) -> list[str]:
    """The names of an intervention in earlier versions."""
    return [old for old, new in RENAMED_INTERVENTIONS.items() if new == intervention]


def upgrade_row(row: dict[str, Any]) -> dict[str, Any]:
    """Rename the columns and values of a row that an earlier version wrote.

    {"verdict": "right", "is_cut": False} -> {"verdict": "correct", "is_truncated": False}
    """
    upgraded = (
        row if row.keys().isdisjoint(RENAMED_COLUMNS) else rename_fields(row, RENAMED_COLUMNS)
    )
    # No current value of a column is also an old one, so that upgrading twice changes nothing.
    changed = {
        column: values[upgraded[column]]
        for column, values in RENAMED_VALUES.items()
        if upgraded.get(column) in values
    }
    equality_rules = upgraded.get("equality_rules")
    if equality_rules and any(f'"{rule}"' in equality_rules for rule in RENAMED_EQUALITY_RULES):
        changed["equality_rules"] = json.dumps(
            rename_fields(json.loads(equality_rules), RENAMED_EQUALITY_RULES)
        )
    return upgraded | changed if changed else upgraded


def upgrade_columns(columns: Columns) -> Columns:
    """Rename the columns and values of a part that an earlier version wrote.

    {"verdict": ["right"], "is_cut": [False]} -> {"verdict": ["correct"], "is_truncated": [False]}
    """
    # Every column is in every part, so that an old part has an old name.
    if columns.keys().isdisjoint(RENAMED_COLUMNS):
        return columns
    rows = [
        upgrade_row(dict(zip(columns, values, strict=True)))
        for values in zip(*columns.values(), strict=True)
    ]
    return {name: [row.get(name) for row in rows] for name in (rows[0] if rows else ())}


def upgrade_manifest(manifest: dict[str, Any]) -> dict[str, Any]:
    """Rename the fields of a manifest in format 1."""
    settings, options = manifest.get("settings"), dict(manifest.get("options") or {})
    if options.get("intervention") in RENAMED_INTERVENTIONS:
        options["intervention"] = RENAMED_INTERVENTIONS[options["intervention"]]
    manifest = manifest | {"capabilities": manifest.get("abilities", ())}
    manifest.pop("abilities", None)
    return manifest | {
        "settings": rename_fields(settings, _RENAMED_SETTINGS) if settings else settings,
        "options": options,
    }
