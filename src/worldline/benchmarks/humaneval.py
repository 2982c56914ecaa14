"""HumanEval: problems with solutions and tests go in; what do the calls in the tests return?

`assert candidate(3, 7) == 1` asks for the call `greatest_common_divisor(3, 7)` of the published
solution, and 1 is right. `assert candidate(x)` makes True the only right answer, though the test
would take anything that is true: the functions that are tested in this way return booleans.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from worldline.align import literal
from worldline.benchmarks.asserts import Case, Unusable, read_asserts
from worldline.benchmarks.benchmark import Benchmark, LeftOut
from worldline.benchmarks.sources import published_rows
from worldline.errors import InputError
from worldline.predict import Question
from worldline.runs import expects
from worldline.trace import Program

_FIELDS = ("task_id", "prompt", "canonical_solution", "test", "entry_point")


def humaneval(data: str | Path | None = None, *, per_problem: int = 5) -> Benchmark:
    """HumanEval's solutions: what the calls in their tests return (Chen et al., 2021).

    `per_problem`: how many calls of a problem at most, from the first on; 0: all.
    """
    if per_problem < 0:
        raise InputError(f"per_problem must be 0 (all) or more, found {per_problem}")
    found = [each for row in _problems(data) for each in _cases(row, per_problem)]
    asked = [each for each in found if not isinstance(each, LeftOut)]
    return Benchmark(
        "humaneval",
        tuple(question for question, _ in asked),
        {"per_problem": per_problem},
        tuple(each for each in found if isinstance(each, LeftOut)),
        partial(_is_right, {question.id: case for question, case in asked if not case.is_exact}),
    )


@dataclass(frozen=True, slots=True)
class _Problem:
    name: str
    source: str
    asserts: list[Case | Unusable]


def _problems(data: str | Path | None) -> Iterator[_Problem]:
    seen: dict[str, str] = {}
    for place, row in published_rows("humaneval", data):
        missing = [field for field in _FIELDS if not isinstance(row.get(field), str)]
        if missing:
            raise InputError(f"{place}: a problem needs the texts {', '.join(missing)} as well")
        name = row["task_id"]
        if name in seen:
            raise InputError(f"{place}: {name!r} is taken by {seen[name]}")
        seen[name] = place
        try:
            asserts = read_asserts(row["test"], row["entry_point"])
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
        # Some prompts begin with empty lines; the published runs were asked without.
        yield _Problem(name, (row["prompt"] + row["canonical_solution"]).lstrip("\n"), asserts)


def _cases(problem: _Problem, most: int) -> Iterator[tuple[Question, Case] | LeftOut]:
    """What a problem asks, numbered as far as it can be asked, and what is left out of it."""
    number = 0
    for place, found in enumerate(problem.asserts, 1):
        if isinstance(found, Unusable):
            yield LeftOut(f"{problem.name} assert {place}", found.text, found.reason)
            continue
        id = f"{problem.name.replace('/', '_')}_tc{number}"
        number += 1
        if most and number > most:
            yield LeftOut(id, found.text, f"it is not among the first {most} of its problem")
        else:
            program = Program(problem.source, found.call)
            yield Question(id, program, repr(found.expected), {"problem": problem.name}), found


def _is_right(loose: Mapping[str, Case], question: Question, answer: str) -> bool:
    """Whether the assertion would hold that the question is made from; `loose` are the cases for
    which more than one value is right."""
    case = loose.get(question.id)
    if case is None:
        return expects(question, answer)
    try:
        said = literal(answer)
        if case.tolerance is not None:
            return bool(abs(said - case.expected) < case.tolerance)
        return isinstance(said, list | tuple) and tuple(said) == tuple(case.expected)
    # No literal, or none that can be subtracted.
    except (ValueError, TypeError, OverflowError):
        return False
