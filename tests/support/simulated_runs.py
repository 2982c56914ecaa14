"""Simulated runs of two models with a known difference in accuracy."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit, roots_hermitenorm

Counts = Any  # an array of integers


@dataclass(frozen=True, slots=True)
class World:
    """Distribution of the results of two models, A and B, on random samples.

    Samples differ in their difficulty for both models (`spread`) and for each model alone
    (`own`); the latter correlates the repeats of a sample. B is better by `shift`. All values are
    logits: `level` 2.5 is about 86% correct.
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
        """Expected accuracy of A."""
        return _mean_logistic(self.level, self.spread**2 + self.own**2)

    @property
    def difference(self) -> float:
        """Expected accuracy of B minus that of A."""
        return _mean_logistic(self.level + self.shift, self.spread**2 + self.own**2) - self.share

    def runs(self, times: int, *, seed: int) -> Iterator[tuple[Counts, Counts]]:
        """Simulate pairs of runs: the number of correct repeats of each sample in A and in B."""
        rng = np.random.default_rng(seed)
        for _ in range(times):
            ease = self.level + self.spread * rng.standard_normal(self.samples)
            own_a, own_b = self.own * rng.standard_normal((2, self.samples))
            yield (
                rng.binomial(self.repeats_a, expit(ease + own_a)),
                rng.binomial(self.repeats_b, expit(ease + self.shift + own_b)),
            )


@cache
def _mean_logistic(mean: float, variance: float) -> float:
    """Mean of the logistic function of a normally distributed variable."""
    points, weights = roots_hermitenorm(80)
    return float(expit(mean + variance**0.5 * points) @ weights / weights.sum())
