"""Intervals hold what they promise: 95% of them have the truth within, counted or simulated."""

import numpy as np
import pytest
from scipy.stats import multinomial

from tests.simulated import World
from worldline.stats import (
    Difference,
    clustered_share,
    mean_difference,
    ratio_of_totals,
    right_difference,
    share,
    sign_flip,
)

# Of 1,200 intervals that cover in 95% of cases, 93 to 97% do: those are 3.2 standard errors.
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
def test_the_difference_of_two_runs_with_one_repeat(samples: int, gain: float, loss: float) -> None:
    coverage, alarms = counted(samples, gain, loss)
    assert LEAST <= coverage <= MOST
    if gain == loss:
        assert 0 < alarms <= 0.05


@pytest.mark.parametrize(("gain", "loss"), [(0.02, 0.02), (0.02, 0.0), (0.001, 0.0)])
def test_where_hardly_anything_changes_it_is_wide_enough(gain: float, loss: float) -> None:
    """As in two runs of one model: a bootstrap's would be a point, and mostly miss."""
    coverage, _ = counted(60, gain, loss)
    assert coverage > 0.95


def counted(samples: int, gain: float, loss: float) -> tuple[float, float]:
    """How often the truth is within, and p below 0.05, over all that can happen to so many
    samples, each as often as it does: no simulation."""
    coverage = alarms = 0.0
    for gained in range(samples + 1):
        for lost in range(samples + 1 - gained):
            same = samples - gained - lost
            chance = multinomial.pmf([gained, lost, same], samples, [gain, loss, 1 - gain - loss])
            if chance > 1e-9:
                found = right_difference([1] * gained + [-1] * lost + [0] * same)
                coverage += float(chance) * has(found, gain - loss)
                alarms += float(chance) * (found.p < 0.05)
    return coverage, alarms


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_the_difference_of_two_runs_simulated(world: World) -> None:
    hits = false_alarms = 0
    for a, b in world.runs(TIMES, seed=world.samples + world.repeats_a):
        found = right_difference((b / world.repeats_b - a / world.repeats_a).tolist())
        hits += has(found, world.difference)
        false_alarms += found.p < 0.05
    assert LEAST <= hits / TIMES <= MOST
    if not world.shift:
        # 5%, and two standard errors of what is simulated; an exact test is below.
        assert false_alarms / TIMES <= 0.0626
        assert false_alarms


def test_an_interval_that_takes_repeats_for_samples_fails_this() -> None:
    world = World(100, 5, 5, own=2.0)
    chance = np.random.default_rng(1)
    hits = {"by sample": 0, "by row": 0}
    for a, b in world.runs(600, seed=5):
        rows_a, rows_b = (
            chance.permuted(np.arange(5) < counts[:, None], axis=1).astype(int) for counts in (a, b)
        )
        by_row = right_difference((rows_b - rows_a).ravel().tolist())
        hits["by row"] += has(by_row, world.difference)
        hits["by sample"] += has(right_difference(((b - a) / 5).tolist()), world.difference)
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
def test_the_share_of_right_answers_with_repeats(world: World) -> None:
    hits = 0
    sizes = [world.repeats_a] * world.samples
    for a, _ in world.runs(TIMES, seed=world.samples):
        found = clustered_share(a.tolist(), sizes)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= world.share <= found.high
    assert LEAST <= hits / TIMES <= MOST


def test_wilson_that_takes_repeats_for_samples_fails_this() -> None:
    world = World(100, 5)
    hits = 0
    for a, _ in world.runs(600, seed=5):
        found = share(int(a.sum()), 500)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= world.share <= found.high
    assert hits / 600 < 0.8


def test_repeats_of_unequal_number() -> None:
    world, times = World(100, 1), 600
    chance = np.random.default_rng(3)
    hits = 0
    for _ in range(times):
        ease = 5**0.5 * chance.standard_normal(world.samples)
        sizes = chance.integers(1, 9, world.samples)
        right = chance.binomial(sizes, 1 / (1 + np.exp(-ease)))
        found = clustered_share(right.tolist(), sizes.tolist())
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= world.share <= found.high
    assert LEAST <= hits / times <= MOST


@pytest.mark.parametrize("samples", [30, 100])
def test_the_difference_of_numbers(samples: int) -> None:
    """Steps that match until two runs leave the truth, which either does on 40%."""
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


def test_the_ratio_of_what_was_written() -> None:
    """B writes 0.6 of A's tokens, give or take a third."""
    chance = np.random.default_rng(4)
    hits = 0
    for _ in range(TIMES):
        a = np.exp(6 + 0.8 * chance.standard_normal(200))
        b = a * 0.6 * np.exp(0.3 * chance.standard_normal(200) - 0.3**2 / 2)
        found = ratio_of_totals(a.tolist(), b.tolist())
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.6 <= found.high
    assert LEAST <= hits / TIMES <= MOST


def test_drawn_patterns_raise_no_more_false_alarms() -> None:
    chance = np.random.default_rng(5)
    rejected = sum(
        sign_flip(chance.standard_t(4, 25).tolist(), seed=seed) < 0.05 for seed in range(200)
    )
    assert 0.02 < rejected / 200 <= 0.08


def has(found: Difference, truth: float) -> bool:
    assert found.low is not None
    assert found.high is not None
    return found.low <= truth <= found.high
