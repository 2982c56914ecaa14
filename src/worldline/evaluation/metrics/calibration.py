"""Calibration: how often a model is correct at each level of confidence.

The confidence in an answer is the share of a question's repeats that give it (self-consistency), so
that it is known for runs with repeats only.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from worldline.analysis.stats import Share, share
from worldline.evaluation.runs import Verdict

# Bins of equal width, from 0 to 1.
_BINS = 5
_MIN_REPEATS = 2


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Questions with a similar confidence.

    Attributes:
        low: The lowest confidence of the bin, exclusive, except for 0.
        high: The highest one, inclusive.
        confidence: The mean confidence of its questions.
        correct: The share of its questions whose most frequent answer is correct.
    """

    low: float
    high: float
    confidence: float
    correct: Share


@dataclass(frozen=True, slots=True)
class Calibration:
    """Confidence and accuracy of the most frequent answers.

    Attributes:
        questions: Questions with at least two repeats and an answer.
        error: The expected calibration error: the mean distance of confidence and accuracy.
        bins: The bins that contain questions, by confidence.
    """

    questions: int
    error: float
    bins: tuple[CalibrationBin, ...]


def measure_calibration(
    samples: Iterable[tuple[str, str | None, Verdict]],
) -> Calibration | None:
    """Measure the calibration of a run with repeats.

    Infrastructure errors are left out. A repeat without an answer counts as one that disagrees.

    Args:
        samples: The question, the answer and the verdict of each sample.

    Returns:
        The calibration; None if no question has two repeats and an answer.
    """
    repeats: dict[str, list[tuple[str | None, Verdict]]] = defaultdict(list)
    for question, answer, verdict in samples:
        if verdict != "infra_error":
            repeats[question].append((answer, verdict))
    judged = [
        _most_frequent(answers)
        for answers in repeats.values()
        if len(answers) >= _MIN_REPEATS and any(answer is not None for answer, _ in answers)
    ]
    if not judged:
        return None
    bins = []
    for number in range(_BINS):
        low, high = number / _BINS, (number + 1) / _BINS
        inside = [one for one in judged if low < one[0] <= high]
        if inside:
            correct = share(sum(is_correct for _, is_correct in inside), len(inside))
            mean = fmean(confidence for confidence, _ in inside)
            bins.append(CalibrationBin(low, high, mean, correct))
    distances = (abs(one.confidence - (one.correct.value or 0)) * one.correct.of for one in bins)
    return Calibration(len(judged), sum(distances) / len(judged), tuple(bins))


def _most_frequent(answers: list[tuple[str | None, Verdict]]) -> tuple[float, bool]:
    """The share of repeats with the most frequent answer, and whether it is correct."""
    counts = Counter(answer for answer, _ in answers if answer is not None)
    (answer, count), *_ = counts.most_common(1)
    is_correct = any(text == answer and verdict == "correct" for text, verdict in answers)
    return count / len(answers), is_correct
