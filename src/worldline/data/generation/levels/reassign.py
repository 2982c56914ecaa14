"""Level `reassign`: copies, swaps and permutations of a few variables, without branches."""

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.identifiers import (
    LETTERS,
    WORDS,
    argument_int,
    chance,
    function_name,
    random_word,
    reordered,
    weighted_choice,
)

_WORDS = "left right top low mid high first last old new prev cur tmp one two x1 x2"


def write_reassign(rng: SeededRandom) -> Program:
    """def f(a, b):  a, b = b, a  …  return (a, b); 1 to 130 lines, usually few."""
    count = weighted_choice(rng, [(4, 2), (5, 3), (4, 4), (4, 5), (2, 6)])
    names = _names(rng, count)
    values = _values(rng, count)
    # Percentages of permutations and of constants; they differ between programs.
    permutations, constants = rng.pick((0, 20, 50, 100)), rng.pick((0, 0, 5, 15))
    lines = [_line(rng, names, permutations, constants) for _ in range(_length(rng))]
    name = function_name(rng)
    head = f"def {name}({', '.join(names)}):"
    source = "\n".join(
        [head, *(f"    {line}" for line in lines), f"    return {_result(rng, names)}\n"]
    )
    return Program(source, f"{name}({', '.join(map(repr, values))})")


def _length(rng: SeededRandom) -> int:
    return weighted_choice(
        rng,
        [
            (45, rng.between(1, 6)),
            (28, rng.between(5, 16)),
            (15, rng.between(14, 40)),
            (8, rng.between(41, 80)),
            (4, rng.between(81, 130)),
        ],
    )


def _names(rng: SeededRandom, count: int) -> list[str]:
    form = rng.below(10)
    if form < 4:
        return list(LETTERS[:count])
    if form < 8:
        return rng.shuffled(LETTERS)[:count]
    return rng.shuffled([*_WORDS.split(), *LETTERS[:4]])[:count]


def _values(rng: SeededRandom, count: int) -> list[int | str]:
    form = rng.below(10)
    if form < 4:
        return [*rng.shuffled(range(1, count + 1))]
    if form < 7:
        return [argument_int(rng) for _ in range(count)]
    if form < 9:
        return [rng.pick(WORDS) if chance(rng, 50) else random_word(rng)[:4] for _ in range(count)]
    return [argument_int(rng) if chance(rng, 50) else random_word(rng)[:4] for _ in range(count)]


def _line(rng: SeededRandom, names: list[str], permutations: int, constants: int) -> str:
    if chance(rng, constants):
        return f"{rng.pick(names)} = {argument_int(rng)}"
    if chance(rng, permutations):
        return _tuple(names, reordered(rng, names))
    form = rng.below(10)
    if form < 3:
        a, b = rng.shuffled(names)[:2]
        return f"{a} = {b}"
    targets = rng.shuffled(names)[: 2 if form < 7 else rng.between(2, len(names))]
    if form == 9:
        # Some values are lost, others are duplicated.
        return _tuple(targets, [rng.pick(names) for _ in targets])
    return _tuple(targets, reordered(rng, targets))


def _tuple(targets: list[str], sources: list[str]) -> str:
    return f"{', '.join(targets)} = {', '.join(sources)}"


def _result(rng: SeededRandom, names: list[str]) -> str:
    form = rng.below(10)
    if form < 3:
        return rng.pick(names)
    if form < 5:
        return f"({', '.join(rng.shuffled(names)[: rng.between(2, len(names))])})"
    return f"({', '.join(names)})" if form < 8 else ", ".join(names)
