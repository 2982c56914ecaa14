"""Predictions with one deliberate mistake each, and what a careful reader concludes.

The expectations use the names of version 0.1.0. DISAGREEMENTS has a reason for each difference.
"""

import json
from typing import Any

import pytest

from tests.conftest import data_file
from worldline.analysis.diagnosis import diagnosis_to_json
from worldline.evaluation.runs import diagnose_file
from worldline.evaluation.runs.legacy import RENAMED_COLUMNS, RENAMED_VALUES

pytestmark = pytest.mark.data

# Names of version 0.1.0.
RENAMED = {old: new for values in RENAMED_VALUES.values() for old, new in values.items()}
COLUMNS = {
    "where": "differs_in",
    "action": "action_error",
    "true": "actual_value",
    "predicted": "predicted_value",
    **RENAMED_COLUMNS,
}
# The cause of 0.1.0 that two causes replace.
SPLIT = {"string_handling": {"character_slip", "string_semantics"}}
DISAGREEMENTS = {
    "eq14": "an iterator is opaque: no model can know how it is written, so any text is accepted",
    "sh05": "a wrong variable counts before a wrong line; the skipped step is reported as the gap",
    "en05": "the review withdrew its step number: 14 is correct",
    "co13": "the format is exact: a source line without its trailing blank is another line",
    "an12": "nan == nan is false, and answers are compared by ==",
    "ca16": "a return step is left out; the review calls its expectation too kind",
    "r03": "c[0 - 1] is the last item: negative_index is more specific than container_handling",
}


def expectations() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (f"attack{n}", name, expected)
        for n in (1, 2, 3)
        for name, expected, _ in json.loads(
            data_file(f"attacks/attack{n}_expected.json").read_text(encoding="utf-8")
        )
    ]


def differences(row: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """The facts of an expectation that a diagnosis does not have."""
    wrong = []
    for key, value in expected.items():
        value = RENAMED.get(value, value) if isinstance(value, str) else value
        if value == "?":
            continue
        if key == "notcause":
            is_same = row["cause"] != value
        elif key == "ops_has":
            is_same = value in row["operations"]
        elif key == "skipped":
            is_same = (row["gap"], row["gap_steps"]) == ("steps_skipped", value)
        elif key == "extra":
            is_same = row["gap"] in ("steps_inserted", "steps_repeated")
            is_same = is_same and row["gap_steps"] == value
        elif value in SPLIT:
            is_same = row[key] in SPLIT[value]
        else:
            is_same = row[COLUMNS.get(key, key)] == value
        if not is_same:
            wrong.append(key)
    return wrong


def test_all_rows_agree_or_have_a_reason() -> None:
    rows = {
        (name, sample.prediction.id): diagnosis_to_json(sample.diagnosis)
        for name in ("attack1", "attack2", "attack3")
        for sample in diagnose_file(data_file(f"attacks/{name}.jsonl"))
    }
    expected = expectations()
    assert len(rows) == len(expected) == 203
    wrong = {name for file, name, facts in expected if differences(rows[file, name], facts)}
    assert {name.partition("-")[0] for name in wrong} == set(DISAGREEMENTS)


def test_unchanged_executions_are_correct() -> None:
    samples = list(diagnose_file(data_file("attacks/control.jsonl")))
    assert len(samples) == 44
    assert {sample.diagnosis.facts.outcome for sample in samples} == {"correct"}


def test_a_rounded_reference_is_not_wrong() -> None:
    (sample,) = diagnose_file(data_file("attacks/humaneval_2.jsonl"))
    assert sample.diagnosis.facts.outcome == "correct"
