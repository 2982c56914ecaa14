"""Paired significance tests: McNemar's, the sign-flip test, and the adjustment of p-values."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from worldline.analysis.stats.lazy_imports import lazy_import

# Possible sums × distinct sizes up to which the p-value is exact; this takes less than a second.
_MAX_EXACT_SIZE = 10_000_000
_DRAWS = 9_999


def mcnemar(gained: int, lost: int) -> float:
    """Compute McNemar's exact two-sided p-value, if gains and losses were equally likely.

    8, 2 -> 0.109

    Args:
        gained: Samples that became correct.
        lost: Samples that became incorrect.
    """
    if gained == lost:
        return 1.0
    # The distribution is symmetric: twice the smaller tail. `binomtest` takes ten times as long.
    tail = lazy_import("scipy.special").bdtr(min(gained, lost), gained + lost, 0.5)
    return min(1.0, 2 * float(tail))


def sign_flip(differences: Sequence[float], *, seed: int = 0) -> float:
    """Compute the two-sided p-value of a sum of paired differences with random signs.

    If all differences have the same size, as with one repeat per sample, it is McNemar's exact
    p-value. It is exact if the differences are multiples of a common unit and do not have too many
    possible sums; else it is estimated from 9,999 random sign patterns.

    [0.5, 0.5, 1.0, 0.0] -> 0.25: 2 of the 8 sign patterns reach a sum of 2

    Args:
        differences: One difference per sample.
        seed: The seed of the random sign patterns.
    """
    # Rounded so that 2/3 - 1/3 equals 1/3.
    changed = [round(d, 9) for d in differences if abs(d) > 1e-9]
    sizes = Counter(map(abs, changed))
    if len(sizes) <= 1:
        gained = sum(d > 0 for d in changed)
        return mcnemar(gained, len(changed) - gained)
    unit = _common_unit(list(sizes))
    if unit is not None:
        multiples = Counter({round(size / unit): count for size, count in sizes.items()})
        if (
            len(multiples) * sum(size * count for size, count in multiples.items())
            <= _MAX_EXACT_SIZE
        ):
            return _exact_p_value(multiples, abs(sum(round(d / unit) for d in changed)))
    return _monte_carlo_p_value(sizes, abs(math.fsum(changed)), seed)


def _common_unit(sizes: Sequence[float]) -> Fraction | None:
    """The largest number of which all sizes are multiples; None if there is none.

    [0.5, 0.25, 0.75] -> 1/4
    """
    exact = [Fraction(size).limit_denominator(1000) for size in sizes]
    if any(abs(float(e) - size) > 1e-8 for e, size in zip(exact, sizes, strict=True)):
        return None
    below = math.lcm(*(e.denominator for e in exact))
    return Fraction(math.gcd(*(int(e * below) for e in exact)), below)


def _exact_p_value(sizes: Counter[int], observed: int) -> float:
    """The share of all sign patterns whose sum is at least as far from 0 as the observed one.

    The distribution of the sum is the inverse transform of its characteristic function, a product
    of cosines.
    """
    if not observed:
        return 1.0
    numpy = lazy_import("numpy")
    largest_sum = sum(size * count for size, count in sizes.items())
    points = lazy_import("scipy.fft").next_fast_len(2 * largest_sum + 1, real=True)
    angles = numpy.arange(points // 2 + 1) * (2 * math.pi / points)
    characteristic = numpy.ones_like(angles)
    for size, count in sizes.items():
        characteristic *= numpy.cos(size * angles) ** count
    probabilities = lazy_import("scipy.fft").irfft(characteristic, points)
    smallest = 2.0 ** (1 - sizes.total())
    return min(1.0, max(smallest, 2 * float(probabilities[observed : largest_sum + 1].sum())))


def _monte_carlo_p_value(sizes: Counter[float], observed: float, seed: int) -> float:
    """Estimate the p-value from random sign patterns and the observed one; it is never 0."""
    numpy = lazy_import("numpy")
    generator = numpy.random.default_rng(seed)
    sums = numpy.zeros(_DRAWS)
    # Sorted, so that the p-value does not depend on the order of the differences.
    for size, count in sorted(sizes.items()):
        sums += size * (2 * generator.binomial(count, 0.5, _DRAWS) - count)
    return float(1 + (abs(sums) >= observed * (1 - 1e-9)).sum()) / (_DRAWS + 1)


def adjust_p_values(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple tests: the false discovery rate of Benjamini and Hochberg.

    [0.01, 0.02, 0.9] -> [0.03, 0.03, 0.9]
    """
    if not p_values:
        return []
    return [float(p) for p in lazy_import("scipy.stats").false_discovery_control(p_values)]
