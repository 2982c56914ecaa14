"""Differences of paired samples go in; the interval that drawing them again gives comes out."""

from collections import Counter
from collections.abc import Sequence

from worldline.stats.need import need

_DRAWS = 9_999


def bootstrap_interval(
    differences: Sequence[float], *, level: float = 0.95, seed: int = 0
) -> tuple[float, float] | None:
    """Where the mean of so many samples, drawn anew from these, falls (percentiles).

    It is here to be set beside the score interval of `right_difference`: with few samples it is
    too narrow, and where nothing differs a point. None of fewer than two samples.

    [1] * 6 + [0] * 90 + [-1] * 4 -> about (-0.04, 0.08)
    """
    if len(differences) < 2:
        return None
    numpy = need("numpy")
    counts = Counter(differences)
    values = numpy.array(list(counts))
    # Drawing how often each value comes is the same as drawing the samples, and takes no room.
    shares = numpy.array(list(counts.values())) / len(differences)
    drawn = numpy.random.default_rng(seed).multinomial(len(differences), shares, size=_DRAWS)
    low, high = numpy.quantile(
        drawn @ values / len(differences), [(1 - level) / 2, (1 + level) / 2]
    )
    return float(low), float(high)
