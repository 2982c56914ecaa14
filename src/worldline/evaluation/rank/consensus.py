"""Consensus of candidates: groups that behave alike, by their size and the tests that they pass.

CodeT (arXiv 2207.10397) calls it dual execution agreement: candidates that pass the same tests are
one group, and a group's score is its number of candidates times the number of tests it passes.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

Score = Literal[
    "product",  # candidates × tests, as in CodeT's paper
    "sqrt",  # √candidates × tests, as in CodeT's published code
    "tests",  # tests alone
    "candidates",  # candidates alone
]


@dataclass(frozen=True, slots=True)
class CandidateGroup:
    """Candidates that behave alike.

    Attributes:
        candidates: Their positions in the problem.
        passed: The number of tests that they pass, or of inputs for which they have a value.
        score: The score of the group; groups with the same score have the same rank.
    """

    candidates: tuple[int, ...]
    passed: int
    score: float


def rank_by_tests(
    passed: Sequence[Sequence[bool]], weights: Sequence[int], *, score: Score = "product"
) -> tuple[CandidateGroup, ...]:
    """Group candidates that pass the same tests, and order the groups by score.

    [[True, True], [True, True], [True, False]], [1, 1] -> the first two with the score 4, then
    the third with the score 1

    Args:
        passed: For each candidate, whether it passes each test.
        weights: How often each test occurs.
        score: How a group's score is computed.
    """
    behaviours = [tuple(row) for row in passed]
    counts = [
        sum(w for w, is_passed in zip(weights, row, strict=True) if is_passed) for row in behaviours
    ]
    return _rank(behaviours, counts, score)


def rank_by_outputs(
    outputs: Sequence[Sequence[str | None]], *, score: Score = "product"
) -> tuple[CandidateGroup, ...]:
    """Group candidates that have the same outputs, and order the groups by score.

    Without tests, an input for which a candidate has a value takes the place of a test that it
    passes.

    [["1", "2"], ["1", "2"], ["1", None]] -> the first two with the score 4, then the third with 1

    Args:
        outputs: For each candidate, its output for each input; None without a value. Candidates
            without a value for the same input are the same for it.
        score: How a group's score is computed.
    """
    behaviours = [tuple(row) for row in outputs]
    counts = [sum(output is not None for output in row) for row in behaviours]
    return _rank(behaviours, counts, score)


def _rank(
    behaviours: Sequence[Hashable], counts: Sequence[int], score: Score
) -> tuple[CandidateGroup, ...]:
    members: dict[Hashable, list[int]] = defaultdict(list)
    for position, behaviour in enumerate(behaviours):
        members[behaviour].append(position)
    groups = [
        CandidateGroup(tuple(group), counts[group[0]], _score(len(group), counts[group[0]], score))
        for group in members.values()
    ]
    return tuple(sorted(groups, key=lambda group: (-group.score, group.candidates)))


def _score(candidates: int, passed: int, score: Score) -> float:
    if not passed:
        return 0.0
    match score:
        case "product":
            return float(candidates * passed)
        case "sqrt":
            return math.sqrt(candidates) * passed
        case "tests":
            return float(passed)
        case "candidates":
            return float(candidates)
