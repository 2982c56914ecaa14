"""Answer distributions: repeated answers to questions with several correct answers.

A question expects the exact distribution of a program's results, as in the benchmarks `chance` and
`hidden`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean

from worldline.analysis.choices import (
    Distribution,
    DistributionScore,
    outcomes_from_text,
    score_predictions,
)
from worldline.analysis.stats import Share, share
from worldline.core.language import get_language
from worldline.core.trace import DEFAULT_LANGUAGE

# Fewer answers to a question say nothing about their distribution.
MIN_ANSWERS = 2
_BOOTSTRAP_REPEATS = 200


@dataclass(frozen=True, slots=True)
class QuestionDistribution:
    """The exact distribution of one question, and the answers to it.

    Attributes:
        question: The question's name.
        exact: The probability of each possible outcome, the most probable first.
        answers: How often each outcome was answered; impossible ones are included.
        score: How well the answers agree with the distribution; None with fewer than two.
    """

    question: str
    exact: Mapping[str, Fraction]
    answers: Mapping[str, int]
    score: DistributionScore | None

    @property
    def predictions(self) -> int:
        """The number of answers."""
        return sum(self.answers.values())

    @property
    def never_predicted(self) -> list[str]:
        """The possible outcomes that no answer gives."""
        return [outcome for outcome in self.exact if not self.answers.get(outcome)]

    def outcome_of(self, answer: str) -> str:
        """The possible outcome that an answer gives; the answer itself if it is impossible."""
        return outcome_text(self.exact, answer)

    def share_of(self, outcome: str) -> float:
        """The share of the answers that give an outcome."""
        return self.answers.get(outcome, 0) / max(1, self.predictions)


@dataclass(frozen=True, slots=True)
class AnswerDistributions:
    """How well the repeated answers of a run agree with the exact distributions.

    Attributes:
        questions: Questions with a distribution and at least two answers.
        impossible: The share of their answers that no execution gives.
        total_variation: The mean total variation distance of a question's answers from its
            distribution.
        beyond_chance: The share of questions whose distance is larger than that of 95% of as many
            draws from the exact distribution.
        log_score: The mean log score, in bits.
        best_log_score: The mean log score of the exact distributions.
    """

    questions: int
    impossible: Share
    total_variation: float
    beyond_chance: Share
    log_score: float
    best_log_score: float


def measure_answer_distributions(
    samples: Iterable[tuple[str, str | None, str | None]],
) -> AnswerDistributions | None:
    """Compare repeated answers with the distributions that their questions expect.

    Args:
        samples: The question, the answer and the expected value of each sample.

    Returns:
        None if no question expects a distribution and has two answers.
    """
    return summarize_distributions(question_distributions(samples))


def summarize_distributions(
    questions: Iterable[QuestionDistribution],
) -> AnswerDistributions | None:
    """Average over the questions with two answers; None if there is none."""
    scores = [each.score for each in questions if each.score is not None]
    if not scores:
        return None
    distances = [each.total_variation for each in scores]
    predictions = sum(each.predictions for each in scores)
    return AnswerDistributions(
        questions=len(scores),
        impossible=share(sum(each.impossible for each in scores), predictions),
        total_variation=fmean(each.value for each in distances),
        beyond_chance=share(sum(each.value > each.chance for each in distances), len(scores)),
        log_score=fmean(each.log_score for each in scores),
        best_log_score=fmean(each.best_log_score for each in scores),
    )


def question_distributions(
    samples: Iterable[tuple[str, str | None, str | None]],
) -> list[QuestionDistribution]:
    """Collect the answers to each question that expects a distribution.

    Args:
        samples: The question, the answer and the expected value of each sample.
    """
    answers: dict[str, list[str]] = defaultdict(list)
    exact: dict[str, Mapping[str, Fraction]] = {}
    for question, answer, expected in samples:
        outcomes = outcomes_from_text(expected)
        if outcomes is not None:
            exact[question] = outcomes
            answers[question] += [] if answer is None else [answer]
    return [_compare(question, exact[question], each) for question, each in answers.items()]


def _compare(
    question: str, outcomes: Mapping[str, Fraction], answers: list[str]
) -> QuestionDistribution:
    texts = [outcome_text(outcomes, answer) for answer in answers]
    score = None
    if len(texts) >= MIN_ANSWERS:
        distribution = Distribution(outcomes, len(outcomes), is_exact=True)
        score = score_predictions(distribution, texts, repeats=_BOOTSTRAP_REPEATS)
    return QuestionDistribution(question, outcomes, Counter(texts), score)


def outcome_text(outcomes: Iterable[str], answer: str) -> str:
    """The outcome that an answer equals; the answer itself if there is none."""
    equal = get_language(DEFAULT_LANGUAGE).values.answers_equal
    return next((text for text in outcomes if equal(text, answer)), answer)
