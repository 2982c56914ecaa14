"""File of chosen programs, and what was chosen and why."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path

from worldline.core.util.files import write_file
from worldline.data.curriculum.operation_skill import OperationSkill
from worldline.data.curriculum.pool_programs import PoolProgram
from worldline.data.curriculum.program_choice import KNOWN, TOO_HARD, ChosenProgram
from worldline.data.generation import DecontaminationIndex, about_path
from worldline.data.generation.program_file import question_to_row
from worldline.models.prediction import Question, read_questions


@dataclass(frozen=True, slots=True)
class OperationShare:
    """One operation: how well the run predicts it, and how many programs execute it.

    Attributes:
        name: The operation.
        correct: Correct steps of the run that it decides alone.
        of: All such steps.
        pool: The share of the pool's programs that execute it.
        chosen: The share of the chosen programs that execute it.
    """

    name: str
    correct: int
    of: int
    pool: float
    chosen: float


@dataclass(frozen=True, slots=True)
class Curriculum:
    """What was chosen, and why.

    Attributes:
        pool: Programs to choose from.
        excluded: Programs of the pool that are in a benchmark.
        known: Programs of the pool that the model is expected to predict right.
        too_hard: Programs of the pool that it hardly ever would.
        chosen: Chosen programs, by reason.
        expected_pool: The mean probability that the model predicts a program of the pool right.
        expected_chosen: The same for the chosen programs.
        operations: The operations, those that the choice favours most first.
    """

    pool: int
    excluded: int
    known: int
    too_hard: int
    chosen: dict[str, int]
    expected_pool: float
    expected_chosen: float
    operations: tuple[OperationShare, ...]


def read_pool(
    paths: Sequence[str | Path], index: DecontaminationIndex
) -> tuple[list[Question], int]:
    """Read the Python programs of files, without those of benchmarks, and count these.

    Raises:
        InputError: A file cannot be read.
    """
    kept: list[Question] = []
    excluded = 0
    seen: set[str] = set()
    for question in chain.from_iterable(map(read_questions, paths)):
        if not question.program.is_python or question.program.call is None:
            continue
        if index.owner(question.program) is not None:
            excluded += 1
        elif question.program.hash not in seen:
            seen.add(question.program.hash)
            kept.append(question)
    return kept, excluded


def write_curriculum(
    path: Path,
    pool: Sequence[PoolProgram],
    choices: Sequence[ChosenProgram],
    skill: OperationSkill,
    *,
    excluded: int = 0,
) -> Curriculum:
    """Write the chosen programs, and a description of the choice next to them.

    Args:
        path: The JSON lines file to write.
        pool: The programs to choose from.
        choices: The chosen programs.
        skill: What the model can do.
        excluded: Programs that were not in the pool because a benchmark has them.
    """
    result = describe_choice(pool, choices, skill, excluded=excluded)
    lines = [json.dumps(question_to_row(question)) for question in _questions(choices)]
    write_file(path, "".join(f"{line}\n" for line in lines).encode())
    write_file(about_path(path), json.dumps(asdict(result), indent=1).encode())
    return result


def _questions(choices: Iterable[ChosenProgram]) -> Iterator[Question]:
    """The questions with the reason and the expected accuracy, ids made unique."""
    for number, choice in enumerate(choices):
        question = choice.program.question
        facets = {
            **question.facets,
            "reason": choice.reason,
            "expected_percent": round(100 * choice.expected),
        }
        yield replace(question, id=f"c{number:06}_{question.id}", facets=facets)


def describe_choice(
    pool: Sequence[PoolProgram],
    choices: Sequence[ChosenProgram],
    skill: OperationSkill,
    *,
    excluded: int = 0,
) -> Curriculum:
    """Describe what was chosen, and why."""
    expected = [program.expected(skill) for program in pool]
    in_pool = Counter(name for program in pool for name in program.operations)
    in_chosen = Counter(name for choice in choices for name in choice.program.operations)
    shares = [
        OperationShare(
            name,
            *skill.steps.get(name, (0, 0)),
            pool=number / len(pool),
            chosen=in_chosen[name] / max(1, len(choices)),
        )
        for name, number in in_pool.items()
    ]
    shares.sort(key=lambda each: (each.pool - each.chosen, each.name))
    return Curriculum(
        pool=len(pool),
        excluded=excluded,
        known=sum(value >= KNOWN for value in expected),
        too_hard=sum(value < TOO_HARD for value in expected),
        chosen=dict(Counter(choice.reason for choice in choices)),
        expected_pool=sum(expected) / max(1, len(expected)),
        expected_chosen=sum(choice.expected for choice in choices) / max(1, len(choices)),
        operations=tuple(shares),
    )
