"""The survival curve as a table: every percentage with its counts."""

import pytest

from tests.interfaces.report.printing import printed
from worldline.evaluation.metrics.survival import measure_survival
from worldline.evaluation.runs.scored_sample import ScoredSample
from worldline.interfaces.report.survival_text import survival_tables

SAMPLES = [
    ScoredSample("whole", 0, "correct", "correct", matched_steps=4, actual_steps=4),
    ScoredSample("truncated", 0, "truncated", "truncated", matched_steps=2, actual_steps=4),
    ScoredSample("incorrect", 0, "incorrect", "diverged", step=2, matched_steps=2, actual_steps=4),
    ScoredSample("ran_on", 0, "incorrect", "diverged", step=1, matched_steps=1, actual_steps=1),
    ScoredSample("infra_error", 0, "infra_error", "infra_error"),
    ScoredSample("answer", 0, "correct", "correct"),
]


def test_the_curve_has_a_row_per_step() -> None:
    text = printed(survival_tables(measure_survival(SAMPLES)), width=160)
    result = [line.strip("│").split("│") for line in text.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row] for row in result] == [
        ["1", "100.0 (4/4)", "0", "0", "100.0 (4)", "100.000 (4/4)"],
        ["2", "100.0 (3/3)", "0", "0", "100.0 (3)", "100.000 (3/3)"],
        ["4", "33.3 (1/3)", "1", "1", "50.0 (1)", "66.667 (2/3)"],
    ]


def test_endings_of_samples_are_counted() -> None:
    text = " ".join(printed(survival_tables(measure_survival(SAMPLES)), width=300).split())
    assert "4 samples" in text
    assert "2 correct to the end (1 of them continued past it), 1 diverged, 0 malformed" in text
    assert (
        "1 truncated while correct. Not counted: 1 without steps, 1 infrastructure error." in text
    )
    assert "Correct per step, overall: 90.000 (9/10)" in text
    assert "number of steps is unknown" not in text
    unknown = ScoredSample("truncated", 0, "truncated", "truncated", matched_steps=2)
    more = measure_survival([*SAMPLES, unknown])
    again = " ".join(printed(survival_tables(more), width=300).split())
    assert "1 sample: the program's number of steps is unknown" in again


def test_no_samples() -> None:
    text = printed(survival_tables(measure_survival([])), width=80)
    assert "0 samples" in text
    assert "overall" not in text


@pytest.mark.parametrize("width", [40, 80, 250])
def test_the_table_fits_any_width(width: int) -> None:
    text = printed(survival_tables(measure_survival(SAMPLES)), width=width)
    assert all(len(line) <= width for line in text.splitlines())
