"""Straight-line reassignments: copies, swaps and permutations of a few variables, short or long."""

from worldline.benchmarks.draws import Draws
from worldline.generate.words import (
    LETTERS,
    WORDS,
    argument_int,
    chance,
    function_name,
    reordered,
    weighted,
    word,
)
from worldline.trace import Program

_WORDS = "left right top low mid high first last old new prev cur tmp one two x1 x2"


def reassign(draws: Draws) -> Program:
    """def f(a, b):  a, b = b, a  …  return (a, b), of 1 to 130 lines, most of them few."""
    count = weighted(draws, [(4, 2), (5, 3), (4, 4), (4, 5), (2, 6)])
    names = _names(draws, count)
    values = _values(draws, count)
    # How often all are permuted at once, or one is given a constant, is a program's own.
    permuting, constants = draws.pick((0, 20, 50, 100)), draws.pick((0, 0, 5, 15))
    lines = [_line(draws, names, permuting, constants) for _ in range(_length(draws))]
    name = function_name(draws)
    head = f"def {name}({', '.join(names)}):"
    source = "\n".join(
        [head, *(f"    {line}" for line in lines), f"    return {_result(draws, names)}\n"]
    )
    return Program(source, f"{name}({', '.join(map(repr, values))})")


def _length(draws: Draws) -> int:
    return weighted(
        draws,
        [
            (45, draws.between(1, 6)),
            (28, draws.between(5, 16)),
            (15, draws.between(14, 40)),
            (8, draws.between(41, 80)),
            (4, draws.between(81, 130)),
        ],
    )


def _names(draws: Draws, count: int) -> list[str]:
    way = draws.below(10)
    if way < 4:
        return list(LETTERS[:count])
    if way < 8:
        return draws.shuffled(LETTERS)[:count]
    return draws.shuffled([*_WORDS.split(), *LETTERS[:4]])[:count]


def _values(draws: Draws, count: int) -> list[int | str]:
    way = draws.below(10)
    if way < 4:
        return [*draws.shuffled(range(1, count + 1))]
    if way < 7:
        return [argument_int(draws) for _ in range(count)]
    if way < 9:
        return [draws.pick(WORDS) if chance(draws, 50) else word(draws)[:4] for _ in range(count)]
    return [argument_int(draws) if chance(draws, 50) else word(draws)[:4] for _ in range(count)]


def _line(draws: Draws, names: list[str], permuting: int, constants: int) -> str:
    if chance(draws, constants):
        return f"{draws.pick(names)} = {argument_int(draws)}"
    if chance(draws, permuting):
        return _tuple(names, reordered(draws, names))
    way = draws.below(10)
    if way < 3:
        a, b = draws.shuffled(names)[:2]
        return f"{a} = {b}"
    targets = draws.shuffled(names)[: 2 if way < 7 else draws.between(2, len(names))]
    if way == 9:
        # Some values are lost, and others are there twice.
        return _tuple(targets, [draws.pick(names) for _ in targets])
    return _tuple(targets, reordered(draws, targets))


def _tuple(targets: list[str], sources: list[str]) -> str:
    return f"{', '.join(targets)} = {', '.join(sources)}"


def _result(draws: Draws, names: list[str]) -> str:
    way = draws.below(10)
    if way < 3:
        return draws.pick(names)
    if way < 5:
        return f"({', '.join(draws.shuffled(names)[: draws.between(2, len(names))])})"
    return f"({', '.join(names)})" if way < 8 else ", ".join(names)
