"""Paired differences go in; how often chance alone would give as large a sum comes out."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from worldline.stats.need import need

# Sums × distinct sizes up to which all sign patterns are counted; less than a second.
_COUNTED = 10_000_000
_DRAWS = 9_999


def mcnemar(gained: int, lost: int) -> float:
    """McNemar's exact p, two-sided: of those that changed, each was as likely to be either.

    8, 2 -> 0.109
    """
    changed = gained + lost
    return float(need("scipy.stats").binomtest(gained, changed).pvalue) if changed else 1.0


def sign_flip(differences: Sequence[float], *, seed: int = 0) -> float:
    """The two-sided p of a sum of paired differences, were the sign of each a coin's.

    With differences of one size, as one repeat a sample gives, this is McNemar's exact p. All sign
    patterns are counted where the differences are multiples of a common unit and their sums not
    too many; else 9,999 are drawn, and the observed one is counted with them.

    [0.5, 0.5, 1.0, 0.0] -> 0.25: of the 8 patterns 2 reach a sum of 2
    """
    # Rounded, so that 2/3 - 1/3 is 1/3.
    changed = [round(d, 9) for d in differences if abs(d) > 1e-9]
    sizes = Counter(map(abs, changed))
    if len(sizes) <= 1:
        gained = sum(d > 0 for d in changed)
        return mcnemar(gained, len(changed) - gained)
    unit = _common_unit(list(sizes))
    if unit is not None:
        whole = Counter({round(size / unit): count for size, count in sizes.items()})
        if len(whole) * sum(size * count for size, count in whole.items()) <= _COUNTED:
            return _counted(whole, abs(sum(round(d / unit) for d in changed)))
    return _drawn(sizes, abs(math.fsum(changed)), seed)


def _common_unit(sizes: Sequence[float]) -> Fraction | None:
    """The largest number that all are multiples of.

    [0.5, 0.25, 0.75] -> 1/4
    """
    exact = [Fraction(size).limit_denominator(1000) for size in sizes]
    if any(abs(float(e) - size) > 1e-8 for e, size in zip(exact, sizes, strict=True)):
        return None
    below = math.lcm(*(e.denominator for e in exact))
    return Fraction(math.gcd(*(int(e * below) for e in exact)), below)


def _counted(sizes: Counter[int], reached: int) -> float:
    """The share of sign patterns whose sum is at least as far from 0.

    The distribution of the sum is had from its characteristic function, a product of cosines.
    """
    if not reached:
        return 1.0
    numpy = need("numpy")
    most = sum(size * count for size, count in sizes.items())
    points = need("scipy.fft").next_fast_len(2 * most + 1, real=True)
    angles = numpy.arange(points // 2 + 1) * (2 * math.pi / points)
    wave = numpy.ones_like(angles)
    for size, count in sizes.items():
        wave *= numpy.cos(size * angles) ** count
    chances = need("scipy.fft").irfft(wave, points)
    rarest = 2.0 ** (1 - sizes.total())
    return min(1.0, max(rarest, 2 * float(chances[reached : most + 1].sum())))


def _drawn(sizes: Counter[float], reached: float, seed: int) -> float:
    """The same from random patterns, with the observed one among them, so that it is never 0."""
    numpy = need("numpy")
    chance = numpy.random.default_rng(seed)
    sums = numpy.zeros(_DRAWS)
    # In an order of their own: the same differences give the same p in any order.
    for size, count in sorted(sizes.items()):
        sums += size * (2 * chance.binomial(count, 0.5, _DRAWS) - count)
    return float(1 + (abs(sums) >= reached * (1 - 1e-9)).sum()) / (_DRAWS + 1)
