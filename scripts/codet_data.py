"""Reader of the files published with CodeT (arXiv 2207.10397): solutions and tests of CodeGen-16B.

The rules follow the paper and its published code: a text ends at the first line that starts
something new; a test is one `assert` that names the function and compiles; of each text the first
five tests count.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.evaluation.rank import Candidate, CandidateProblem

SOLUTIONS = "HumanEval_codegen16B_temp0.8_topp0.95_num100_max300_code_solution.jsonl.gz"
TESTS = "HumanEval_codegen16B_temp0.8_topp0.95_num100_max300_test_case.jsonl.gz"
# A text ends before the first of these.
ENDS = ("\nclass", "\ndef", "\n#", "\nif", "\nprint")
TESTS_PER_TEXT = 5


def read_problems(data: Path) -> list[CandidateProblem]:
    """Read HumanEval's problems with CodeT's solutions and tests.

    Args:
        data: The folder with `HumanEval.jsonl.gz` and the folder `codet`.
    """
    problems = list(_rows(data / "HumanEval.jsonl.gz"))
    # The published files are ordered by the text of the ids: HumanEval/1, HumanEval/10, …
    rows = zip(
        sorted(problems, key=lambda problem: str(problem["task_id"])),
        _rows(data / "codet" / SOLUTIONS),
        _rows(data / "codet" / TESTS),
        strict=True,
    )
    by_id = {problem["task_id"]: _problem(problem, *texts) for problem, *texts in rows}
    return [by_id[problem["task_id"]] for problem in problems]


def _problem(
    problem: dict[str, Any], solutions: dict[str, Any], tests: dict[str, Any]
) -> CandidateProblem:
    function, prompt = problem["entry_point"], solutions["prompt"]
    if f"def {function}(" not in prompt or not tests["prompt"].startswith(prompt):
        raise SystemExit(f"the published files have no solutions to {problem['task_id']}")
    return CandidateProblem(
        problem["task_id"],
        tuple(
            Candidate(str(number), prompt + end_text(sample))
            for number, sample in enumerate(solutions["samples"])
        ),
        function=function,
        tests=tuple(test for text in tests["samples"] for test in extract_tests(text, function)),
        reference=f"{problem['test']}\ncheck({function})\n",
    )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def end_text(text: str) -> str:
    """The text before the first line that starts something new.

    "    return 1\\n\\ndef g():" -> "    return 1\\n"
    """
    positions = [text.find(end) for end in ENDS]
    return text[: min((p for p in positions if p >= 0), default=len(text))]


def extract_tests(text: str, function: str) -> list[str]:
    """The first tests of a text; the model was given the first `assert ` as part of the prompt.

    "f(1) == 2\\nassert f(2) == 3\\nprint(1)" -> ["assert f(1) == 2", "assert f(2) == 3"]
    """
    tests = [
        end_text(f"assert {part}").strip() for part in text.split("assert ") if function in part
    ]
    return [test for test in tests if is_valid(test)][:TESTS_PER_TEXT]


def is_valid(test: str) -> bool:
    """Whether a test compiles within an indented block."""
    try:
        compile("if True:\n    " + test.replace("\n", "\n    "), "<test>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
