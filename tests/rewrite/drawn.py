"""A function's parameters and a seeded chance go in; awkward arguments for them come out, fast.

Hypothesis finds the smallest example that fails; these, being many more, find rare ones.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

ALPHABETS = ("ab", "ab", "aAbB1 \t\n\r-+.,_\x0b\x1c", "ßΣσςİıŉǅα٣Ⅷ½\x85\u2028\u00a0éaZ 1")
HUGE = 10**30


class Text(str):
    """A string of another class, which is left to Python."""


class Drawn:
    """Arguments by the names of parameters, drawn from one chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.by_name: dict[str, Callable[[], Any]] = {
            **dict.fromkeys(("part", "sep", "old", "chars"), self.part),
            **dict.fromkeys(("start", "stop", "step"), self.number),
            **dict.fromkeys(("count", "maxsplit", "width", "tabsize"), self.number),
            **dict.fromkeys(("prefix", "suffix"), self.part_or_parts),
            **dict.fromkeys(("text", "new"), self.text),
            "fillchar": lambda: self.chance.choice(["*", "é", "", "ab"]),
            "parts": self.items,
            "table": self.table,
        }

    def arguments(self, names: Sequence[str]) -> list[Any]:
        """Mostly what a loop treats; now and then anything in one of the places."""
        values = [self.by_name[name]() for name in names]
        if self.chance.random() < 0.15:
            values[self.chance.randrange(len(values))] = self.odd()
        return values

    def text(self, alphabet: str = "", longest: int = 9) -> str:
        letters = alphabet or self.chance.choice(ALPHABETS)
        return "".join(self.chance.choices(letters, k=self.chance.randint(0, longest)))

    def part(self) -> str:
        kinds = [self.text("ab", 3), self.text("ab", 2), self.text(" 1aA\t-", 2), "a", self.text()]
        return self.chance.choice(kinds)

    def part_or_parts(self) -> Any:
        some = tuple(self.chance.choice([self.part(), self.part(), self.odd()]) for _ in "abc")
        return self.chance.choice([self.part(), self.part(), some[: self.chance.randint(0, 3)]])

    def number(self) -> Any:
        usual = [self.chance.randint(-12, 12) for _ in range(8)]
        return self.chance.choice([*usual, HUGE, -HUGE, 1001, -1001, True, None])

    def items(self) -> Any:
        count = self.chance.randint(0, 4)
        found = [self.text() if self.chance.random() < 0.95 else self.odd() for _ in range(count)]
        return self.chance.choice([found, found, tuple(found), "abc", {"a": 1}, {"b"}])

    def table(self) -> dict[Any, Any]:
        keys = [97, 98, 49, 946, "a"]
        values = ["", "x", "ab", None, 99, 55296, -1, HUGE, 1114111, 1114112, 1.5, True]
        count = self.chance.randint(0, 4)
        return {self.chance.choice(keys): self.chance.choice(values) for _ in range(count)}

    def odd(self) -> Any:
        return self.chance.choice([None, 1.5, b"a", Text("ab"), [], (), {}, ["a", "b"], 5, "x"])
