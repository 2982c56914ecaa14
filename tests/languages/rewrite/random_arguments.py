"""Seeded random arguments for string functions, including unusual ones.

Hypothesis finds the smallest failing example; these are many more and faster, and find rare ones.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

ALPHABETS = ("ab", "ab", "aAbB1 \t\n\r-+.,_\x0b\x1c", "ßΣσςİıŉǅα٣Ⅷ½\x85\u2028\u00a0éaZ 1")
HUGE = 10**30


class StrSubclass(str):
    """A string of a subclass of `str`, which the functions leave to Python."""


class RandomArguments:
    """Random arguments by the names of parameters."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.by_name: dict[str, Callable[[], Any]] = {
            **dict.fromkeys(("part", "sep", "old", "chars"), self.part),
            **dict.fromkeys(("start", "stop", "step"), self.number),
            **dict.fromkeys(("count", "maxsplit", "width", "tabsize"), self.number),
            **dict.fromkeys(("prefix", "suffix"), self.part_or_parts),
            **dict.fromkeys(("text", "new"), self.text),
            "fillchar": lambda: self.rng.choice(["*", "é", "", "ab"]),
            "parts": self.items,
            "table": self.table,
        }

    def arguments(self, names: Sequence[str]) -> list[Any]:
        """Mostly values that the loops handle; now and then any value for one parameter."""
        values = [self.by_name[name]() for name in names]
        if self.rng.random() < 0.15:
            values[self.rng.randrange(len(values))] = self.unusual()
        return values

    def text(self, alphabet: str = "", max_length: int = 9) -> str:
        letters = alphabet or self.rng.choice(ALPHABETS)
        return "".join(self.rng.choices(letters, k=self.rng.randint(0, max_length)))

    def part(self) -> str:
        kinds = [self.text("ab", 3), self.text("ab", 2), self.text(" 1aA\t-", 2), "a", self.text()]
        return self.rng.choice(kinds)

    def part_or_parts(self) -> Any:
        several = tuple(self.rng.choice([self.part(), self.part(), self.unusual()]) for _ in "abc")
        return self.rng.choice([self.part(), self.part(), several[: self.rng.randint(0, 3)]])

    def number(self) -> Any:
        common = [self.rng.randint(-12, 12) for _ in range(8)]
        return self.rng.choice([*common, HUGE, -HUGE, 1001, -1001, True, None])

    def items(self) -> Any:
        count = self.rng.randint(0, 4)
        values = [self.text() if self.rng.random() < 0.95 else self.unusual() for _ in range(count)]
        return self.rng.choice([values, values, tuple(values), "abc", {"a": 1}, {"b"}])

    def table(self) -> dict[Any, Any]:
        keys = [97, 98, 49, 946, "a"]
        values = ["", "x", "ab", None, 99, 55296, -1, HUGE, 1114111, 1114112, 1.5, True]
        count = self.rng.randint(0, 4)
        return {self.rng.choice(keys): self.rng.choice(values) for _ in range(count)}

    def unusual(self) -> Any:
        return self.rng.choice([None, 1.5, b"a", StrSubclass("ab"), [], (), {}, ["a", "b"], 5, "x"])
