"""Distance of repeated predictions from the distribution of a program's results."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worldline.analysis.choices.distribution import Distribution
from worldline.analysis.stats import multinomial_draws
from worldline.core.errors import InputError

_REPEATS = 2_000
# Stated probabilities may be rounded.
_MAX_SUM_ERROR = 0.01
# A stated probability of 0 does not give an infinite log score.
_LOWEST_SHARE = 0.001


@dataclass(frozen=True, slots=True)
class DistanceEstimate:
    """A distance with its bootstrap interval.

    Attributes:
        value: The distance of the predictions.
        low: Lower end of the 95% interval.
        high: Upper end of the 95% interval.
        chance: The distance that 95% of as many draws from the exact distribution do not exceed: a
            larger value is not due to the number of predictions.
    """

    value: float
    low: float
    high: float
    chance: float


@dataclass(frozen=True, slots=True)
class DistributionScore:
    """How well repeated predictions agree with a distribution.

    Attributes:
        predictions: The number of predictions.
        impossible: The number of predictions that no execution gives.
        total_variation: Half the sum of the differences of probabilities, from 0 to 1.
        jensen_shannon: The Jensen–Shannon distance with logarithms to base 2, from 0 to 1.
        log_score: Expected log2 of the probability that the model gives to the actual outcome; the
            shares of its predictions are smoothed by 1/2 for each outcome.
        best_log_score: The log score of the exact distribution: its negative entropy.
    """

    predictions: int
    impossible: int
    total_variation: DistanceEstimate
    jensen_shannon: DistanceEstimate
    log_score: float
    best_log_score: float


@dataclass(frozen=True, slots=True)
class StatedScore:
    """How well stated probabilities agree with a distribution.

    Attributes:
        impossible: The stated probability of outcomes that no execution gives.
        total_variation: Half the sum of the differences of probabilities, from 0 to 1.
        jensen_shannon: The Jensen–Shannon distance with logarithms to base 2, from 0 to 1.
        log_score: Expected log2 of the stated probability of the actual outcome; a probability
            below 0.1% counts as 0.1%.
        best_log_score: The log score of the exact distribution: its negative entropy.
    """

    impossible: float
    total_variation: float
    jensen_shannon: float
    log_score: float
    best_log_score: float


def score_stated(distribution: Distribution, stated: Mapping[str, float]) -> StatedScore:
    """Compare probabilities that a model states with the exact ones.

    Args:
        distribution: The exact distribution.
        stated: The stated probability of each outcome, as its text.

    Raises:
        InputError: A probability is negative, or their sum differs from 1 by more than 1%.
    """
    total = math.fsum(stated.values())
    if not all(value >= 0 for value in stated.values()) or not abs(total - 1) <= _MAX_SUM_ERROR:
        raise InputError(
            f"the stated probabilities must be 0 or more, and add up to 1; their sum is {total:g}"
        )
    outcomes = list(dict.fromkeys((*distribution.probabilities, *stated)))
    exact = [float(distribution.probabilities.get(outcome, 0)) for outcome in outcomes]
    shares = [stated.get(outcome, 0) / total for outcome in outcomes]
    return StatedScore(
        impossible=math.fsum(b for a, b in zip(exact, shares, strict=True) if a == 0),
        total_variation=total_variation(exact, shares),
        jensen_shannon=jensen_shannon(exact, shares),
        log_score=_expected_log(exact, [max(share, _LOWEST_SHARE) for share in shares]),
        best_log_score=_expected_log(exact, exact),
    )


def score_predictions(
    distribution: Distribution,
    predicted: Sequence[str],
    *,
    seed: int = 0,
    repeats: int = _REPEATS,
) -> DistributionScore:
    """Compare repeated predictions of a result with the distribution of the results.

    Args:
        distribution: The distribution of the results.
        predicted: The predicted result of each repeat; at least one.
        seed: Seed of the bootstrap.
        repeats: Repeats of the bootstrap.
    """
    counts = Counter(predicted)
    outcomes = list(dict.fromkeys((*distribution.probabilities, *counts)))
    exact = [float(distribution.probabilities.get(outcome, 0)) for outcome in outcomes]
    number = len(predicted)
    shares = [counts[outcome] / number for outcome in outcomes]
    smoothed = [(counts[outcome] + 0.5) / (number + 0.5 * len(outcomes)) for outcome in outcomes]
    resampled = multinomial_draws(shares, number, repeats=repeats, seed=seed)
    perfect = multinomial_draws(exact, number, repeats=repeats, seed=seed + 1)
    tv, js = (
        DistanceEstimate(
            measure(exact, shares),
            *_interval([measure(exact, each) for each in resampled]),
            _quantile([measure(exact, each) for each in perfect], 0.95),
        )
        for measure in (total_variation, jensen_shannon)
    )
    return DistributionScore(
        predictions=number,
        impossible=sum(n for text, n in counts.items() if text not in distribution.probabilities),
        total_variation=tv,
        jensen_shannon=js,
        log_score=_expected_log(exact, smoothed),
        best_log_score=_expected_log(exact, exact),
    )


def total_variation(first: Sequence[float], second: Sequence[float]) -> float:
    """The total variation distance: [0.5, 0.5], [1, 0] -> 0.5"""
    return math.fsum(abs(a - b) for a, b in zip(first, second, strict=True)) / 2


def jensen_shannon(first: Sequence[float], second: Sequence[float]) -> float:
    """The Jensen–Shannon distance to base 2: [1, 0], [0, 1] -> 1.0"""
    middle = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
    divergence = math.fsum(
        p * math.log2(p / m) / 2
        for each in (first, second)
        for p, m in zip(each, middle, strict=True)
        if p > 0
    )
    return math.sqrt(max(0.0, divergence))


def score_to_json(score: DistributionScore) -> Mapping[str, object]:
    """The score as JSON data."""

    def distance(estimate: DistanceEstimate) -> dict[str, float]:
        return {name: getattr(estimate, name) for name in DistanceEstimate.__slots__}

    return {
        "predictions": score.predictions,
        "impossible": score.impossible,
        "total_variation": distance(score.total_variation),
        "jensen_shannon": distance(score.jensen_shannon),
        "log_score": score.log_score,
        "best_log_score": score.best_log_score,
    }


def _expected_log(exact: Sequence[float], model: Sequence[float]) -> float:
    return math.fsum(p * math.log2(q) for p, q in zip(exact, model, strict=True) if p > 0)


def _interval(values: list[float]) -> tuple[float, float]:
    return _quantile(values, 0.025), _quantile(values, 0.975)


def _quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
