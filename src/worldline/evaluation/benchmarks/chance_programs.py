"""Programs of the benchmark `chance`: one function for each kind, from a seeded generator.

Each has at most a few hundred executions, so that the distribution of its results is exact.
"""

from collections.abc import Callable, Mapping

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom

_COLORS = ("red", "blue", "green")


def dice(rng: SeededRandom) -> Program:
    """The sum of some dice, perhaps without the lowest."""
    number, sides = rng.pick([(1, 20), (2, 6), (2, 10), (3, 4), (3, 6)])
    lines = [
        "def f(n, sides):",
        "    rolls = []",
        "    for _ in range(n):",
        "        rolls.append(random.randint(1, sides))",
    ]
    if number > 1 and rng.below(2):
        lines.append("    rolls.remove(min(rolls))")
    bonus = rng.between(0, 5)
    return _program([*lines, f"    return sum(rolls) + {bonus}"], f"f({number}, {sides})")


def coupons(rng: SeededRandom) -> Program:
    """How many different coupons are drawn."""
    kinds, draws = rng.pick([(3, 3), (3, 4), (3, 5), (4, 3), (4, 4), (5, 3), (6, 3)])
    lines = [
        "def f(kinds, draws):",
        "    seen = set()",
        "    for _ in range(draws):",
        "        seen.add(random.randrange(kinds))",
        "    return len(seen)",
    ]
    return _program(lines, f"f({kinds}, {draws})")


def birthdays(rng: SeededRandom) -> Program:
    """Whether some share a birthday, in a short year."""
    people, days = rng.pick([(2, 5), (2, 12), (3, 4), (3, 5), (3, 7), (4, 4)])
    lines = [
        "def f(people, days):",
        "    birthdays = random.choices(range(days), k=people)",
        "    return len(set(birthdays)) < people",
    ]
    return _program(lines, f"f({people}, {days})")


def walk(rng: SeededRandom) -> Program:
    """A random walk, perhaps between two walls."""
    chance = rng.pick([0.5, 0.5, 0.25, 0.7])
    lines = [
        "def f(steps):",
        "    x = 0",
        "    for _ in range(steps):",
        f"        if random.random() < {chance}:",
        "            x += 1",
        "        else:",
        "            x -= 1",
    ]
    if rng.below(2):
        wall = rng.between(1, 2)
        lines.append(f"        x = max(-{wall}, min({wall}, x))")
    return _program([*lines, "    return x"], f"f({rng.between(2, 7)})")


def urn(rng: SeededRandom) -> Program:
    """How many balls of one color are drawn, without putting them back."""
    counts = [rng.between(1, 2) for _ in _COLORS]
    balls = [color for color, count in zip(_COLORS, counts, strict=True) for _ in range(count)]
    lines = [
        "def f(drawn):",
        f"    urn = {balls!r}",
        "    balls = random.sample(urn, drawn)",
        f"    return balls.count({rng.pick(_COLORS)!r})",
    ]
    return _program(lines, f"f({rng.between(2, min(3, len(balls)))})")


def shuffle(rng: SeededRandom) -> Program:
    """A property of a shuffled list."""
    items = rng.shuffled(range(1, 10))[: rng.between(3, 4)]
    result = rng.pick(
        [
            "items.index(max(items))",
            "items[0] + items[-1]",
            "items[0] < items[1]",
            "sum(a > b for a, b in zip(items, items[1:]))",
        ]
    )
    lines = ["def f(items):", "    random.shuffle(items)", f"    return {result}"]
    return _program(lines, f"f({items})")


def weights(rng: SeededRandom) -> Program:
    """A sum of items with different weights."""
    shares = [rng.between(1, 4) for _ in range(3)]
    items = rng.shuffled(range(10))[:3]
    lines = [
        "def f(n):",
        "    total = 0",
        f"    for x in random.choices({items}, {shares}, k=n):",
        f"        total = total * {rng.between(1, 2)} + x",
        "    return total",
    ]
    return _program(lines, f"f({rng.between(1, 4)})")


def branches(rng: SeededRandom) -> Program:
    """Draws that depend on the ones before."""
    chance, sides = rng.pick([0.2, 0.4, 0.5, 0.75]), rng.between(3, 6)
    lines = [
        "def f(n):",
        "    log = ''",
        "    while n > 0:",
        f"        if random.random() < {chance}:",
        f"            n -= {rng.between(2, 3)}",
        "            log += 'a'",
        "        else:",
        f"            step = random.randint(1, {sides})",
        "            n -= step",
        "            log += 'b' if step % 2 else 'c'",
        "    return log",
    ]
    return _program(lines, f"f({rng.between(3, 5)})")


KINDS: Mapping[str, Callable[[SeededRandom], Program]] = {
    function.__name__: function
    for function in (dice, coupons, birthdays, walk, urn, shuffle, weights, branches)
}


def _program(lines: list[str], call: str) -> Program:
    source = "\n".join(["import random", "", "", *lines, ""])
    return Program(source, call)
