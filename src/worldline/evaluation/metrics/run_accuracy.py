"""Accuracy of a run: the share of correct answers among answered samples, and among all."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from worldline.analysis.stats import Share, clustered_share, share
from worldline.evaluation.runs.scored_sample import ScoredSample

ANSWERED = ("correct", "incorrect")


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The verdicts of a run, counted.

    Attributes:
        samples: The number of questions.
        asked: The number of samples, repeats included.
        correct: Samples with a correct answer.
        incorrect: Samples with an incorrect answer.
        no_answer: Samples without an answer.
        truncated: Samples whose output was truncated before an answer.
        infra_error: Samples with an infrastructure error; they are in neither share.
        of_answered: The share of correct answers among the samples with an answer.
        of_all: The share of correct answers among all samples without an infrastructure error.
    """

    samples: int
    asked: int
    correct: int
    incorrect: int
    no_answer: int
    truncated: int
    infra_error: int
    of_answered: Share
    of_all: Share

    def __repr__(self) -> str:
        shares = [
            "none" if share.value is None else f"{share.value:.3f}"
            for share in (self.of_all, self.of_answered)
        ]
        return (
            f"Accuracy({self.correct} of {self.asked - self.infra_error} correct: {shares[0]}, "
            f"of answered {shares[1]})"
        )


def accuracy(samples: Sequence[ScoredSample]) -> Accuracy:
    """Count the verdicts of a run; the intervals account for the correlation of repeats."""
    counts = Counter(sample.verdict for sample in samples)
    questions = len({sample.sample for sample in samples})
    has_repeats = questions < len(samples)
    return Accuracy(
        samples=questions,
        asked=len(samples),
        correct=counts["correct"],
        incorrect=counts["incorrect"],
        no_answer=counts["no_answer"],
        truncated=counts["truncated"],
        infra_error=counts["infra_error"],
        of_answered=correct_share_of(samples, is_answered)
        if has_repeats
        else share(counts["correct"], counts["correct"] + counts["incorrect"]),
        of_all=correct_share_of(samples, is_graded)
        if has_repeats
        else share(counts["correct"], len(samples) - counts["infra_error"]),
    )


def is_answered(sample: ScoredSample) -> bool:
    """Whether a sample has an answer, correct or not."""
    return sample.verdict in ANSWERED


def is_graded(sample: ScoredSample) -> bool:
    """Whether a sample says something about the model: it has no infrastructure error."""
    return sample.verdict != "infra_error"


def correct_share_of(
    samples: Sequence[ScoredSample], is_counted: Callable[[ScoredSample], bool]
) -> Share:
    """The share of correct samples among those that are counted."""
    correct: dict[str, int] = defaultdict(int)
    size: dict[str, int] = defaultdict(int)
    for sample in filter(is_counted, samples):
        correct[sample.sample] += sample.verdict == "correct"
        size[sample.sample] += 1
    return clustered_share(list(correct.values()), list(size.values()))
