"""Exact distributions of results next to the predicted ones, as JSON for the page.

`ResultDistribution` and `DistributionSummary` in viewer/src/api declare the same keys.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from worldline.analysis.choices import score_to_json
from worldline.evaluation.metrics import AnswerDistributions, QuestionDistribution

# Outcomes of a question that the page shows; those left out are counted.
_MAX_OUTCOMES = 100


def build_distribution(question: QuestionDistribution, answer: str | None) -> dict[str, Any]:
    """Build the distribution of one question: `ResultDistribution` in viewer/src/api.

    Args:
        question: The exact distribution and the answers of all repeats.
        answer: The answer of the sample that is shown.
    """
    shown = _shown_outcomes(question)
    return {
        "outcomes": [
            {
                "value": value,
                "exact": str(question.exact[value]) if value in question.exact else None,
                "probability": float(question.exact.get(value, 0)),
                "predicted": question.answers.get(value, 0),
            }
            for value in shown
        ],
        "possible": len(question.exact),
        "omitted": len({*question.exact, *question.answers}) - len(shown),
        "predictions": question.predictions,
        "own": None if answer is None else question.outcome_of(answer),
        "score": score_to_json(question.score) if question.score else None,
    }


def build_distribution_summary(
    questions: Sequence[QuestionDistribution],
    results: AnswerDistributions,
    samples: Mapping[str, str],
) -> dict[str, Any]:
    """Build the distributions of a run: `DistributionSummary` in viewer/src/api.

    Args:
        questions: The questions with their answers.
        results: The measures over all questions.
        samples: The name of the sample to open, by question.
    """
    scored = [(each, each.score) for each in questions if each.score is not None]
    rows = [
        {
            "question": each.question,
            "sample": samples.get(each.question),
            "possible": len(each.exact),
            "predictions": each.predictions,
            "impossible": score.impossible,
            "never_predicted": len(each.never_predicted),
            "total_variation": asdict(score.total_variation),
            "jensen_shannon": asdict(score.jensen_shannon),
        }
        for each, score in scored
    ]
    return {
        "questions": results.questions,
        "impossible": asdict(results.impossible),
        "total_variation": results.total_variation,
        "jensen_shannon": fmean(score.jensen_shannon.value for _, score in scored),
        "beyond_chance": asdict(results.beyond_chance),
        "log_score": results.log_score,
        "best_log_score": results.best_log_score,
        "by_question": sorted(rows, key=lambda row: -row["total_variation"]["value"]),
    }


def _shown_outcomes(question: QuestionDistribution) -> list[str]:
    """The possible outcomes in their order, then the impossible ones, the most frequent first.

    Numbers are in the order of their size, other outcomes in that of their probability.
    """
    impossible = [value for value in question.answers if value not in question.exact]
    impossible.sort(key=lambda value: (-question.answers[value], value))
    kept_impossible = impossible[: _MAX_OUTCOMES // 2]
    possible = list(question.exact)
    if len(possible) > _MAX_OUTCOMES - len(kept_impossible):
        possible.sort(key=lambda v: -max(float(question.exact[v]), question.share_of(v)))
        del possible[_MAX_OUTCOMES - len(kept_impossible) :]
    numbers = {value: number for value in possible if (number := _number(value)) is not None}
    if len(numbers) == len(possible):
        possible.sort(key=lambda value: numbers[value])
    else:
        possible.sort(key=lambda value: (-question.exact[value], value))
    return possible + kept_impossible


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
