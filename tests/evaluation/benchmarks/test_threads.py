"""Benchmark `threads`: sets of possible results, and graded and compared answers."""

import json
from itertools import permutations
from pathlib import Path

import pytest

from tests.interfaces.cli.commands import ok
from tests.support.recorded_answers import write_answers
from worldline.analysis.choices import (
    expected_answers,
    outcomes_from_text,
    results_from_text,
    results_to_text,
)
from worldline.core.errors import InputError
from worldline.evaluation.benchmarks.concurrent_programs import KINDS
from worldline.evaluation.benchmarks.threads import concurrent_programs, threads
from worldline.evaluation.metrics import measure_answer_sets
from worldline.evaluation.runs import is_expected
from worldline.models.prediction import Question


def interleavings(question: Question) -> set[str]:
    """The results of two threads that read in one line and write in the next, without threads."""
    source = question.program.source
    start = int(source.partition("total = ")[2].split()[0])
    update = source.partition("value = total\n")[2].partition("total = ")[2].splitlines()[0]
    amounts = [int(part.partition(",")[0]) for part in source.split("args=(")[1:]]
    results = set()
    for order in set(permutations((0, 0, 1, 1))):
        if "with lock" in source and order[0] != order[1]:
            continue
        total, values = start, dict[int, int]()
        for thread in order:
            if thread in values:
                names = {"value": values[thread], "amount": amounts[thread], "max": max}
                total = eval(update, names)
            else:
                values[thread] = total
        results.add(str(total))
    return results


def test_the_expected_results_are_those_of_all_interleavings() -> None:
    result = threads(kinds=["lost_update"], per_kind=2, draws=20, seed=8)
    sizes = [len(interleavings(question)) for question in result.questions]
    assert sizes == [3, 1]
    for question in result.questions:
        assert set(expected_answers(question.expected)) == interleavings(question)
        assert question.facets["outcomes"] == len(interleavings(question))
        assert question.facets["bound"] == "2 preemptions, 20 random schedules"


def test_a_program_that_can_stop_expects_a_deadlock() -> None:
    seeds = (
        seed
        for seed in range(50)
        for _, _, program in concurrent_programs(kinds=["two_locks"], per_kind=1, seed=seed)
        if program is not None and "args=(second, first" in program.source
    )
    (question,) = threads(kinds=["two_locks"], per_kind=1, draws=0, seed=next(seeds)).questions
    assert "deadlock" in expected_answers(question.expected)
    assert question.facets["bound"] == "2 preemptions"
    assert is_expected(question, "deadlock")
    assert not is_expected(question, "'a'")


def test_programs_are_different_and_depend_on_the_seed() -> None:
    programs = [program for *_, program in concurrent_programs(per_kind=3)]
    assert len({program.hash for program in programs if program}) == 3 * len(KINDS)
    assert programs == [program for *_, program in concurrent_programs(per_kind=3)]
    assert programs != [program for *_, program in concurrent_programs(per_kind=3, seed=1)]


def test_wrong_options() -> None:
    with pytest.raises(InputError, match="kinds=darts must be"):
        threads(kinds=["darts"])
    with pytest.raises(InputError, match="per_kind=0 is too few"):
        threads(per_kind=0)
    with pytest.raises(InputError, match="draws=-1 is too few"):
        threads(draws=-1)


def test_results_have_no_probabilities() -> None:
    text = results_to_text(["'a'", "deadlock"])
    assert text == 'one of ["\'a\'", "deadlock"]'
    assert results_from_text(text) == expected_answers(text) == ("'a'", "deadlock")
    assert outcomes_from_text(text) is None
    assert results_from_text('one of {"1": "1"}') is None
    assert expected_answers('one of {"1": "1"}') == ("1",)
    for other in ("one of them", "1", "one of [1]"):
        assert expected_answers(other) == ()


def test_answers_are_compared_with_the_set() -> None:
    text = results_to_text(["1", "2", "deadlock"])
    result = measure_answer_sets(
        [("a", answer, text) for answer in ("1", "1.0", "3", "3", None)]
        + [("b", answer, results_to_text(["5"])) for answer in ("5", "5")]
        + [("c", "1", text), ("d", "1", "1"), ("d", "1", "1")]
    )
    assert result is not None
    assert result.questions == 2
    counts = [
        (each.correct, each.of)
        for each in (result.not_in_set, result.recall, result.precision, result.complete)
    ]
    assert counts == [(2, 6), (2, 4), (2, 3), (1, 2)]
    assert measure_answer_sets([("a", "1", text)]) is None


def test_bench_grades_and_compares(tmp_path: Path) -> None:
    # Two threads with two lines have few schedules: a wrong answer is impossible at once.
    seed = next(
        seed
        for seed in range(50)
        for _, _, program in concurrent_programs(kinds=["log"], per_kind=1, seed=seed)
        if program is not None and "t3" not in program.source and "return items" in program.source
        if "with lock" not in program.source
    )
    options = ["kinds=log", "per_kind=1", "draws=0", "preemptions=0", f"seed={seed}"]
    benchmark = threads(kinds=["log"], per_kind=1, draws=0, preemptions=0, seed=seed)
    (question,) = benchmark.questions
    first, *others = expected_answers(question.expected)
    answers = tmp_path / "answers.jsonl"
    write_answers(answers, [(question, [-77, first, first])])
    command = ["bench", "threads", *(f"--set={each}" for each in options)]
    command += ["--engine", f"recorded:{answers}", "--codec", "chat", "--temperature", "1"]
    printed = ok(*command, "--repeats", "3", "-o", str(tmp_path / "run"), "--format", "json")
    report = json.loads(printed.stdout)
    assert report["accuracy"]["of_all"]["correct"] == 2
    assert report["distributions"] is None
    assert report["answer_sets"]["recall"]["of"] == 1 + len(others)
    assert report["answer_sets"]["precision"]["correct"] == 1
    shown = ok("report", str(tmp_path / "run")).stdout
    assert "not in the set     1 of 3: 33.3%" in shown
