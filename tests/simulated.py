"""Made-up runs with a known difference: samples of their own difficulty, asked in repeats."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit, roots_hermitenorm

Counts = Any  # an array of whole numbers


@dataclass(frozen=True, slots=True)
class World:
    """How two models do on samples drawn at random.

    A sample is easy or hard for both (`spread`), and besides for each on its own (`own`), which
    is what makes repeats of it alike in their difference; B is better by `shift`. All are on the
    scale of the logit: `level` 2.5 is about 86% right.
    """

    samples: int
    repeats_a: int = 1
    repeats_b: int = 1
    shift: float = 0.0
    level: float = 0.0
    spread: float = 2.0
    own: float = 1.0

    @property
    def share(self) -> float:
        """How often A is right, over all samples there could be."""
        return _mean_logistic(self.level, self.spread**2 + self.own**2)

    @property
    def difference(self) -> float:
        """How much more often B is right, over all samples there could be."""
        return _mean_logistic(self.level + self.shift, self.spread**2 + self.own**2) - self.share

    def runs(self, times: int, *, seed: int) -> Iterator[tuple[Counts, Counts]]:
        """How often each sample is right in A and in B, so many times over."""
        chance = np.random.default_rng(seed)
        for _ in range(times):
            ease = self.level + self.spread * chance.standard_normal(self.samples)
            own_a, own_b = self.own * chance.standard_normal((2, self.samples))
            yield (
                chance.binomial(self.repeats_a, expit(ease + own_a)),
                chance.binomial(self.repeats_b, expit(ease + self.shift + own_b)),
            )


@cache
def _mean_logistic(mean: float, variance: float) -> float:
    """The mean of the logistic function of a normal number."""
    points, weights = roots_hermitenorm(80)
    return float(expit(mean + variance**0.5 * points) @ weights / weights.sum())
