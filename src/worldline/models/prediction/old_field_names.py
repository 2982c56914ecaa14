"""Field names in prediction rows of earlier versions, and their current names.

Readers rename the fields, so all other code knows only the current names.
"""

from collections.abc import Mapping
from typing import Any

# Fields of a generation record: old name -> current name.
OLD_GENERATION_FIELDS: Mapping[str, str] = {
    "budget": "max_tokens",
    "longest_value": "max_value_chars",
    "ids": "completion_ids",
    "given": "forced_spans",
}
USAGE_FIELDS: Mapping[str, str] = {"written": "completion"}
# How an output ended. Servers and other tools write "length".
OLD_FINISHES: Mapping[str, str] = {"length": "truncated", "error": "infra_error"}


def rename_fields(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Rename the fields of a row; a field that already has its current name takes precedence.

    {"budget": 9, "id": "a"}, {"budget": "max_tokens"} -> {"max_tokens": 9, "id": "a"}
    """
    old = {names[name]: value for name, value in row.items() if name in names}
    return old | {name: value for name, value in row.items() if name not in names}


def upgrade_prediction_row(row: dict[str, Any]) -> dict[str, Any]:
    """Rename the old fields of one row of a prediction file."""
    usage = row.get("usage")
    if isinstance(usage, dict):
        row = row | {"usage": rename_fields(usage, USAGE_FIELDS)}
    # Only rows with a generation record have these fields; in other files they mean other things.
    return rename_fields(row, OLD_GENERATION_FIELDS) if "mode" in row else row
