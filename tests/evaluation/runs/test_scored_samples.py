"""Scored samples keep the part of a long value that differs."""

import pytest

from worldline.evaluation.runs.sample_rows import row_to_scored_sample

ROW = {
    "sample": "a",
    "repeat": 0,
    "verdict": "incorrect",
    "outcome": "diverged",
    "program": "hash",
    "variable": "x",
}


@pytest.mark.parametrize("position", [0, 5, 60, 400, 999])
def test_the_difference_of_long_values_is_kept(position: int) -> None:
    actual = "a" * position + "X" + "b" * (999 - position)
    predicted = "a" * position + "Y" + "c" * 300
    sample = row_to_scored_sample({**ROW, "actual_value": actual, "predicted_value": predicted})
    assert sample.actual_value is not None
    assert sample.predicted_value is not None
    assert "X" in sample.actual_value
    assert "Y" in sample.predicted_value
    assert len(sample.actual_value) <= 122


def test_short_and_missing_values_are_unchanged() -> None:
    sample = row_to_scored_sample({**ROW, "actual_value": "'a'"})
    assert (sample.actual_value, sample.predicted_value) == ("'a'", None)
