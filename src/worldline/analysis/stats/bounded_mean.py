"""Mean of numbers from 0 to 1, with its interval."""

from collections.abc import Sequence

from worldline.analysis.stats.intervals import share
from worldline.analysis.stats.paired_differences import mean_difference
from worldline.analysis.stats.selective_risk import Estimate


def mean_estimate(values: Sequence[float], *, level: float = 0.95) -> Estimate:
    """Compute the mean of numbers from 0 to 1, with Student's interval within these bounds.

    If all numbers are the same, it is Wilson's interval for as many yes/no answers.

    [0.0, 1.0, 0.5, 0.5] -> 0.5, from 0 to 1; [1.0] * 20 -> 1.0, from 0.839 to 1

    Args:
        values: At least one number. They are independent: repeats of one sample are averaged first.
        level: The confidence level.
    """
    mean = mean_difference(values, level=level)
    low, high = mean.low, mean.high
    if low is None or high is None:
        wilson = share(round((mean.value or 0.0) * len(values)), len(values), level=level)
        low, high = wilson.low, wilson.high
    return Estimate(
        mean.value or 0.0, max(0.0, low or 0.0), min(1.0, 1.0 if high is None else high)
    )
