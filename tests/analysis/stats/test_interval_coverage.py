"""Coverage of the intervals: 95% contain the actual value, exactly or by simulation."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import multinomial

from tests.support.simulated_runs import World
from worldline.analysis.stats import (
    Difference,
    accuracy_difference,
    clustered_share,
    mean_difference,
    ratio_of_totals,
    share,
    sign_flip,
)

# Of 1,200 intervals with 95% coverage, 93 to 97% cover: that is 3.2 standard errors.
TIMES = 1200
LEAST, MOST = 0.93, 0.97

WORLDS = [
    World(300, level=2.5),
    World(1000, shift=0.3, level=2.5),
    World(30, 4, 4),
    World(30, 4, 4, shift=1.0),
    World(30, 10, 3, level=2.5),
    World(100, 4, 4, shift=0.5),
    World(100, 6, 3, shift=3.0),
    World(300, 5, 5),
    World(300, 5, 5, shift=0.3, level=2.5),
]


@pytest.mark.parametrize(
    ("samples", "gain", "loss"),
    [
        *((30, 0.05, 0.05), (30, 0.2, 0.2), (30, 0.15, 0.05), (30, 0.4, 0.05), (30, 0.6, 0.1)),
        *((60, 0.05, 0.05), (60, 0.1, 0.1), (60, 0.1, 0.02), (60, 0.5, 0.1)),
    ],
)
def test_difference_of_two_runs_with_one_repeat(samples: int, gain: float, loss: float) -> None:
    coverage, alarms = counted(samples, gain, loss)
    assert LEAST <= coverage <= MOST
    if gain == loss:
        assert 0 < alarms <= 0.05


@pytest.mark.parametrize(("gain", "loss"), [(0.02, 0.02), (0.02, 0.0), (0.001, 0.0)])
def test_the_interval_is_wide_enough_if_hardly_anything_changes(gain: float, loss: float) -> None:
    """As for two runs of one model: a bootstrap interval would be a point, and mostly miss."""
    coverage, _ = counted(60, gain, loss)
    assert coverage > 0.95


def counted(samples: int, gain: float, loss: float) -> tuple[float, float]:
    """The exact coverage and false positive rate, over all possible outcomes."""
    outcomes = [
        (gained, lost, samples - gained - lost)
        for gained in range(samples + 1)
        for lost in range(samples + 1 - gained)
    ]
    chances = multinomial.pmf(outcomes, samples, [gain, loss, 1 - gain - loss])
    coverage = alarms = 0.0
    for outcome, chance in zip(outcomes, chances.tolist(), strict=True):
        if chance > 1e-9:
            result = difference_of(*outcome)
            coverage += chance * has(result, gain - loss)
            alarms += chance * (result.p < 0.05)
    return coverage, alarms


@cache
def difference_of(gained: int, lost: int, same: int) -> Difference:
    """The interval of an outcome, which several tests weight with its chance."""
    return accuracy_difference([1] * gained + [-1] * lost + [0] * same)


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_difference_of_two_simulated_runs(world: World) -> None:
    hits = false_alarms = 0
    for a, b in world.runs(TIMES, seed=world.samples + world.repeats_a):
        result = accuracy_difference((b / world.repeats_b - a / world.repeats_a).tolist())
        hits += has(result, world.difference)
        false_alarms += result.p < 0.05
    assert LEAST <= hits / TIMES <= MOST
    if not world.shift:
        # 5%, plus two standard errors of the simulation; an exact test is below that.
        assert false_alarms / TIMES <= 0.0626
        assert false_alarms


def test_an_interval_that_counts_repeats_as_samples_has_too_low_coverage() -> None:
    world = World(100, 5, 5, own=2.0)
    chance = np.random.default_rng(1)
    hits = {"by sample": 0, "by row": 0}
    for a, b in world.runs(600, seed=5):
        rows_a, rows_b = (
            chance.permuted(np.arange(5) < counts[:, None], axis=1).astype(int) for counts in (a, b)
        )
        by_row = accuracy_difference((rows_b - rows_a).ravel().tolist())
        hits["by row"] += has(by_row, world.difference)
        hits["by sample"] += has(accuracy_difference(((b - a) / 5).tolist()), world.difference)
    assert LEAST <= hits["by sample"] / 600 <= MOST
    assert hits["by row"] / 600 < 0.9


@pytest.mark.parametrize(
    "world",
    [
        World(30),
        World(30, 4),
        World(100, 10, level=2.5),
        World(400, 4, level=2.5),
        World(400, 10, level=-2.5, own=0.0, spread=1.0),
    ],
    ids=str,
)
def test_share_of_correct_answers_with_repeats(world: World) -> None:
    hits = 0
    sizes = [world.repeats_a] * world.samples
    for a, _ in world.runs(TIMES, seed=world.samples):
        result = clustered_share(a.tolist(), sizes)
        assert result.low is not None
        assert result.high is not None
        hits += result.low <= world.share <= result.high
    assert LEAST <= hits / TIMES <= MOST


def test_wilson_over_repeats_has_too_low_coverage() -> None:
    world = World(100, 5)
    hits = 0
    for a, _ in world.runs(600, seed=5):
        result = share(int(a.sum()), 500)
        assert result.low is not None
        assert result.high is not None
        hits += result.low <= world.share <= result.high
    assert hits / 600 < 0.8


def test_unequal_numbers_of_repeats() -> None:
    world, times = World(100, 1), 600
    chance = np.random.default_rng(3)
    hits = 0
    for _ in range(times):
        ease = 5**0.5 * chance.standard_normal(world.samples)
        sizes = chance.integers(1, 9, world.samples)
        correct = chance.binomial(sizes, 1 / (1 + np.exp(-ease)))
        result = clustered_share(correct.tolist(), sizes.tolist())
        assert result.low is not None
        assert result.high is not None
        hits += result.low <= world.share <= result.high
    assert LEAST <= hits / times <= MOST


@pytest.mark.parametrize("samples", [30, 100])
def test_difference_of_numbers(samples: int) -> None:
    """Matched steps of two runs, each of which diverges on 40% of the samples."""
    chance = np.random.default_rng(samples)
    hits = 0
    for _ in range(TIMES):
        length = np.exp(3 + 0.7 * chance.standard_normal(samples))
        a, b = (
            np.floor(length * np.where(chance.random(samples) < 0.6, 1, chance.random(samples)))
            for _ in range(2)
        )
        hits += has(mean_difference((b - a).tolist()), 0.0)
    assert LEAST <= hits / TIMES <= MOST


def test_ratio_of_token_totals() -> None:
    """B generates 0.6 times the tokens of A, plus or minus a third."""
    chance = np.random.default_rng(4)
    hits = 0
    for _ in range(TIMES):
        a = np.exp(6 + 0.8 * chance.standard_normal(200))
        b = a * 0.6 * np.exp(0.3 * chance.standard_normal(200) - 0.3**2 / 2)
        result = ratio_of_totals(a.tolist(), b.tolist())
        assert result.low is not None
        assert result.high is not None
        hits += result.low <= 0.6 <= result.high
    assert LEAST <= hits / TIMES <= MOST


def test_random_sign_patterns_keep_the_false_positive_rate() -> None:
    chance = np.random.default_rng(5)
    rejected = sum(
        sign_flip(chance.standard_t(4, 25).tolist(), seed=seed) < 0.05 for seed in range(200)
    )
    assert 0.02 < rejected / 200 <= 0.08


def has(result: Difference, actual: float) -> bool:
    assert result.low is not None
    assert result.high is not None
    return result.low <= actual <= result.high
