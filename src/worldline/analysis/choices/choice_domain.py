"""Domains of choices: the possible values of a choice, and their probabilities."""

import ast
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

# Names of domains whose values can be listed.
FINITE = ("range", "permutations", "samples", "weights", "bits")


@dataclass(frozen=True, slots=True)
class Domain:
    """The possible values of a choice.

    Attributes:
        kind: "range", "permutations", "samples", "weights" or "bits"; "unit" for a number from
            [0, 1), "interval", "clock"; "" if nothing is known.
        parameters: The numbers in its text.
    """

    kind: str
    parameters: tuple[Any, ...] = ()

    @property
    def is_finite(self) -> bool:
        """Whether its values can be listed."""
        return self.kind in FINITE

    @property
    def size(self) -> int | None:
        """The number of values; None if they cannot be listed."""
        numbers = self.parameters
        if self.kind == "range":
            return len(range(*numbers))
        if self.kind == "permutations":
            return math.factorial(int(numbers[0]))
        if self.kind == "samples":
            return math.perm(int(numbers[0]), int(numbers[1]))
        if self.kind == "weights":
            return int(sum(weight > 0 for weight in numbers[0]) ** int(numbers[1]))
        return int(2 ** int(numbers[0])) if self.kind == "bits" else None

    def values(self) -> Iterator[Any]:
        """All values, if they can be listed; the first one is that of a systematic execution."""
        numbers = self.parameters
        if self.kind == "range":
            yield from range(*numbers)
        elif self.kind == "permutations":
            yield from map(list, itertools.permutations(range(numbers[0])))
        elif self.kind == "samples":
            yield from map(list, itertools.permutations(range(numbers[0]), numbers[1]))
        elif self.kind == "weights":
            positions = [n for n, weight in enumerate(numbers[0]) if weight > 0]
            yield from map(list, itertools.product(positions, repeat=numbers[1]))
        elif self.kind == "bits":
            yield from range(2 ** numbers[0])

    def contains(self, value: Any) -> bool:
        """Whether a value is possible; True if nothing is known about the domain."""
        numbers = self.parameters
        if self.kind == "range":
            return type(value) is int and value in range(*numbers)
        if self.kind == "bits":
            return type(value) is int and 0 <= value < 2 ** numbers[0]
        if self.kind == "unit":
            return type(value) is float and 0 <= value < 1
        if self.kind == "interval":
            return type(value) is float and numbers[0] <= value <= numbers[1]
        if self.kind == "clock":
            return type(value) in (int, float) and value >= 0
        return True

    def probability(self, value: Any) -> Fraction:
        """The probability of one value of a domain whose values can be listed."""
        if self.kind != "weights":
            assert self.size is not None
            return Fraction(1, self.size)
        # Weights are meant as they are written: 0.1 is 1/10.
        weights = [Fraction(repr(weight)) for weight in self.parameters[0]]
        total = sum(weights)
        return math.prod((weights[position] / total for position in value), start=Fraction(1))


def parse_domain(text: str) -> Domain:
    """The domain of a choice, from its text.

    "range(1, 7)" -> Domain("range", (1, 7)); "unit" -> Domain("unit")
    """
    kind, parenthesis, numbers = text.partition("(")
    if not parenthesis:
        return Domain(kind)
    return Domain(kind, tuple(ast.literal_eval(f"({numbers.removesuffix(')')},)")))
