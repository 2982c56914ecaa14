"""Draws from a multinomial distribution, for bootstrap intervals."""

from collections.abc import Sequence

from worldline.analysis.stats.lazy_imports import lazy_import


def multinomial_draws(
    shares: Sequence[float], number: int, *, repeats: int, seed: int
) -> list[list[float]]:
    """Draw a number of outcomes with these shares, repeatedly: the shares in each repeat."""
    numpy = lazy_import("numpy")
    probabilities = numpy.array(shares) / sum(shares)
    draws = numpy.random.default_rng(seed).multinomial(number, probabilities, size=repeats)
    rows: list[list[float]] = (draws / number).tolist()
    return rows
