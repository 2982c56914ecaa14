"""Coverage of the interval in a comparison of two runs, by simulation of their verdicts."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from tests.support.scored_samples import make_scored_sample
from tests.support.simulated_runs import Counts, World
from worldline.evaluation.metrics import compare_runs
from worldline.evaluation.runs.scored_sample import ScoredSample, Verdict

Runs = tuple[list[ScoredSample], list[ScoredSample]]

# Samples are easy or hard for both models.
ONCE = World(80, shift=1.0, spread=4.0, own=0.5)
# Each model knows some samples, so that repeats of one sample are similar.
REPEATED = World(60, 4, 6, shift=1.0, own=4.0)
NOT_RIGHT: tuple[Verdict, ...] = ("incorrect", "truncated", "no_answer")


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bootstrap interval is not tested here, and would take most of the time."""
    monkeypatch.setattr("worldline.analysis.stats.intervals._BOOTSTRAP_DRAWS", 99)


def simulated(world: World, times: int) -> Iterator[Runs]:
    """Simulate two runs, several times.

    B has more infrastructure errors, and each run has samples of its own, on which A is always
    correct and B never: none of this may count.
    """
    chance = Random(world.samples)

    def rows(
        right: Counts, repeats: int, *, failing: float, alone: ScoredSample
    ) -> list[ScoredSample]:
        result = [alone]
        for n, count in enumerate(right):
            order = chance.sample(range(repeats), repeats)
            for repeat, place in enumerate(order):
                verdict = "correct" if place < count else chance.choice(NOT_RIGHT)
                result.append(make_scored_sample(f"s{n}", verdict, repeat=repeat))
            if chance.random() < failing:
                result.append(make_scored_sample(f"s{n}", "infra_error", repeat=repeats))
        return result

    for a, b in world.runs(times, seed=world.samples):
        yield (
            rows(a, world.repeats_a, failing=0.1, alone=make_scored_sample("a", "correct")),
            rows(b, world.repeats_b, failing=0.5, alone=make_scored_sample("b", "incorrect")),
        )


def coverage(
    world: World,
    times: int,
    change: Callable[[list[ScoredSample], list[ScoredSample]], Runs] | None = None,
) -> float:
    """How often the interval contains the actual difference."""
    hits = 0
    for runs in simulated(world, times):
        overall = compare_runs(*(change(*runs) if change else runs)).overall
        assert overall.difference.low is not None
        assert overall.difference.high is not None
        hits += overall.difference.low <= world.difference <= overall.difference.high
    return hits / times


@pytest.mark.parametrize("world", [ONCE, REPEATED], ids=["once", "repeated"])
def test_95_percent_of_intervals_cover_the_actual_difference(world: World) -> None:
    # Of 400 intervals that cover in 95% of cases: within 2.7 standard errors.
    assert 0.92 <= coverage(world, 400) <= 0.98


def unpaired(a: list[ScoredSample], b: list[ScoredSample]) -> Runs:
    """Shuffle the names of B's samples, so that the pairs have nothing in common."""
    names = sorted({row.sample for row in b} - {"b"})
    others = dict(zip(names, Random(1).sample(names, len(names)), strict=True))
    return a, [replace(row, sample=others.get(row.sample, row.sample)) for row in b]


def unclustered(a: list[ScoredSample], b: list[ScoredSample]) -> Runs:
    """Name each repeat differently, as if it were a sample."""
    first, second = (
        [replace(row, sample=f"{row.sample}#{row.repeat}") for row in rows] for rows in (a, b)
    )
    return first, second


def test_an_interval_that_ignores_clusters_has_too_low_coverage() -> None:
    assert coverage(ONCE, 100, unpaired) > 0.98
    assert coverage(REPEATED, 100, unclustered) < 0.88
