"""`worldline rank` on files of candidates and tests."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.rank.sample_problems import TESTS, perfect_model, square_problem
from tests.interfaces.cli.commands import ok, run
from worldline import rank_candidates
from worldline.models.prediction import PredictionSettings


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    problem = square_problem()
    candidates = [{"problem": "square", "code": c.source} for c in problem.candidates]
    tests = {"problem": "square", "function": "f", "tests": TESTS, "reference": problem.reference}
    return write(tmp_path / "candidates.jsonl", *candidates), write(tmp_path / "tests.jsonl", tests)


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_best_candidate_and_best_at_k_are_shown(files: tuple[Path, Path]) -> None:
    output = ok("rank", files[0], "--tests", files[1], "--workers", "1", "-k", "1").output
    assert "1 (3 of 5 agree, 3 passed)" in output
    assert "chance" in output
    assert "60.0" in output
    assert "100.0" in output


def test_json_has_all_groups_and_chosen_inputs(files: tuple[Path, Path]) -> None:
    words = ("rank", files[0], "--tests", files[1], "--inputs", "2", "--format", "json", "-q")
    document = json.loads(ok(*words).output)
    assert document["rankings"][0]["groups"][0]["candidates"] == ["1", "2", "5"]
    chosen = document["inputs"]["square"]
    # No other input distinguishes the candidates further.
    assert [each["call"] for each in chosen] == ["f(-2)", "f(3)"]
    assert chosen[0]["reason"].startswith("it splits 5 candidates in 1 group into 2 groups of 3, 2")


def test_predictions_of_a_recorded_engine_are_ranked(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    settings = PredictionSettings(codec="chat")
    rank_candidates(
        *files, by="predicted", engine=perfect_model, settings=settings, folder=tmp_path / "first"
    )
    engine = f"recorded:{tmp_path / 'first' / 'predictions.jsonl'}"
    words = ("rank", files[0], "--tests", files[1], "--by", "actual", "--by", "predicted")
    staged = ("--by", "staged", "--run-best", "1", "--codec", "chat", "-o", tmp_path / "second")
    output = ok(*words, *staged, "--engine", engine).output
    assert "simulation gap, best@1 by predicted: 0.0 points" in output
    assert "staged-1: 1.0 of 4.0 candidates executed per problem, regret 0.0 points" in output
    assert "12 predictions, 0 without an answer" in output


def test_resume_executes_nothing_again(files: tuple[Path, Path], tmp_path: Path) -> None:
    words = ("rank", files[0], "--tests", files[1], "-o", tmp_path / "out", "--format", "json")
    first, second = (json.loads(ok(*words).stdout) for _ in range(2))
    assert first["executions"]["resumed"] == 0
    assert second["executions"]["resumed"] == second["executions"]["batches"] == 8
    assert first["rankings"] == second["rankings"]


def test_predictions_need_an_engine(files: tuple[Path, Path]) -> None:
    result = run("rank", files[0], "--tests", files[1], "--by", "predicted")
    assert result.exit_code == 2
    assert "needs a model: add --engine URL" in result.output


@pytest.mark.parametrize(
    ("candidate", "test", "message"),
    [
        ({"problem": "a"}, {"problem": "a", "tests": []}, "needs 'code'"),
        ({"problem": "a", "code": "x", "correct": 1}, {}, "must be true or false"),
        ({"problem": "a", "code": "x"}, {"problem": "b", "tests": []}, "no tests for the problem"),
        ({"problem": "a", "code": "x"}, {"problem": "a", "test": []}, "unknown field 'test'"),
        ({"problem": "a", "code": "x"}, {"problem": "a", "tests": "x"}, "must be a list"),
        ({"problem": "a", "code": "x"}, {"problem": "a", "inputs": ["1 +"]}, "not one Python"),
        ({"problem": "a", "code": "x"}, {"problem": "a"}, "nothing to compare"),
    ],
)
def test_a_wrong_file_is_one_sentence(
    tmp_path: Path, candidate: dict[str, Any], test: dict[str, Any], message: str
) -> None:
    candidates, tests = write(tmp_path / "c.jsonl", candidate), write(tmp_path / "t.jsonl", test)
    result = run("rank", candidates, "--tests", tests)
    assert result.exit_code == 2
    assert message in result.output


def test_two_candidates_with_one_id_are_refused(tmp_path: Path) -> None:
    row = {"problem": "a", "code": "x", "id": "1"}
    candidates = write(tmp_path / "c.jsonl", row, row)
    tests = write(tmp_path / "t.jsonl", {"problem": "a", "tests": ["assert x"]})
    result = run("rank", candidates, "--tests", tests)
    assert "two candidates with the id '1'" in result.output


def test_a_problem_whose_tests_are_empty_is_not_ranked_but_listed(tmp_path: Path) -> None:
    rows = [{"problem": "a", "code": f"x = {n}", "correct": n == 1} for n in range(2)]
    candidates = write(tmp_path / "c.jsonl", *rows)
    tests = write(tmp_path / "t.jsonl", {"problem": "a", "tests": []})
    output = ok("rank", candidates, "--tests", tests).output
    assert "none passes" in output
    assert "50.0" in output
