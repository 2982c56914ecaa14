"""Solutions and tests published with CodeT: extraction, and one problem by execution."""

import pytest

from scripts.code_model import DATA
from scripts.codet import batches, join
from scripts.codet_data import end_text, extract_tests, read_problems
from worldline.evaluation.rank import CandidateProblem, ExecutionJournal, best_at_k, chance_at_k


def test_a_text_ends_before_something_new_begins() -> None:
    assert end_text("    return 1\n\ndef g():\n    pass") == "    return 1\n"
    assert end_text("    return 1\nif x:\n# a\n") == "    return 1"
    assert end_text("    if x:\n        return 1\n") == "    if x:\n        return 1\n"


def test_tests_name_the_function_and_compile() -> None:
    text = "f(1) == 2\nassert g(1) == 2\nassert f(2) ==\nassert f(\n    3) == 4\nprint(f(5))\n"
    assert extract_tests(text, "f") == ["assert f(1) == 2", "assert f(\n    3) == 4"]
    assert (
        extract_tests("f(0)\n" + "assert f(1)\n" * 9, "f") == ["assert f(0)"] + ["assert f(1)"] * 4
    )


@pytest.fixture(scope="module")
def problems() -> list[CandidateProblem]:
    if not (DATA / "codet").is_dir():
        pytest.skip(f"no published files of CodeT in {DATA}")
    return read_problems(DATA)


@pytest.mark.data
def test_all_solutions_and_tests_are_read(problems: list[CandidateProblem]) -> None:
    assert len(problems) == 164
    assert sum(len(problem.candidates) for problem in problems) == 16_400
    assert sum(len(problem.sources) for problem in problems) == 12_408
    assert sum(len(problem.tests) for problem in problems) == 9_124
    assert sum(len(set(problem.tests)) for problem in problems) == 8_331
    assert sum(not problem.tests for problem in problems) == 9


@pytest.mark.data
def test_consensus_finds_the_correct_solutions_of_a_problem(
    problems: list[CandidateProblem],
) -> None:
    problem = next(problem for problem in problems if problem.id == "HumanEval/23")
    with ExecutionJournal() as journal:
        executed = join(problem, journal.run(batches(problem)))
    groups = executed.rank("product")
    assert sum(executed.is_correct) == sum(
        executed.is_correct[position] for position in groups[0].candidates
    )
    assert best_at_k(groups, executed.is_correct, 1) == 1.0
    assert 0.5 < chance_at_k(executed.is_correct, 1) < 1.0
