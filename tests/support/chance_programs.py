"""Generated programs that draw random numbers, for tests and measurements."""

import random

from worldline.core.trace import Program

_WORDS = ("'ab'", "'cd'", "'e'", "7", "(1, 2)", "None")


def chance_program(seed: int, *, is_finite: bool = True) -> Program:
    """A program that makes a few choices; `is_finite`: all of finite domains or compared."""
    rng = random.Random(seed)
    body = ["total = 0", f"items = {[rng.randint(0, 9) for _ in range(rng.randint(2, 3))]}"]
    for number in range(rng.randint(1, 3)):
        body += _statements(rng, f"v{number}", is_finite=is_finite)
    body.append("return total, items")
    lines = "".join(f"    {line}\n" for line in body)
    helper = "def roll(sides):\n    value = random.randint(1, sides)\n    return value * 2\n\n"
    return Program(f"import random\n\n{helper}def play():\n{lines}", "play()")


def _statements(rng: random.Random, name: str, *, is_finite: bool) -> list[str]:
    low, size = rng.randint(-3, 3), rng.randint(2, 4)
    chance = rng.choice((0.1, 0.25, 0.5, 0.8))
    words = ", ".join(rng.sample(_WORDS, 3))
    kinds = [
        [f"{name} = random.randint({low}, {low + size})", f"total += {name}"],
        [f"{name} = random.choice([{words}])", f"items.append({name})"],
        ["random.shuffle(items)", "total += 1"],
        [f"{name} = random.sample(range({size}), 2)", f"items = items + {name}"],
        [f"{name} = random.choices('xyz', [1, {size}, 2])", f"items.append({name})"],
        [f"if random.random() < {chance}:", f"    total += {size}", "else:", "    total -= 1"],
        [f"total += random.randrange(0, {2 * size}, 2)"],
        [f"total += roll({size})"],
        [f"for {name} in range(2):", "    total += random.getrandbits(1)"],
        [f"while total < {size}:", f"    total += random.randint(1, {size})"],
        [f"{name} = random.randint(1, 3) + random.randint(1, 2)", f"total += {name}"],
        [f"{name} = random.random()", f"if {name} >= {chance}:", "    total += 1"],
    ]
    if not is_finite:
        kinds += [
            [f"{name} = random.gauss(0, {size})", f"items.append(round({name}, 3))"],
            [f"{name} = random.randint(1, 10**12)", f"total += {name} % 7"],
            [f"{name} = int(random.random() * {size})", f"total += {name}"],
            [f"{name} = random.uniform({low}, {low + size})", f"total += int({name})"],
        ]
    return rng.choice(kinds)
