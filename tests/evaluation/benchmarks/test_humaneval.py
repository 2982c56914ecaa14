"""HumanEval: questions, skipped assertions, and correctness of the actual results."""

import ast
import gzip
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import data_file
from worldline.analysis.alignment import answers_equal
from worldline.core.errors import InputError
from worldline.evaluation.benchmarks.benchmark import Benchmark
from worldline.evaluation.benchmarks.humaneval import humaneval
from worldline.models.prediction import Question

# Without a tracer: some of the calls take hundreds of thousands of steps.
RUN = """
import contextlib, io, json, sys
for text in json.load(sys.stdin):
    names = {"__name__": "program"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "program", "exec"), names)
        found = repr(names["main"]())
    print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def all_cases() -> Benchmark:
    return humaneval(data_file("HumanEval.jsonl.gz"), per_problem=0)


@pytest.fixture(scope="module")
def results(all_cases: Benchmark) -> dict[str, str]:
    """Actual results of all calls."""
    texts = json.dumps([question.program.text for question in all_cases.questions])
    run = subprocess.run(
        [sys.executable, "-c", RUN], input=texts, capture_output=True, text=True, check=True
    )
    result = [json.loads(line) for line in run.stdout.splitlines()]
    ids = [question.id for question in all_cases.questions]
    return dict(zip(ids, result, strict=True))


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def problem(test: str, **fields: str) -> dict[str, Any]:
    row = {"task_id": "HumanEval/7", "prompt": "\ndef f(x):\n", "entry_point": "f"}
    return row | {"canonical_solution": "    return x\n", "test": test} | fields


def load(path: Path, *asserts: str, **fields: str) -> Benchmark:
    test = "def check(candidate):\n" + "".join(f"    assert {each}\n" for each in asserts)
    return humaneval(write(path / "h.jsonl", problem(test, **fields)), per_problem=0)


@pytest.mark.data
def test_every_assertion_is_a_question_or_skipped_with_a_reason(all_cases: Benchmark) -> None:
    with gzip.open(data_file("HumanEval.jsonl.gz"), "rt", encoding="utf-8") as lines:
        tests = [json.loads(line)["test"] for line in lines]
    asserts = [n for t in tests for n in ast.walk(ast.parse(t)) if isinstance(n, ast.Assert)]
    assert (len(tests), len(asserts), len(all_cases.questions)) == (164, 1181, 1124)
    reasons = Counter(item.reason for item in all_cases.skipped)
    assert reasons == {
        "it is always True": 48,
        "it stands in a loop or a branch: only running the test would tell its values": 5,
        "it compares two calls, and names no value": 3,
        "its values have names that only the test knows: lst, odd_sum": 1,
    }
    asked = {question.facets["problem"] for question in all_cases.questions}
    assert {f"HumanEval/{n}" for n in range(164)} - asked == {
        "HumanEval/32",
        "HumanEval/38",
        "HumanEval/50",
    }
    names = [question.id for question in all_cases.questions]
    names += [item.id for item in all_cases.skipped]
    assert len(names) == len(set(names)) == 1181


@pytest.mark.data
def test_at_most_five_questions_per_problem_by_default(all_cases: Benchmark) -> None:
    five = humaneval(data_file("HumanEval.jsonl.gz"))
    assert (len(five.questions), len(five.skipped)) == (740, 1181 - 740)
    assert five.options == {"per_problem": 5}
    reasons = Counter(item.reason for item in five.skipped)
    assert reasons["it is not among the first 5 of its problem"] == 1124 - 740
    counts = Counter(question.facets["problem"] for question in five.questions)
    assert max(counts.values()) == 5
    kept = {question.id for question in five.questions}
    assert [q for q in all_cases.questions if q.id in kept] == list(five.questions)
    assert all(int(question.id.rpartition("_tc")[2]) < 5 for question in five.questions)


@pytest.mark.data
def test_actual_result_of_every_call_is_correct(
    all_cases: Benchmark, results: dict[str, str]
) -> None:
    wrong = [q.id for q in all_cases.questions if not all_cases.is_correct(q, results[q.id])]
    assert wrong == []
    # Results that differ from the value in the test, and are correct because of a tolerance.
    other = [q for q in all_cases.questions if not answers_equal(q.expected or "", results[q.id])]
    assert {q.id for q in other} == {"HumanEval_2_tc1", "HumanEval_2_tc2"}


@pytest.mark.data
def test_different_values_are_incorrect(all_cases: Benchmark, results: dict[str, str]) -> None:
    for question in all_cases.questions:
        for answer in ("", "'no such value'", "[" + results[question.id] + "]", "-123456789.5"):
            assert not all_cases.is_correct(question, answer), (question.id, answer)


@pytest.mark.data
def test_functions_asserted_to_be_truthy_return_booleans(
    all_cases: Benchmark, results: dict[str, str]
) -> None:
    # `assert candidate(x)` and `assert not candidate(x)` are how these are tested.
    tested = {"HumanEval/52": 6, "HumanEval/56": 12, "HumanEval/61": 12}
    asked = [q for q in all_cases.questions if q.facets["problem"] in tested]
    assert Counter(q.facets["problem"] for q in asked) == tested
    assert [results[q.id] for q in asked] == [q.expected for q in asked]
    assert {results[q.id] for q in asked} == {"True", "False"}


@pytest.mark.data
def test_ids_programs_and_calls_match_the_published_runs(all_cases: Benchmark) -> None:
    lines = data_file("cwm32b_humaneval_failures.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {row["id"]: row for row in map(json.loads, lines)}
    questions = {question.id: question for question in all_cases.questions}
    assert (len(rows), rows.keys() - questions.keys()) == (62, set())
    other = {
        id
        for id, row in rows.items()
        if (questions[id].program.call, questions[id].program.text) != (row["call"], row["context"])
    }
    # The published run called the first function of the program instead of the tested one.
    assert other == {f"HumanEval_10_tc{number}" for number in range(5)}
    for id in other:
        call = questions[id].program.call or ""
        assert call.replace("make_palindrome", "is_palindrome") == rows[id]["call"]
    assert all(all_cases.is_correct(questions[id], row["expected"]) for id, row in rows.items())


def test_answer_is_correct_if_the_assertion_holds(tmp_path: Path) -> None:
    benchmark = load(
        tmp_path,
        "candidate(1) == 1",
        "abs(candidate(1) - 2.0/3) < 1e-6",
        "tuple(candidate(1)) == tuple([1, 2])",
        "candidate(1)",
    )

    def verdicts(question: Question, *answers: str) -> list[bool]:
        return [benchmark.is_correct(question, answer) for answer in answers]

    equal, close, sequence, true = benchmark.questions
    assert (equal.id, true.id) == ("HumanEval_7_tc0", "HumanEval_7_tc3")
    assert equal.facets == {"problem": "HumanEval/7"}
    assert verdicts(equal, "1", "1.0", "1.0000001", "2", "x") == [True, True, False, False, False]
    assert close.expected == "0.6666666666666666"
    assert verdicts(close, "0.666667", "2/3", "0.66666", "0.7") == [True, False, False, False]
    assert verdicts(close, "'0.666667'", "[0.666667]", "None", "9" * 400) == [False] * 4
    assert sequence.expected == "[1, 2]"
    assert verdicts(sequence, "[1, 2]", "(1, 2)", "(1.0, 2)") == [True] * 3
    assert verdicts(sequence, "[2, 1]", "12", "'12'", "1, 2") == [False] * 4
    assert verdicts(true, "True", "False", "'yes'") == [True, False, False]


def test_program_is_the_prompt_with_its_solution(tmp_path: Path) -> None:
    (question,) = load(tmp_path, "candidate(1) == 1").questions
    assert question.program.text == (
        "def f(x):\n    return x\n\ndef main(): # << START_OF_TRACE\n    return f(1)\n"
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"task_id": "HumanEval/0"},
            "line 1 of .*has no text for prompt, canonical_solution, test, entry_point",
        ),
        (problem("def check("), "line 1 of .*the test of 'f' is not Python"),
    ],
)
def test_invalid_problem_is_refused(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        humaneval(write(tmp_path / "h.jsonl", row))


def test_duplicate_problem_is_refused(tmp_path: Path) -> None:
    row = problem("def check(candidate):\n    assert candidate(1) == 1\n")
    with pytest.raises(InputError, match=r"line 2 of .*'HumanEval/7' is already used by line 1"):
        humaneval(write(tmp_path / "h.jsonl", row, row))


def test_negative_per_problem_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="per_problem"):
        humaneval(tmp_path, per_problem=-1)
