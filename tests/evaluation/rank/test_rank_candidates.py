"""Rankings by execution, by scripted models, and in stages."""

import json
from pathlib import Path

import pytest

from tests.evaluation.rank.sample_problems import (
    SQUARES,
    actual_value,
    answering,
    guessing_model,
    multiplier_problem,
    perfect_model,
    square_problem,
)
from worldline import rank_candidates
from worldline.core.errors import EngineError, InputError
from worldline.evaluation.rank import Candidate, CandidateGroup, CandidateProblem
from worldline.models.prediction import PredictionSettings

CHAT = PredictionSettings(codec="chat")


def test_candidates_are_ranked_by_execution() -> None:
    results = rank_candidates([square_problem()], k=(1, 2))
    (ranking,) = results.rankings
    # Three candidates pass three tests; the product of abs(x) and x passes three others.
    assert [(g.candidates, g.passed, g.score) for g in ranking.groups] == [
        ((0, 1, 4), 3, 9.0),
        ((3,), 3, 3.0),
        ((2,), 2, 2.0),
    ]
    assert ranking.best == "0"
    assert ranking.is_correct == (True, True, False, False, True)
    assert ranking.runs == 4
    assert {(b.by, b.k): b.mean.value for b in results.best} == {
        ("chance", 1): 0.6,
        ("chance", 2): 0.9,
        ("actual", 1): 1.0,
        ("actual", 2): 1.0,
    }
    assert results.gaps == ()
    assert results.regrets == ()


def test_a_perfect_model_has_no_simulation_gap() -> None:
    problems = [square_problem(), *(multiplier_problem(n) for n in range(3))]
    results = rank_candidates(
        problems,
        by=("actual", "predicted", "staged"),
        engine=perfect_model,
        settings=CHAT,
        run_best=(1, 2),
        k=(1, 2),
    )
    by_problem: dict[str, list[tuple[CandidateGroup, ...]]] = {}
    for ranking in results.rankings:
        by_problem.setdefault(ranking.problem, []).append(ranking.groups)
    assert all(each == groups[0] for groups in by_problem.values() for each in groups)
    assert {gap.by for gap in results.gaps} == {"predicted", "staged-1", "staged-2"}
    assert all(gap.gap.value == 0 and gap.gap.of == 4 for gap in results.gaps)
    assert [r.regret for r in results.regrets] == [0.0, 0.0, 0.0]
    assert [r.runs for r in results.regrets] == [0, 1, 2]
    assert results.without_answer == 0


def test_a_model_that_guesses_is_as_good_as_chance() -> None:
    problems = [multiplier_problem(n, "guess") for n in range(80)]
    # Every problem has its own sources, so that its guesses are its own.
    problems = [
        CandidateProblem(
            p.id,
            tuple(
                Candidate(c.id, f"{c.source}# {p.id} {c.id}\n", c.is_correct) for c in p.candidates
            ),
            function="f",
            inputs=("f(1)",),
        )
        for p in problems
    ]
    results = rank_candidates(
        problems, by="predicted", engine=guessing_model("guess"), settings=CHAT
    )
    best = {each.by: each.mean for each in results.best}
    assert best["chance"].value == 3 / 8
    assert best["predicted"].low < 3 / 8 < best["predicted"].high
    assert best["predicted"].high - best["predicted"].low < 0.2
    assert results.executions.batches == 0


def test_a_wrong_model_has_a_gap_that_running_closes() -> None:
    """The model takes the factors 4 and 5 for 3, which makes a wrong group the largest."""

    def confused(source: str, call: str) -> str:
        return actual_value(source.replace("4 *", "3 *").replace("5 *", "3 *"), call)

    problems = [multiplier_problem(n) for n in range(20)]
    results = rank_candidates(
        problems,
        by=("actual", "predicted", "staged"),
        engine=answering(confused),
        settings=CHAT,
        run_best=(0, 1, 2, 5),
        inputs=2,
    )
    best = {each.by: each.mean.value for each in results.best}
    assert best["actual"] == 1.0
    assert best["predicted"] == best["staged-0"] == 0.0
    assert best["staged-5"] == 1.0
    gap = next(each.gap for each in results.gaps if each.by == "predicted")
    assert gap.value == 1.0
    assert gap.low == pytest.approx(0.678, abs=0.001)
    regrets = {each.by: each for each in results.regrets}
    # Five different sources; the regret of 1 is paid for five runs saved.
    assert regrets["predicted"].per_run_saved == pytest.approx(1 / 5)
    assert regrets["staged-5"].per_run_saved is None


