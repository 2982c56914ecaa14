"""Reader of candidate files and test files, both JSON lines.

A candidate file has one candidate per line: `problem` and `code`; optionally `id` and `correct`.
A test file has one problem per line: `problem`; optionally `function`, `tests`, `inputs` and
`reference`.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError, ProgramError
from worldline.core.trace import check_call
from worldline.evaluation.rank.candidate_problem import Candidate, CandidateProblem
from worldline.models.prediction.jsonl_rows import (
    optional_text,
    read_json_lines,
    required_text,
)

_TEST_FIELDS = ("problem", "function", "tests", "inputs", "reference")


def read_candidate_problems(candidates: str | Path, tests: str | Path) -> list[CandidateProblem]:
    """Read problems from a file of candidates and a file of tests.

    Args:
        candidates: A JSON lines file of candidates.
        tests: A JSON lines file of tests.

    Returns:
        The problems of the candidates, in the order of the candidates.

    Raises:
        InputError: A file cannot be read, a row has the wrong fields, or a problem has no tests.
    """
    by_problem: dict[str, list[Candidate]] = defaultdict(list)
    for problem, candidate in _read_candidates(Path(candidates)):
        if any(other.id == candidate.id for other in by_problem[problem]):
            raise InputError(
                f"{candidates}: the problem {problem!r} has two candidates with the id "
                f"{candidate.id!r}; give them different ids, or none"
            )
        by_problem[problem].append(candidate)
    if not by_problem:
        raise InputError(f"no candidates in {candidates}; each line must be one JSON object")
    settings = _read_tests(Path(tests))
    problems = []
    for problem, group in by_problem.items():
        if problem not in settings:
            raise InputError(
                f"{tests} has no tests for the problem {problem!r} of {candidates}; add a line "
                "with this `problem`"
            )
        problems.append(CandidateProblem(problem, tuple(group), **settings[problem]))
    return problems


def _read_candidates(path: Path) -> Iterator[tuple[str, Candidate]]:
    numbers: dict[str, int] = defaultdict(int)
    for place, row in read_json_lines(path):
        problem = required_text(row, "problem", place)
        is_correct = row.get("correct")
        if is_correct is not None and not isinstance(is_correct, bool):
            raise InputError(f"{place}: 'correct' must be true or false, found {is_correct!r}")
        numbers[problem] += 1
        id = optional_text(row, "id", place) or str(numbers[problem])
        yield problem, Candidate(id, required_text(row, "code", place), is_correct)


def _read_tests(path: Path) -> dict[str, dict[str, Any]]:
    """The fields of each problem other than its candidates."""
    settings: dict[str, dict[str, Any]] = {}
    for place, row in read_json_lines(path):
        unknown = sorted(row.keys() - set(_TEST_FIELDS))
        if unknown:
            raise InputError(
                f"{place}: unknown field {unknown[0]!r}; a line may have {', '.join(_TEST_FIELDS)}"
            )
        problem = required_text(row, "problem", place)
        if "tests" not in row and "inputs" not in row:
            raise InputError(
                f"{place}: the problem {problem!r} has nothing to compare its candidates by: add "
                "`tests` or `inputs`"
            )
        if problem in settings:
            raise InputError(f"{place}: the problem {problem!r} has an earlier line; merge them")
        inputs = _texts(row, "inputs", place)
        for call in inputs:
            try:
                check_call(call)
            except ProgramError as error:
                raise InputError(f"{place}: {error}") from None
        settings[problem] = {
            "function": optional_text(row, "function", place),
            "tests": _texts(row, "tests", place),
            "inputs": inputs,
            "reference": optional_text(row, "reference", place),
        }
    return settings


def _texts(row: dict[str, Any], name: str, place: str) -> tuple[str, ...]:
    value = row.get(name) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{place}: {name!r} must be a list of strings")
    return tuple(value)
