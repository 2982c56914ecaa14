"""The table of right steps: a row a step, with all that its figures are of."""

import pytest

from tests.report.printing import printed
from worldline.measures.horizon import measure_horizon
from worldline.report.horizon import horizon_tables
from worldline.runs.judged import Judged

SAMPLES = [
    Judged("whole", 0, "right", "correct", matched_steps=4, true_steps=4),
    Judged("cut", 0, "cut", "truncated", matched_steps=2, true_steps=4),
    Judged("wrong", 0, "wrong", "diverged", step=2, matched_steps=2, true_steps=4),
    Judged("ran_on", 0, "wrong", "diverged", step=1, matched_steps=1, true_steps=1),
    Judged("failed", 0, "failed", "error"),
    Judged("answer", 0, "right", "correct"),
]


def test_a_row_a_step() -> None:
    text = printed(horizon_tables(measure_horizon(SAMPLES)), width=160)
    found = [line.strip("│").split("│") for line in text.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row] for row in found] == [
        ["1", "100.0 (4/4)", "0", "0", "100.0 (4)", "100.000 (4/4)"],
        ["2", "100.0 (3/3)", "0", "0", "100.0 (3)", "100.000 (3/3)"],
        ["4", "33.3 (1/3)", "1", "1", "50.0 (1)", "66.667 (2/3)"],
    ]


def test_what_samples_came_to() -> None:
    text = " ".join(printed(horizon_tables(measure_horizon(SAMPLES)), width=300).split())
    assert "4 samples" in text
    assert "2 right to the end (of which 1 ran on behind it), 1 diverged, 0 malformed" in text
    assert "1 cut while right. Outside: 1 without steps, 1 failed." in text
    assert "Right per step, over all: 90.000 (9/10)" in text
    assert "not known how many steps" not in text
    unknown = Judged("cut", 0, "cut", "truncated", matched_steps=2)
    more = measure_horizon([*SAMPLES, unknown])
    again = " ".join(printed(horizon_tables(more), width=300).split())
    assert "Of 1 sample it is not known how many steps the program has" in again


def test_nothing_at_all() -> None:
    text = printed(horizon_tables(measure_horizon([])), width=80)
    assert "0 samples" in text
    assert "over all" not in text


@pytest.mark.parametrize("width", [40, 80, 250])
def test_any_width(width: int) -> None:
    text = printed(horizon_tables(measure_horizon(SAMPLES)), width=width)
    assert all(len(line) <= width for line in text.splitlines())