def test_staged_ranking_executes_only_the_best(tmp_path: Path) -> None:
    results = rank_candidates(
        [square_problem(reference=None)],
        by="staged",
        engine=perfect_model,
        settings=CHAT,
        run_best=1,
        folder=tmp_path,
    )
    assert results.executions.processes == 1
    assert results.rankings[0].by == "staged-1"
    assert results.best == ()


def test_inputs_are_chosen_by_what_distinguishes_candidates() -> None:
    results = rank_candidates([multiplier_problem(0)], inputs=2)
    (chosen,) = results.inputs["multiplier/0"]
    assert chosen.call in ("f(1)", "f(2)", "f(7)")
    assert chosen.after == (3, 2, 1, 1, 1)
    predicted = rank_candidates(
        [multiplier_problem(0)], inputs=1, by="predicted", engine=perfect_model, settings=CHAT
    )
    assert predicted.inputs == results.inputs


def test_only_the_chosen_inputs_are_predicted_if_all_candidates_are_executed() -> None:
    both = rank_candidates(
        [multiplier_problem(0)],
        inputs=1,
        by=("actual", "predicted"),
        engine=perfect_model,
        settings=CHAT,
    )
    # Five different sources and one input.
    assert both.predictions == 5


def test_a_source_that_does_not_parse_is_not_asked_about() -> None:
    problem = CandidateProblem(
        "p", (Candidate("a", "def f(:"), Candidate("b", SQUARES[0])), function="f", inputs=("f(2)",)
    )
    results = rank_candidates([problem], by="predicted", engine=perfect_model, settings=CHAT)
    assert results.predictions == 1
    assert results.rankings[0].best == "b"


def test_predictions_and_executions_are_resumed(tmp_path: Path) -> None:
    options = {"by": ("actual", "predicted"), "settings": CHAT, "folder": tmp_path}
    first = rank_candidates([square_problem()], engine=perfect_model, **options)  # type: ignore[arg-type]
    engine = perfect_model()
    second = rank_candidates([square_problem()], engine=lambda: engine, **options)  # type: ignore[arg-type]
    assert second.rankings == first.rankings
    assert second.executions.resumed == second.executions.batches == first.executions.batches
    assert engine.requests == []
    rows = [json.loads(line) for line in (tmp_path / "predictions.jsonl").read_text().splitlines()]
    # Four different sources and three inputs.
    assert len(rows) == first.predictions == 12


def test_a_model_is_needed_for_predictions() -> None:
    with pytest.raises(InputError, match="add --engine"):
        rank_candidates([square_problem()], by="predicted")


def test_modes_that_show_the_actual_execution_are_refused() -> None:
    with pytest.raises(InputError, match="use --mode free or --mode guided"):
        rank_candidates(
            [square_problem()],
            by="predicted",
            engine=perfect_model,
            settings=PredictionSettings(mode="force-actions"),
        )


def test_failed_predictions_are_an_error_and_are_asked_for_again(tmp_path: Path) -> None:
    def fail(source: str, call: str) -> str:
        raise EngineError("the server is down")

    problem, options = multiplier_problem(0), {"by": "predicted", "settings": CHAT}
    with pytest.raises(EngineError, match="20 predictions failed: the server is down"):
        rank_candidates([problem], engine=answering(fail), folder=tmp_path, **options)  # type: ignore[arg-type]
    again = rank_candidates([problem], engine=perfect_model, folder=tmp_path, **options)  # type: ignore[arg-type]
    assert again.without_answer == 0
