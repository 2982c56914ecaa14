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
        "25.0% of 4 answers are correct (1). 75.0% of the predictions (3 of 4) diverge from the "
        "actual execution, half of them by step 4. 1 of the 3 divergences is a wrong next line, 2 "
        "a wrong value, always a string."
    )


def test_all_divergences_are_counted_by_what_is_wrong() -> None:
    number, item = replace(STRING, kind="int"), replace(STRING, differs_in="return", kind="list")
    wrong_end = replace(ACTION, differs_in="end")
    for samples, sentence in (
        (
            [ACTION, STRING, wrong_end, number, ACTION, number, item],
            "2 of the 7 divergences are a wrong next line, 1 a wrong end of the execution, "
            "4 a wrong value, most often an integer (2).",
        ),
        # No kind is the most frequent one.
        ([STRING, number, item], "All 3 divergences are a wrong value."),
        ([ACTION, STRING], "1 of the 2 divergences is a wrong next line, 1 a wrong value."),
        ([ACTION] * 3, "All 3 divergences are a wrong next line."),
        ([ACTION] * 2, "Both divergences are a wrong next line."),
    ):
        assert headline(samples).endswith(sentence)


def test_correct_answers_after_a_wrong_execution_are_named() -> None:
    lucky = replace(STRING, verdict="correct")
    assert "1 of the 2 correct answers come after a wrong execution." in headline(
        [CORRECT, lucky, ACTION]
    )
    assert "follow" not in headline([CORRECT, STRING])


def test_truncated_answers_are_counted() -> None:
    assert headline([CORRECT, TRUNCATED]).endswith("50.0% are truncated (1).")


def test_samples_without_an_answer_are_not_called_answers() -> None:
    assert headline([CORRECT, STRING]).startswith("50.0% of 2 answers are correct (1).")
    for verdict in ("truncated", "no_answer"):
        silent = replace(TRUNCATED, verdict=verdict)
        assert headline([CORRECT, silent]).startswith("50.0% of 2 samples are correct (1).")


def test_a_share_is_rounded_as_on_the_page() -> None:
    assert headline([CORRECT] * 26 + [STRING] * 54).startswith("32.5% of 80 answers")


def test_a_share_is_0_or_100_percent_only_if_it_is_exact() -> None:
    assert headline([CORRECT] * 999 + [STRING]).startswith("99.9% of 1,000 answers")
    assert headline([CORRECT] * 9999 + [STRING]).startswith("99.9% of 10,000 answers")
    assert headline([STRING] * 9999 + [CORRECT]).startswith("0.1% of 10,000 answers")
    assert headline([STRING] * 3).startswith("0% of 3 answers")


def test_predictions_without_steps_have_no_divergences() -> None:
    answer = replace(STRING, step=None, matched_steps=None, differs_in="return")
    assert headline([answer]) == "0% of 1 answer is correct (0)."


def test_a_run_without_results_has_no_headline() -> None:
    assert headline([BROKEN]) == ""
