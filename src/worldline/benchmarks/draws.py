"""A seed goes in; choices come out, the same ones on every Python."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


class Draws:
    """Choices that follow from what they are named by alone: Draws("permutation", 0, 8).

    What `choice` or `shuffle` make of a seed may change from one Python to the next; only
    `random` is promised to stay, so all is made from it.
    """

    def __init__(self, *names: str | int) -> None:
        self._random = Random("/".join(map(str, names))).random

    def below(self, end: int) -> int:
        """A number from 0 to one below `end`."""
        return int(self._random() * end)

    def between(self, first: int, last: int) -> int:
        """A number from `first` to `last`, both possible."""
        return first + self.below(last - first + 1)

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in another order, each order equally likely."""
        found = list(items)
        for last in range(len(found) - 1, 0, -1):
            other = self.below(last + 1)
            found[last], found[other] = found[other], found[last]
        return found
