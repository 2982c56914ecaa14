"""The interval that a comparison of two runs reports holds what it promises: simulated, from the
verdicts of their rows on."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from tests.judged import judged
from tests.simulated import Counts, World
from worldline.measures import compare_runs
from worldline.runs.judged import Judged, Verdict

Runs = tuple[list[Judged], list[Judged]]

# Samples that are easy or hard for both models, as programs are.
ONCE = World(80, shift=1.0, spread=4.0, own=0.5)
# Each model knows some samples and not others, so that repeats of one are much alike.
REPEATED = World(60, 4, 6, shift=1.0, own=4.0)
NOT_RIGHT: tuple[Verdict, ...] = ("wrong", "cut", "no_answer")


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bootstrap beside the interval is not looked at here, and takes most of the time."""
    monkeypatch.setattr("worldline.stats.bootstrap._DRAWS", 99)


def simulated(world: World, times: int) -> Iterator[Runs]:
    """Two runs of that world, so many times over.

    The infrastructure fails more often in B; and each has samples that the other does not have, on
    which A is always right and B never: none of this may count.
    """
    chance = Random(world.samples)

    def rows(right: Counts, repeats: int, *, failing: float, alone: Judged) -> list[Judged]:
        found = [alone]
        for n, count in enumerate(right):
            order = chance.sample(range(repeats), repeats)
            for repeat, place in enumerate(order):
                verdict = "right" if place < count else chance.choice(NOT_RIGHT)
                found.append(judged(f"s{n}", verdict, repeat=repeat))
            if chance.random() < failing:
                found.append(judged(f"s{n}", "failed", repeat=repeats))
        return found

    for a, b in world.runs(times, seed=world.samples):
        yield (
            rows(a, world.repeats_a, failing=0.1, alone=judged("a", "right")),
            rows(b, world.repeats_b, failing=0.5, alone=judged("b", "wrong")),
        )


def coverage(
    world: World, times: int, change: Callable[[list[Judged], list[Judged]], Runs] | None = None
) -> float:
    """How often the true difference is within the interval."""
    hits = 0
    for runs in simulated(world, times):
        overall = compare_runs(*(change(*runs) if change else runs)).overall
        assert overall.difference.low is not None
        assert overall.difference.high is not None
        hits += overall.difference.low <= world.difference <= overall.difference.high
    return hits / times


@pytest.mark.parametrize("world", [ONCE, REPEATED], ids=["once", "repeated"])
def test_the_truth_is_within_95_of_100_intervals(world: World) -> None:
    # Of 400 intervals that cover in 95% of cases: within 2.7 standard errors.
    assert 0.92 <= coverage(world, 400) <= 0.98


def unpaired(a: list[Judged], b: list[Judged]) -> Runs:
    """B's samples under each other's names: as if those of two runs had nothing in common."""
    names = sorted({row.sample for row in b} - {"b"})
    others = dict(zip(names, Random(1).sample(names, len(names)), strict=True))
    return a, [replace(row, sample=others.get(row.sample, row.sample)) for row in b]


def unclustered(a: list[Judged], b: list[Judged]) -> Runs:
    """Each repeat under a name of its own: as if it were another sample."""
    first, second = (
        [replace(row, sample=f"{row.sample}#{row.repeat}") for row in rows] for rows in (a, b)
    )
    return first, second


def test_an_interval_that_forgets_what_belongs_together_fails_this() -> None:
    assert coverage(ONCE, 100, unpaired) > 0.98
    assert coverage(REPEATED, 100, unclustered) < 0.88
