"""Permutation benchmark: programs that permute their variables again and again.

To follow such a program is to compose permutations: the longer it is, the longer the state has to
be tracked without an error, and nothing in it can be guessed.
"""

from collections.abc import Sequence
from string import ascii_lowercase

from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.evaluation.benchmarks.benchmark import Benchmark, BenchmarkOptions
from worldline.models.prediction import Question

LENGTHS = (8, 16, 32, 64, 128, 256, 512, 1024)
# Without f, the name of the function.
_LETTERS = ascii_lowercase.replace("f", "")

Permutation = tuple[int, ...]


def permutation(
    *,
    variables: int = 5,
    lengths: Sequence[int] = LENGTHS,
    per_length: int = 10,
    reveal_every: int = 1,
    seed: int = 0,
) -> Benchmark:
    """Programs that reassign all their variables, in turn, by random permutations.

    variables=3, lengths=[2] -> "def f(a, b, c):\\n    a, b, c = c, a, b\\n    a, b, c = b, a, c\\n
    return (a, b, c)", called as "f(2, 3, 1)"

    The reassignments and the ids of the questions do not depend on `reveal_every`, nor on the
    other lengths: runs with different values can be compared question by question.

    Args:
        variables: Number of variables.
        lengths: Numbers of reassignments.
        per_length: Programs per length.
        reveal_every: Reassignments per line; a trace shows the state only after each line.
        seed: Seed of the random choices.
    """
    _check(variables, lengths, per_length, reveal_every)
    questions = tuple(
        _question(variables, length, number, reveal_every, seed)
        for length in lengths
        for number in range(per_length)
    )
    options: BenchmarkOptions = {
        "variables": variables,
        "lengths": list(lengths),
        "per_length": per_length,
        "reveal_every": reveal_every,
        "seed": seed,
    }
    return Benchmark("permutation", questions, options)


def variable_names(count: int) -> list[str]:
    """Names of variables: 3 -> ["a", "b", "c"]; 40 -> ["v0", …, "v39"]."""
    return list(_LETTERS[:count]) if count <= len(_LETTERS) else [f"v{n}" for n in range(count)]


def compose(first: Permutation, second: Permutation) -> Permutation:
    """Apply one permutation after another; variable `i` gets the value of variable `p[i]`.

    (1, 2, 0), (1, 0, 2) -> (2, 1, 0)
    """
    return tuple(first[source] for source in second)


def _question(variables: int, length: int, number: int, reveal_every: int, seed: int) -> Question:
    rng = SeededRandom("permutation", seed, variables, length, number)
    values = rng.shuffled(range(1, variables + 1))
    permutations = [_draw_permutation(rng, variables) for _ in range(length)]
    total = tuple(range(variables))
    for drawn in permutations:
        total = compose(total, drawn)
    call = f"f({', '.join(map(str, values))})"
    return Question(
        f"s{variables}_l{length:04}_n{number}",
        Program(_source(variable_names(variables), permutations, reveal_every), call),
        repr(tuple(values[source] for source in total)),
        {"variables": variables, "length": length, "reveal_every": reveal_every},
    )


def _source(names: list[str], permutations: list[Permutation], reveal_every: int) -> str:
    target = ", ".join(names)
    steps = [f"{target} = {', '.join(names[s] for s in sources)}" for sources in permutations]
    lines = [
        "    " + "; ".join(steps[first : first + reveal_every])
        for first in range(0, len(steps), reveal_every)
    ]
    return "\n".join([f"def f({target}):", *lines, f"    return ({target})\n"])


def _draw_permutation(rng: SeededRandom, count: int) -> Permutation:
    """Draw a permutation that is not the identity."""
    identity = tuple(range(count))
    while (drawn := tuple(rng.shuffled(identity))) == identity:
        pass
    return drawn


def _check(variables: int, lengths: Sequence[int], per_length: int, reveal_every: int) -> None:
    if variables < 2:
        raise InputError(
            f"permutation: {variables} variables cannot be permuted; give variables=2 or more"
        )
    if not lengths or min(lengths) < 1 or len(set(lengths)) < len(lengths):
        raise InputError(
            f"permutation: lengths={list(lengths)} must be one or more different numbers of "
            "reassignments, 1 or more, as in lengths=8,16"
        )
    for name, value in (("per_length", per_length), ("reveal_every", reveal_every)):
        if value < 1:
            raise InputError(f"permutation: {name}={value} is too few; give {name}=1 or more")
