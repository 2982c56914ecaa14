"""Threshold of a score above which few outcomes are wrong, calibrated on held-out outcomes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from worldline.analysis.stats.lazy_imports import lazy_import

# Ratio of the numbers of trusted outcomes that are tested one after another.
_RATIO = 1.5


@dataclass(frozen=True, slots=True)
class RiskThreshold:
    """A threshold, and the outcomes that it was calibrated on.

    Attributes:
        max_wrong: The largest share of wrong outcomes that is accepted above the threshold.
        confidence: The probability that the share is not larger.
        score: The lowest score that is above the threshold; None if no threshold is low enough in
            risk, so that nothing can be trusted.
        trusted: The number of calibration outcomes above the threshold.
        wrong: The number of wrong ones among them.
        of: The number of calibration outcomes.
    """

    max_wrong: float
    confidence: float
    score: float | None
    trusted: int
    wrong: int
    of: int


def fit_risk_threshold(
    scores: Sequence[float],
    outcomes: Sequence[bool],
    *,
    max_wrong: float = 0.1,
    confidence: float = 0.9,
) -> RiskThreshold:
    """Find the lowest threshold above which at most a given share of outcomes is wrong.

    Risk control: the scores must come from a model that was not fitted on these outcomes. Some
    thresholds are fixed by the ranks of the scores alone; each is tested with an exact binomial
    test, and the level of the tests is divided by their number (Geifman and El-Yaniv 2017;
    "learn then test"). So with the given confidence, whatever the distribution, the share of wrong
    outcomes above the threshold is at most `max_wrong` for new outcomes of the same kind.

    Args:
        scores: A score for each outcome, higher for better ones.
        outcomes: Whether each outcome is correct. They must be independent: one per program.
        max_wrong: The accepted share of wrong outcomes, between 0 and 1.
        confidence: The probability that the share is not larger, between 0 and 1.
    """
    order = sorted(zip(scores, outcomes, strict=True), key=lambda pair: -pair[0])
    sizes = _tested_sizes(len(order), max_wrong, confidence)
    level = (1 - confidence) / len(sizes) if sizes else 0.0
    for size in reversed(sizes):
        score = order[size - 1][0]
        # All outcomes with an equal score are on the same side.
        above = [is_correct for each, is_correct in order if each >= score]
        wrong = len(above) - sum(above)
        if float(lazy_import("scipy.stats").binom.cdf(wrong, len(above), max_wrong)) <= level:
            return RiskThreshold(max_wrong, confidence, score, len(above), wrong, len(order))
    return RiskThreshold(max_wrong, confidence, None, 0, 0, len(order))


def _tested_sizes(of: int, max_wrong: float, confidence: float) -> list[int]:
    """Numbers of trusted outcomes to test: all, and each time two thirds of the number before.

    The smallest is one that can pass the test, with no wrong outcome. It depends on the number of
    tests, which depends on it.
    """
    count = 1
    for _ in range(10):
        smallest = math.log((1 - confidence) / count) / math.log(1 - max_wrong)
        count = 1 + max(0, math.floor(math.log(of / smallest, _RATIO))) if of else 1
    sizes = [math.floor(of / _RATIO**number) for number in range(count)]
    return sorted(size for size in sizes if size >= smallest)
