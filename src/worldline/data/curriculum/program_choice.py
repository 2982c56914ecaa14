"""Selection of programs: at the edge of what a model can do, or at random."""

import heapq
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from worldline.core.util.seeded_random import SeededRandom
from worldline.data.curriculum.operation_skill import OperationSkill
from worldline.data.curriculum.pool_programs import PoolProgram

# A program that the model is expected to predict at least this often is known, and one that it
# hardly ever would is too hard.
KNOWN, TOO_HARD = 0.9, 0.02
# How programs are chosen: by the operations that the model predicts wrong, by its log-probabilities
# of their traces, or at random, to compare with.
Selection = Literal["curriculum", "likelihood", "random"]
SELECTIONS: tuple[Selection, ...] = get_args(Selection)
Reason = Literal["edge", "known", "nearest", "random"]


@dataclass(frozen=True, slots=True)
class ChosenProgram:
    """A chosen program.

    Attributes:
        program: The program.
        reason: "edge": the model sometimes fails on it; "known": against forgetting; "nearest":
            nearest to the edge, which has too few programs; "random": chosen at random.
        expected: The probability that the model predicts it right.
    """

    program: PoolProgram
    reason: Reason
    expected: float


def choose_programs(
    pool: Sequence[PoolProgram],
    skill: OperationSkill,
    *,
    count: int,
    known: float = 0.2,
    seed: int = 0,
) -> list[ChosenProgram]:
    """Choose programs from a pool by how uncertain and how new they are.

    A program is worth more if the model is expected to be right in half of the cases, if it
    executes operations that the model often predicts wrong, and if few of the programs chosen so
    far execute them. If too few programs are at the edge, as with a model that can do hardly
    anything, those nearest to it follow.

    Args:
        pool: The programs to choose from.
        skill: What the model can do.
        count: Number of programs; fewer if the pool does not have them.
        known: The share of programs that the model already predicts right, chosen at random.
        seed: Seed of the random choice.

    Returns:
        The programs, in the order of the pool.
    """
    expected = [program.expected(skill) for program in pool]
    known_numbers = [number for number, value in enumerate(expected) if value >= KNOWN]
    kept = SeededRandom("curriculum", seed).shuffled(known_numbers)[: round(known * count)]
    edge = _choose_edge(pool, expected, skill, count - len(kept))
    reasons: dict[int, Reason] = {**dict.fromkeys(kept, "known"), **dict.fromkeys(edge, "edge")}
    others = [number for number in range(len(pool)) if number not in reasons]
    others.sort(key=lambda number: (abs(expected[number] - 0.5), number))
    reasons.update(dict.fromkeys(others[: count - len(reasons)], "nearest"))
    return [
        ChosenProgram(pool[number], reasons[number], expected[number]) for number in sorted(reasons)
    ]


def choose_at_random(
    pool: Sequence[PoolProgram], skill: OperationSkill, *, count: int, seed: int = 0
) -> list[ChosenProgram]:
    """Choose programs from a pool at random, to compare with `choose_programs`.

    Args:
        pool: The programs to choose from.
        skill: What the model can do, which describes the choice and does not change it.
        count: Number of programs; fewer if the pool does not have them.
        seed: Seed of the random choice.

    Returns:
        The programs, in the order of the pool.
    """
    numbers = SeededRandom("random choice", seed).shuffled(range(len(pool)))[:count]
    return [
        ChosenProgram(pool[number], "random", pool[number].expected(skill))
        for number in sorted(numbers)
    ]


def _choose_edge(
    pool: Sequence[PoolProgram], expected: Sequence[float], skill: OperationSkill, count: int
) -> list[int]:
    """The numbers of the programs with the largest gain, each after those before it."""
    uses: Counter[str] = Counter()

    def gain(number: int) -> float:
        uncertainty = 4 * expected[number] * (1 - expected[number])
        # Operations that were chosen often add less and less.
        need = sum(
            (1 - skill.accuracy(name)) / math.sqrt(1 + uses[name])
            for name in pool[number].operations
        )
        return uncertainty * need

    heap = [
        (-gain(number), number)
        for number, value in enumerate(expected)
        if TOO_HARD <= value < KNOWN and pool[number].operations
    ]
    heapq.heapify(heap)
    chosen: list[int] = []
    while heap and len(chosen) < count:
        _, number = heapq.heappop(heap)
        now = -gain(number)
        # Gains only shrink: one that is still the largest is the largest of all.
        if heap and now > heap[0][0]:
            heapq.heappush(heap, (now, number))
            continue
        chosen.append(number)
        uses.update(pool[number].operations.keys())
    return chosen
