"""HumanEval: the return values of the calls in its tests.

`assert candidate(3, 7) == 1` becomes the call `greatest_common_divisor(3, 7)` of the published
solution, with the expected value 1. `assert candidate(x)` makes True the only correct answer,
although the test accepts any truthy value: all functions tested like this return booleans.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.evaluation.benchmarks.assertion_parser import (
    AssertedCall,
    UnusableAssertion,
    accepts_answer,
    parse_assertions,
)
from worldline.evaluation.benchmarks.benchmark import Benchmark, SkippedItem
from worldline.evaluation.benchmarks.published_data import published_rows
from worldline.evaluation.runs import is_expected
from worldline.models.prediction import Question

_FIELDS = ("task_id", "prompt", "canonical_solution", "test", "entry_point")


def humaneval(data: str | Path | None = None, *, per_problem: int = 5) -> Benchmark:
    """HumanEval's solutions: what the calls in their tests return (Chen et al., 2021).

    Args:
        data: File or folder with the published problems.
        per_problem: Maximum number of calls per problem; 0 for all.
    """
    if per_problem < 0:
        raise InputError(f"per_problem must be 0 (all) or more, found {per_problem}")
    items = [item for problem in _problems(data) for item in _questions(problem, per_problem)]
    asked = [item for item in items if not isinstance(item, SkippedItem)]
    inexact = {question.id: call for question, call in asked if not call.is_exact}
    return Benchmark(
        "humaneval",
        tuple(question for question, _ in asked),
        {"per_problem": per_problem},
        tuple(item for item in items if isinstance(item, SkippedItem)),
        partial(_is_correct, inexact),
    )


@dataclass(frozen=True, slots=True)
class _Problem:
    name: str
    source: str
    assertions: list[AssertedCall | UnusableAssertion]


def _problems(data: str | Path | None) -> Iterator[_Problem]:
    sources: dict[str, str] = {}
    for source, row in published_rows("humaneval", data):
        missing = [field for field in _FIELDS if not isinstance(row.get(field), str)]
        if missing:
            raise InputError(f"{source}: the problem has no text for {', '.join(missing)}")
        name = row["task_id"]
        if name in sources:
            raise InputError(f"{source}: the task_id {name!r} is already used by {sources[name]}")
        sources[name] = source
        try:
            assertions = parse_assertions(row["test"], row["entry_point"])
        except InputError as error:
            raise InputError(f"{source}: {error}") from None
        # Some prompts begin with empty lines; the published runs removed them.
        yield _Problem(name, (row["prompt"] + row["canonical_solution"]).lstrip("\n"), assertions)


def _questions(
    problem: _Problem, limit: int
) -> Iterator[tuple[Question, AssertedCall] | SkippedItem]:
    """Yield the questions of a problem, numbered, and its skipped assertions."""
    number = 0
    for position, item in enumerate(problem.assertions, 1):
        if isinstance(item, UnusableAssertion):
            yield SkippedItem(f"{problem.name} assert {position}", item.text, item.reason)
            continue
        id = f"{problem.name.replace('/', '_')}_tc{number}"
        number += 1
        if limit and number > limit:
            yield SkippedItem(id, item.text, f"it is not among the first {limit} of its problem")
        else:
            program = Program(problem.source, item.call)
            yield Question(id, program, repr(item.expected), {"problem": problem.name}), item


def _is_correct(inexact: Mapping[str, AssertedCall], question: Question, answer: str) -> bool:
    """Whether the answer satisfies the assertion that the question comes from.

    `inexact` contains the assertions that accept more than one value.
    """
    asserted = inexact.get(question.id)
    if asserted is None:
        return is_expected(question, answer)
    return accepts_answer(asserted, answer)
