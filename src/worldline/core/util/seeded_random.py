"""Seeded random choices that are the same on every version of Python."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


class SeededRandom:
    """Random choices that depend on the seed alone: SeededRandom("permutation", 0, 8).

    Python may change the results of `choice` or `shuffle` for a seed in any version. Only the
    sequence of `random` is guaranteed, so everything is derived from it.
    """

    def __init__(self, *seed: str | int) -> None:
        self._random = Random("/".join(map(str, seed))).random

    def below(self, end: int) -> int:
        """A random integer from 0 to `end` - 1."""
        return int(self._random() * end)

    def between(self, first: int, last: int) -> int:
        """A random integer from `first` to `last`, inclusive."""
        return first + self.below(last - first + 1)

    def pick(self, items: Sequence[Item]) -> Item:
        """A random item."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in random order (Fisher–Yates shuffle)."""
        shuffled = list(items)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.below(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled
