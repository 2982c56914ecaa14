"""Numbers of variables and of reassignments go in; programs that permute variables come out.

Who follows such a program composes permutations, one after the other: the longer it is, the more
state has to be carried on rightly, and nothing in it can be guessed.
"""

from collections.abc import Sequence
from string import ascii_lowercase

from worldline.benchmarks.benchmark import Benchmark, Options
from worldline.benchmarks.draws import Draws
from worldline.errors import InputError
from worldline.predict import Question
from worldline.trace import Program

LENGTHS = (8, 16, 32, 64, 128, 256, 512, 1024)
# Without the name of the function itself.
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

    `reveal_every` reassignments stand on one line, so that a trace shows the state only behind so
    many. The reassignments and the names of the questions do not depend on it, nor on the other
    lengths: runs that differ in it can be compared in pairs.
    """
    _check(variables, lengths, per_length, reveal_every)
    questions = tuple(
        _question(variables, length, number, reveal_every, seed)
        for length in lengths
        for number in range(per_length)
    )
    options: Options = {
        "variables": variables,
        "lengths": list(lengths),
        "per_length": per_length,
        "reveal_every": reveal_every,
        "seed": seed,
    }
    return Benchmark("permutation", questions, options)


def variable_names(count: int) -> list[str]:
    """Names for so many variables: 3 -> ["a", "b", "c"]; for 40, "v0" to "v39"."""
    return list(_LETTERS[:count]) if count <= len(_LETTERS) else [f"v{n}" for n in range(count)]


def compose(total: Permutation, then: Permutation) -> Permutation:
    """One permutation after another; `p[i]` says whose value the variable `i` is given.

    (1, 2, 0), (1, 0, 2) -> (2, 1, 0)
    """
    return tuple(total[source] for source in then)


def _question(variables: int, length: int, number: int, reveal_every: int, seed: int) -> Question:
    draws = Draws("permutation", seed, variables, length, number)
    values = draws.shuffled(range(1, variables + 1))
    drawn = [_not_identity(draws, variables) for _ in range(length)]
    total = tuple(range(variables))
    for each in drawn:
        total = compose(total, each)
    call = f"f({', '.join(map(str, values))})"
    return Question(
        f"s{variables}_l{length:04}_n{number}",
        Program(_source(variable_names(variables), drawn, reveal_every), call),
        repr(tuple(values[source] for source in total)),
        {"variables": variables, "length": length, "reveal_every": reveal_every},
    )


def _source(names: list[str], permutations: list[Permutation], reveal_every: int) -> str:
    target = ", ".join(names)
    steps = [f"{target} = {', '.join(names[s] for s in each)}" for each in permutations]
    lines = [
        "    " + "; ".join(steps[first : first + reveal_every])
        for first in range(0, len(steps), reveal_every)
    ]
    return "\n".join([f"def f({target}):", *lines, f"    return ({target})\n"])


def _not_identity(draws: Draws, count: int) -> Permutation:
    same = tuple(range(count))
    while (found := tuple(draws.shuffled(same))) == same:
        pass
    return found


def _check(variables: int, lengths: Sequence[int], per_length: int, reveal_every: int) -> None:
    if variables < 2:
        raise InputError(
            f"permutation: {variables} variables cannot be permuted; give variables=2 or more"
        )
    if not lengths or min(lengths) < 1 or len(set(lengths)) < len(lengths):
        raise InputError(
            f"permutation: lengths={list(lengths)} must be one or more different numbers of "
            "reassignments from 1 on, as in lengths=[8, 16]"
        )
    for name, value in (("per_length", per_length), ("reveal_every", reveal_every)):
        if value < 1:
            raise InputError(f"permutation: {name}={value} is too few; give {name}=1 or more")
