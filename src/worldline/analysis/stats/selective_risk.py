"""Quality of probabilities: ranking, calibration, and risk if only the surest are trusted.

All metrics have bootstrap intervals over clusters, for example programs. Cases with equal
probabilities are in random order; the metrics are then the mean over all orders.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from worldline.analysis.stats.lazy_imports import lazy_import

_BINS = 10
_DRAWS = 1_999


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric with its 95% interval."""

    value: float
    low: float
    high: float

    def __repr__(self) -> str:
        return f"Estimate({self.value:.3f} [{self.low:.3f}, {self.high:.3f}])"


@dataclass(frozen=True, slots=True)
class SelectiveRisk:
    """How good probabilities of being correct are; or how two sets of probabilities differ.

    Attributes:
        auroc: The probability that a correct case has a higher probability than a wrong one.
        aurc: The area under the risk–coverage curve: the mean share of wrong cases among the k
            surest, over all k.
        excess_aurc: The same, minus that of the optimal order, in which all correct cases come
            first.
        brier: The mean squared difference of probability and outcome.
        calibration_error: The expected calibration error: the mean difference of probability and
            share of correct cases, over ten bins with equally many cases.
    """

    auroc: Estimate
    aurc: Estimate
    excess_aurc: Estimate
    brier: Estimate
    calibration_error: Estimate


def measure_selective_risk(
    probabilities: Sequence[float],
    outcomes: Sequence[bool],
    clusters: Sequence[Hashable],
    *,
    minus: Sequence[float] | None = None,
    seed: int = 0,
) -> SelectiveRisk | None:
    """Measure probabilities of being correct, with intervals by a bootstrap over clusters.

    Args:
        probabilities: The probability of each case.
        outcomes: Whether each case is correct.
        clusters: The cluster of each case, which is drawn as a whole.
        minus: Other probabilities of the same cases. The result is then the paired difference: the
            metrics of `probabilities` minus those of `minus`, on the same bootstrap samples.
        seed: The seed of the bootstrap.

    Returns:
        The metrics; None if not both correct and wrong cases occur.
    """
    numpy = lazy_import("numpy")
    if len(set(outcomes)) < 2:
        return None
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(clusters))}
    members = numpy.array([numbers[cluster] for cluster in clusters])
    generator = numpy.random.default_rng(seed)
    count = len(numbers)
    draws = generator.multinomial(count, numpy.full(count, 1 / count), size=_DRAWS)
    # The first row are the cases themselves, the others say how often each was drawn.
    weights = numpy.vstack([numpy.ones(len(outcomes), int), draws[:, members]])
    metrics = _metrics(probabilities, outcomes, weights)
    if minus is not None:
        others = _metrics(minus, outcomes, weights)
        metrics = {name: metrics[name] - others[name] for name in metrics}
    return SelectiveRisk(**{f.name: _estimate(metrics[f.name]) for f in fields(SelectiveRisk)})


def risk_coverage_curve(
    probabilities: Sequence[float], outcomes: Sequence[bool]
) -> list[tuple[float, float]]:
    """The share of cases that are trusted, and the share of wrong ones among them.

    [0.9, 0.8, 0.8, 0.1], [1, 1, 0, 0] -> [(0.25, 0.0), (0.75, 0.333), (1.0, 0.5)]

    Returns:
        One point for each different probability, from the surest on.
    """
    points = []
    trusted = wrong = 0
    pairs = sorted(zip(probabilities, outcomes, strict=True), key=lambda pair: -pair[0])
    for number, (probability, is_correct) in enumerate(pairs):
        trusted, wrong = trusted + 1, wrong + (not is_correct)
        if number + 1 == len(pairs) or pairs[number + 1][0] != probability:
            points.append((trusted / len(pairs), wrong / trusted))
    return points


def optimal_aurc(correct: int, of: int) -> float:
    """The area under the risk–coverage curve if all correct cases come first; the least possible.

    1, 2 -> 0.25: the risk is 0 for the first case and 0.5 for both
    """
    return sum((number - correct) / number for number in range(correct + 1, of + 1)) / of


def _metrics(
    probabilities: Sequence[float], outcomes: Sequence[bool], weights: Any
) -> dict[str, Any]:
    """Each metric for every row of weights."""
    numpy = lazy_import("numpy")
    order = numpy.argsort(-numpy.asarray(probabilities, float), kind="stable")
    sorted_probabilities = numpy.asarray(probabilities, float)[order]
    is_correct = numpy.asarray(outcomes, float)[order]
    weights = weights[:, order]
    starts = numpy.flatnonzero(numpy.r_[True, numpy.diff(sorted_probabilities) != 0])
    values = sorted_probabilities[starts]
    size = numpy.add.reduceat(weights, starts, axis=1)
    correct = numpy.add.reduceat(weights * is_correct, starts, axis=1)
    wrong = size - correct
    of, total_correct = size.sum(axis=1), correct.sum(axis=1)
    # Cases before each group of equal probabilities.
    before, wrong_before = (numpy.cumsum(each, axis=1) - each for each in (size, wrong))
    with numpy.errstate(invalid="ignore", divide="ignore"):
        wrong_below = (of - total_correct)[:, None] - wrong_before - wrong
        auroc = (correct * (wrong_below + wrong / 2)).sum(axis=1) / (
            total_correct * (of - total_correct)
        )
    harmonic = numpy.r_[0, numpy.cumsum(1 / numpy.arange(1, int(of.max()) + 1))]
    mean_wrong = numpy.divide(wrong, size, out=numpy.zeros(size.shape), where=size > 0)
    # The sum over the j-th case of a group of (wrong before + j × mean) / (before + j).
    span = harmonic[before + size] - harmonic[before]
    aurc = (wrong + (wrong_before - mean_wrong * before) * span).sum(axis=1) / of
    certain = total_correct.astype(int)
    optimal = (of - certain - certain * (harmonic[of] - harmonic[certain])) / of
    squares = correct * (1 - values) ** 2 + wrong * values**2
    # A group is in the bin of its middle.
    bins = numpy.minimum(((before + size / 2) * _BINS / of[:, None]).astype(int), _BINS - 1)
    distances = correct - size * values
    error = sum(
        abs(numpy.where(bins == number, distances, 0).sum(axis=1)) for number in range(_BINS)
    )
    return {
        "auroc": auroc,
        "aurc": aurc,
        "excess_aurc": aurc - optimal,
        "brier": squares.sum(axis=1) / of,
        "calibration_error": error / of,
    }


def _estimate(values: Any) -> Estimate:
    """The first value, with the interval of the others; those without a value are left out.

    The calibration error of resampled cases is larger than that of the cases themselves. So the
    quantiles are shifted by the distance of the median and the value, which is small for the
    other metrics.
    """
    numpy = lazy_import("numpy")
    value = float(values[0])
    low, median, high = numpy.nanquantile(values[1:], [0.025, 0.5, 0.975])
    return Estimate(value, value + float(low - median), value + float(high - median))
