"""Level `permutations`: each line permutes all variables, as in the benchmark `permutation`."""

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.identifiers import LETTERS, reordered, weighted_choice


def write_permutations(rng: SeededRandom) -> Program:
    """def f(a, b, c):  a, b, c = c, a, b  …  return (a, b, c); 1 to 32 lines, usually few."""
    count = weighted_choice(rng, [(1, 3), (1, 4), (6, 5)])
    names = list(LETTERS[:count])
    values = rng.shuffled(range(1, count + 1))
    all_names = ", ".join(names)
    lines = [f"    {all_names} = {', '.join(reordered(rng, names))}" for _ in range(_length(rng))]
    source = "\n".join([f"def f({all_names}):", *lines, f"    return ({all_names})\n"])
    return Program(source, f"f({', '.join(map(str, values))})")


def _length(rng: SeededRandom) -> int:
    return weighted_choice(
        rng,
        [
            (55, rng.between(1, 4)),
            (25, rng.between(5, 8)),
            (13, rng.between(9, 16)),
            (7, rng.between(17, 32)),
        ],
    )
