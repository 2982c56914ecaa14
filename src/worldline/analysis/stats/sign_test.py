"""Median change of a skewed number between two runs, with an interval that agrees with its test."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from worldline.analysis.stats.lazy_imports import lazy_import
from worldline.core.util.text import pluralize


@dataclass(frozen=True, slots=True)
class MedianChange:
    """The median of the differences that are not 0.

    `p` is that of the exact sign test. The interval consists of the values that this test does not
    reject as the median, so it contains 0 exactly if `p` is above 1 − level. `value` is None if
    nothing differs; `low` and `high` are None if too few samples differ.
    """

    of: int
    value: float | None
    low: float | None
    high: float | None
    p: float

    def __repr__(self) -> str:
        value = "none" if self.value is None else f"{self.value:.4g}"
        interval = "" if self.low is None else f" [{self.low:.4g}, {self.high:.4g}]"
        return f"MedianChange({value}{interval}, p = {self.p:.3g}, {pluralize(self.of, 'change')})"


def median_change(differences: Sequence[float], *, level: float = 0.95) -> MedianChange:
    """Compute the median of the differences that are not 0, with the interval of the sign test.

    [0, 0, 3, 5, 4, 4, 8, 2, 9000] -> 4, from 2 to 9000, p = 0.016
    """
    changes = sorted(difference for difference in differences if difference)
    of = len(changes)
    if not of:
        return MedianChange(0, None, None, None, 1.0)
    binom = lazy_import("scipy.stats").binom
    larger = sum(change > 0 for change in changes)
    p = min(1.0, 2 * float(binom.cdf(min(larger, of - larger), of, 0.5)))
    value = float(median(changes))
    # The rank of both ends of the interval, each counted from its side.
    rank = int(binom.ppf((1 - level) / 2, of, 0.5))
    if rank == 0:
        return MedianChange(of, value, None, None, p)
    return MedianChange(of, value, float(changes[rank - 1]), float(changes[of - rank]), p)
