"""Isotonic regression: the best increasing function of a score, by pooling adjacent violators."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import groupby


def fit_isotonic(
    scores: Sequence[float], outcomes: Sequence[bool]
) -> tuple[tuple[float, float], ...]:
    """Fit the increasing step function of the score that is nearest to the outcomes.

    [1, 2, 3, 4], [0, 1, 0, 1] -> ((1, 0.0), (2, 0.5), (4, 1.0))

    Args:
        scores: A score for each outcome; equal scores have equal values.
        outcomes: Whether each outcome is correct.

    Returns:
        The steps: the lowest score of each, and its value.
    """
    blocks: list[tuple[float, float, int]] = []
    pairs = sorted(zip(scores, outcomes, strict=True))
    for score, group in groupby(pairs, key=lambda pair: pair[0]):
        values = [outcome for _, outcome in group]
        start, total, count = score, float(sum(values)), len(values)
        while blocks and blocks[-1][1] / blocks[-1][2] >= total / count:
            start, before, others = blocks.pop()
            total, count = total + before, count + others
        blocks.append((start, total, count))
    return tuple((start, total / count) for start, total, count in blocks)


def isotonic_value(steps: Sequence[tuple[float, float]], score: float) -> float:
    """Evaluate a fitted step function; below its first step it has that step's value.

    ((1, 0.0), (2, 0.5), (4, 1.0)), 3 -> 0.5
    """
    number = bisect_right([start for start, _ in steps], score) - 1
    return steps[max(0, number)][1]
