"""Lengths in tokens go in, counted; their distribution comes out."""

import bisect
from collections.abc import Mapping
from dataclasses import dataclass

# Tokens of prompt and completion that a model may have room for at once.
BUDGETS = (2048, 8192, 32768)


@dataclass(frozen=True, slots=True)
class Lengths:
    """A distribution of lengths, in tokens."""

    median: int
    p90: int
    p99: int
    longest: int


def lengths_of(counts: Mapping[int, int]) -> Lengths:
    """The distribution of lengths that are counted.

    {100: 9, 500: 1} -> median 100, 90% up to 100, 99% up to 500, at most 500
    """
    ordered = sorted(counts)
    places: list[int] = []
    total = 0
    for length in ordered:
        total += counts[length]
        places.append(total)

    def below(percent: int) -> int:
        # The smallest length that so many of the examples do not exceed.
        return ordered[bisect.bisect_left(places, -(-total * percent // 100))] if total else 0

    return Lengths(below(50), below(90), below(99), ordered[-1] if ordered else 0)
