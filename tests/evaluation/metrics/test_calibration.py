"""Calibration: the agreement of repeats, and how often the most frequent answer is correct."""

import pytest

from worldline.evaluation.metrics import measure_calibration
from worldline.evaluation.runs import Verdict
from worldline.interfaces.report import calibration_lines

Row = tuple[str, str | None, Verdict]


def repeats(question: str, *answers: str | None, correct: str) -> list[Row]:
    return [
        (
            question,
            answer,
            "no_answer" if answer is None else "correct" if answer == correct else "incorrect",
        )
        for answer in answers
    ]


def test_questions_are_grouped_by_the_agreement_of_their_repeats() -> None:
    rows = [
        *repeats("a", "1", "1", "1", "1", correct="1"),
        *repeats("b", "2", "2", "2", "2", correct="9"),
        *repeats("c", "1", "2", "3", "1", correct="1"),
        # A repeat without an answer disagrees.
        *repeats("d", "1", None, None, None, correct="1"),
    ]
    calibration = measure_calibration(rows)
    assert calibration is not None
    assert calibration.questions == 4
    assert [
        (one.low, one.high, one.confidence, one.correct.correct, one.correct.of)
        for one in calibration.bins
    ] == [(0.2, 0.4, 0.25, 1, 1), (0.4, 0.6, 0.5, 1, 1), (0.8, 1.0, 1.0, 1, 2)]
    # 0.75 and 0.5 off for one question each, 0.5 for two.
    assert calibration.error == pytest.approx((0.75 + 0.5 + 2 * 0.5) / 4)
    lines = [line.plain for line in calibration_lines(calibration)]
    assert lines[0].startswith("Calibration: 4 questions")
    assert lines[-1].startswith("80–100% agree      1 of 2: 50.0%")


def test_no_repeats_no_answers_and_infrastructure_errors_are_left_out() -> None:
    single: list[Row] = [("a", "1", "correct"), ("b", "2", "incorrect")]
    assert measure_calibration(single) is None
    failed: list[Row] = [("a", "1", "correct"), ("a", None, "infra_error")]
    assert measure_calibration(failed) is None
    assert measure_calibration(repeats("a", None, None, correct="1")) is None
