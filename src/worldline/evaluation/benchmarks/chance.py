"""Chance benchmark: programs that draw random numbers, and the exact set of their results.

An answer is correct if some execution returns it. With repeats, the answers to a question are
compared with the distribution of the results.
"""

from collections.abc import Iterator, Sequence

from worldline.analysis.choices import outcomes_to_text, result_distribution
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.evaluation.benchmarks.benchmark import Benchmark, BenchmarkOptions, SkippedItem
from worldline.evaluation.benchmarks.chance_programs import KINDS
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question

# How often a program is drawn again that is there already.
_MAX_ATTEMPTS = 50


def chance(*, kinds: Sequence[str] = tuple(KINDS), per_kind: int = 5, seed: int = 0) -> Benchmark:
    """Programs that draw random numbers; every possible result is correct.

    The distribution of each program's results is found by executing it with all values of its
    random numbers. Ask with --repeats to compare the answers with it.

    Args:
        kinds: Kinds of programs.
        per_kind: Programs of each kind.
        seed: Seed of the random choices.
    """
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds or len(set(kinds)) < len(kinds):
        raise InputError(
            f"chance: kinds={','.join(kinds)} must be one or more different ones of "
            f"{', '.join(KINDS)}"
        )
    if per_kind < 1:
        raise InputError(f"chance: per_kind={per_kind} is too few; give per_kind=1 or more")
    questions: list[Question] = []
    skipped: list[SkippedItem] = []
    with PythonRecorder() as recorder:
        for kind in kinds:
            for name, program in _programs(kind, per_kind, seed):
                if program is None:
                    skipped.append(SkippedItem(name, "", "too few different programs"))
                else:
                    questions.append(_question(name, kind, program, recorder))
    options: BenchmarkOptions = {"kinds": list(kinds), "per_kind": per_kind, "seed": seed}
    return Benchmark("chance", tuple(questions), options, tuple(skipped))


def _programs(kind: str, count: int, seed: int) -> Iterator[tuple[str, Program | None]]:
    """The name of each question, and its program, if another one could be drawn."""
    rng = SeededRandom("chance", seed, kind)
    known: set[str] = set()
    for number in range(count):
        attempts = (KINDS[kind](rng) for _ in range(_MAX_ATTEMPTS))
        program = next((each for each in attempts if each.hash not in known), None)
        if program is not None:
            known.add(program.hash)
        yield f"{kind}_n{number}", program


def _question(name: str, kind: str, program: Program, recorder: PythonRecorder) -> Question:
    exact = result_distribution(program, recorder)
    facets: dict[str, str | int] = {"kind": kind, "outcomes": len(exact.probabilities)}
    return Question(name, program, outcomes_to_text(exact), facets)
