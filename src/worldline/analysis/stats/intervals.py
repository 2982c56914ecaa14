"""Confidence intervals: Wilson's for shares, and the bootstrap for mean differences."""

import functools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from worldline.analysis.stats.lazy_imports import lazy_import

# Weight of two pseudo-samples, one with only correct and one with only incorrect repeats, that are
# added when the agreement of repeats is measured. Without them, a few samples that agree by chance
# would count as many, and the variance would be 0 if nothing varies. Chosen by simulation: less
# gives too low a coverage when hardly any sample is incorrect, more gives too high a coverage at 30
# samples.
PSEUDO_WEIGHT = 0.1
_BOOTSTRAP_DRAWS = 9_999


@dataclass(frozen=True, slots=True)
class Share:
    """The share `correct` / `of` with its interval, which is None if `of` is 0."""

    correct: int
    of: int
    low: float | None
    high: float | None

    def __repr__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return f"Share({self.correct} of {self.of})"
        interval = f"[{self.low:.3f}, {self.high:.3f}]"
        return f"Share({self.correct} of {self.of}: {self.value:.3f} {interval})"

    @property
    def value(self) -> float | None:
        """The share itself; None if `of` is 0."""
        return self.correct / self.of if self.of else None


def share(correct: int, of: int, *, level: float = 0.95) -> Share:
    """Compute a share with Wilson's interval.

    8, 10 -> Share(8 of 10: 0.800 [0.490, 0.943])
    """
    if not of:
        return Share(correct, of, None, None)
    return Share(correct, of, *_wilson(correct / of, of, level))


def clustered_share(
    correct_by_cluster: Sequence[int],
    size_by_cluster: Sequence[int],
    *,
    level: float = 0.95,
    is_uneven: bool = False,
) -> Share:
    """Compute a share over samples with repeats, which are not independent.

    The cluster-robust variance gives the effective number of independent answers, for which
    Wilson's interval is computed. With one repeat per sample it is Wilson's interval. If all or no
    answers are correct, the samples are counted, not the repeats.

    [4, 0, 4, 0], [4, 4, 4, 4] -> Share(8 of 16: 0.500 [0.150, 0.850]): as for 2 of 4

    Args:
        correct_by_cluster: For each sample, the number of correct repeats.
        size_by_cluster: For each sample, the number of repeats.
        level: The confidence level.
        is_uneven: Whether some clusters are many times as large as others. The variance is then
            the jackknife's, in which large clusters count more, and the quantile is Student's, with
            one degree of freedom less than clusters.
    """
    correct, of = sum(correct_by_cluster), sum(size_by_cluster)
    if max(size_by_cluster, default=0) <= 1:
        return share(correct, of, level=level)
    number = _effective_number(correct_by_cluster, size_by_cluster, is_uneven=is_uneven)
    if is_uneven and len(size_by_cluster) > 1:
        student = lazy_import("scipy.stats").t.ppf((1 + level) / 2, len(size_by_cluster) - 1)
        number *= (quantile(level) / float(student)) ** 2
    low, high = _wilson(correct / of, number, level)
    return Share(correct, of, low, high)


def _effective_number(
    correct_by_cluster: Sequence[int], size_by_cluster: Sequence[int], *, is_uneven: bool
) -> float:
    """The number of independent answers with the same variance; at most the number of answers."""
    of = sum(size_by_cluster)
    size = of / len(size_by_cluster)
    rows = of + 2 * PSEUDO_WEIGHT * size
    value = (sum(correct_by_cluster) + PSEUDO_WEIGHT * size) / rows
    spread = math.fsum(
        ((correct - value * n) / (1 - n / rows if is_uneven else 1)) ** 2
        for correct, n in zip(correct_by_cluster, size_by_cluster, strict=True)
    )
    spread += PSEUDO_WEIGHT * size**2 * ((1 - value) ** 2 + value**2)
    return min(of, of * rows * value * (1 - value) / spread)


def _wilson(value: float, number: float, level: float) -> tuple[float, float]:
    """Wilson's interval for a number of answers that may be fractional."""
    z = quantile(level)
    centre = value + z * z / (2 * number)
    margin = z * math.sqrt(value * (1 - value) / number + (z / (2 * number)) ** 2)
    scale = 1 + z * z / number
    low = (centre - margin) / scale if value > 0 else 0.0
    high = (centre + margin) / scale if value < 1 else 1.0
    return low, high


@functools.cache
def quantile(level: float) -> float:
    """The normal quantile of a two-sided interval: 0.95 -> 1.96"""
    return NormalDist().inv_cdf((1 + level) / 2)


def bootstrap_interval(
    differences: Sequence[float], *, level: float = 0.95, seed: int = 0
) -> tuple[float, float] | None:
    """Compute the percentile bootstrap interval of a mean difference.

    Only to compare with the score interval of `accuracy_difference`: with few samples the
    bootstrap interval is too narrow, and if nothing differs it is a point.

    [1] * 6 + [0] * 90 + [-1] * 4 -> about (-0.04, 0.08)

    Returns:
        The ends of the interval; None for fewer than two samples.
    """
    if len(differences) < 2:
        return None
    numpy = lazy_import("numpy")
    counts = Counter(differences)
    values = numpy.array(list(counts))
    # Drawing how often each value occurs is the same as drawing samples, but needs less memory.
    shares = numpy.array(list(counts.values())) / len(differences)
    draws = numpy.random.default_rng(seed).multinomial(
        len(differences), shares, size=_BOOTSTRAP_DRAWS
    )
    low, high = numpy.quantile(
        draws @ values / len(differences), [(1 - level) / 2, (1 + level) / 2]
    )
    return float(low), float(high)
