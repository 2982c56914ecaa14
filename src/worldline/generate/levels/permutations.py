"""All variables permuted at once, line by line: the form of the benchmark `permutation`."""

from worldline.benchmarks.draws import Draws
from worldline.generate.words import LETTERS, reordered, weighted
from worldline.trace import Program


def permutations(draws: Draws) -> Program:
    """def f(a, b, c):  a, b, c = c, a, b  …  return (a, b, c), of 1 to 32 lines, most few."""
    count = weighted(draws, [(1, 3), (1, 4), (6, 5)])
    names = list(LETTERS[:count])
    values = draws.shuffled(range(1, count + 1))
    every = ", ".join(names)
    lines = [f"    {every} = {', '.join(reordered(draws, names))}" for _ in range(_length(draws))]
    source = "\n".join([f"def f({every}):", *lines, f"    return ({every})\n"])
    return Program(source, f"f({', '.join(map(str, values))})")


def _length(draws: Draws) -> int:
    return weighted(
        draws,
        [
            (55, draws.between(1, 4)),
            (25, draws.between(5, 8)),
            (13, draws.between(9, 16)),
            (7, draws.between(17, 32)),
        ],
    )
