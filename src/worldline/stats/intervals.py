"""Counts of what is right go in; shares with intervals come out."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from worldline.stats.need import need

# How much of a sample that is right in all repeats, and of one that is wrong in all, is put in
# where the agreement of repeats is measured: a few samples that agree by chance then do not pass
# for many, and where nothing varies the samples are what counts. Chosen by simulation: less covers
# too little where hardly any sample is wrong, more covers too much at 30 samples.
CAUTION = 0.1


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, and between which shares the truth lies; no interval of nothing."""

    right: int
    of: int
    low: float | None
    high: float | None

    @property
    def value(self) -> float | None:
        """The share itself; none of nothing."""
        return self.right / self.of if self.of else None


def share(right: int, of: int, *, level: float = 0.95) -> Share:
    """A share with Wilson's interval.

    8, 10 -> Share(8, 10, low=0.490, high=0.943)
    """
    if not of:
        return Share(right, of, None, None)
    test = need("scipy.stats").binomtest(right, of)
    found = test.proportion_ci(confidence_level=level, method="wilson")
    return Share(right, of, float(found.low), float(found.high))


def clustered_share(
    right_by_cluster: Sequence[int], size_by_cluster: Sequence[int], *, level: float = 0.95
) -> Share:
    """A share over samples that were asked several times: how often each was right, of how often.

    Repeats of one sample are alike, so the cluster-robust variance says how many independent
    answers would be as uncertain as these, and Wilson's interval is taken for that many. With one
    repeat a sample it is Wilson's own; where all or none is right, the samples are counted, not
    the repeats.

    [4, 0, 4, 0], [4, 4, 4, 4] -> Share(8, 16, low=0.150, high=0.850): as for 2 of 4
    """
    right, of = sum(right_by_cluster), sum(size_by_cluster)
    if max(size_by_cluster, default=0) <= 1:
        return share(right, of, level=level)
    number = _effective_number(right_by_cluster, size_by_cluster)
    low, high = _wilson(right / of, number, level)
    return Share(right, of, low, high)


def _effective_number(right_by_cluster: Sequence[int], size_by_cluster: Sequence[int]) -> float:
    """How many independent answers would have the same variance; never more than there are."""
    of = sum(size_by_cluster)
    size = sum(n * n for n in size_by_cluster) / of
    rows = of + 2 * CAUTION * size
    value = (sum(right_by_cluster) + CAUTION * size) / rows
    spread = math.fsum(
        (right - value * n) ** 2 for right, n in zip(right_by_cluster, size_by_cluster, strict=True)
    )
    spread += CAUTION * size**2 * ((1 - value) ** 2 + value**2)
    return min(of, of * rows * value * (1 - value) / spread)


def _wilson(value: float, number: float, level: float) -> tuple[float, float]:
    """Wilson's interval for a number of answers that need not be whole."""
    z = quantile(level)
    centre = value + z * z / (2 * number)
    reach = z * math.sqrt(value * (1 - value) / number + (z / (2 * number)) ** 2)
    scale = 1 + z * z / number
    low = (centre - reach) / scale if value > 0 else 0.0
    high = (centre + reach) / scale if value < 1 else 1.0
    return low, high


@functools.cache
def quantile(level: float) -> float:
    """0.95 -> 1.96"""
    return float(need("scipy.stats").norm.ppf((1 + level) / 2))
