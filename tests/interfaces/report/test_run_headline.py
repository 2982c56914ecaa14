"""Headlines of runs: each number against a count by hand."""

from dataclasses import replace

from worldline.evaluation.runs import ScoredSample
from worldline.interfaces.report import headline

CORRECT = ScoredSample("a", 0, "correct", "correct", matched_steps=4)
STRING = ScoredSample(
    "b", 0, "incorrect", "diverged", differs_in="state", kind="str", step=2, matched_steps=2
)
ACTION = ScoredSample("c", 0, "incorrect", "diverged", differs_in="action", step=8, matched_steps=8)
TRUNCATED = ScoredSample("d", 0, "truncated", "truncated", matched_steps=3)
BROKEN = ScoredSample("e", 0, "infra_error", "infra_error")


def test_shares_have_denominators_and_infrastructure_errors_are_not_counted() -> None:
    samples = [CORRECT, STRING, replace(STRING, step=4, matched_steps=4), ACTION, BROKEN]
    assert headline(samples) == (
        "25% of 4 answers are correct (1). 75% of the predictions (3 of 4) diverge from the actual "
        "execution, half of them by step 4. 67% of the divergences (2) are in a string."
    )


def test_correct_answers_after_a_wrong_execution_are_named() -> None:
    lucky = replace(STRING, verdict="correct")
    assert "1 of the 2 correct answers come after a wrong execution." in headline(
        [CORRECT, lucky, ACTION]
    )
    assert "follow" not in headline([CORRECT, STRING])


def test_truncated_answers_are_counted() -> None:
    assert headline([CORRECT, TRUNCATED]).endswith("50% are truncated (1).")


def test_a_share_is_0_or_100_percent_only_if_it_is_exact() -> None:
    assert headline([CORRECT] * 999 + [STRING]).startswith("99% of 1,000 answers")
    assert headline([STRING] * 999 + [CORRECT]).startswith("1% of 1,000 answers")
    assert headline([STRING] * 3).startswith("0% of 3 answers")


def test_predictions_without_steps_have_no_divergences() -> None:
    answer = replace(STRING, step=None, matched_steps=None, differs_in="return")
    assert headline([answer]) == "0% of 1 answer is correct (0)."


def test_a_run_without_results_has_no_headline() -> None:
    assert headline([BROKEN]) == ""
