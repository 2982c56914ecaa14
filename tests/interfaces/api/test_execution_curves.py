"""Runs of the mode `on-demand`: stored, reported, and compared at equal cost."""

from pathlib import Path

import pytest

import worldline as wl
from tests.models.prediction.test_on_demand import DOUBLE, ROWS, writer
from worldline.core.errors import InputError
from worldline.evaluation.benchmarks import Benchmark
from worldline.evaluation.runs import read_executed_samples, read_predictions
from worldline.interfaces.report import render_text, run_report
from worldline.models.prediction import Policy, PredictionSettings, Question

WRONG = (*ROWS[:1], "L2: y = x * 2 => y = 7\n", "L3: z = y + 1 => z = 8\n",
         "L4: return z => 8\n", "ANSWER: 8\n")  # fmt: skip
BENCHMARK = Benchmark("double", (Question("double", DOUBLE, "9"),))


def evaluate(folder: Path, policy: Policy, threshold: float = 0.5) -> wl.Run:
    settings = PredictionSettings("on-demand", "chat-trace", policy=policy, threshold=threshold)
    return wl.evaluate(BENCHMARK, lambda: writer(WRONG), output=folder / policy, settings=settings)


def test_a_run_on_demand(tmp_path: Path) -> None:
    run = evaluate(tmp_path, "checks")
    # y = 7 is contradicted. Then z = 8, its return and the answer follow from y = 7, not from 8.
    (sample,) = read_executed_samples(run.location)
    assert (sample.verdict, sample.actual_rows) == ("correct", 5)
    assert (sample.executed, sample.executed_needlessly) == (4, 0)
    assert (sample.predicted, sample.predicted_right) == (1, 1)
    results = wl.measure_on_demand(run)
    assert (results.policy, results.executed.correct, results.executed.of) == ("checks", 4, 5)
    # Executed steps are not counted as predicted steps anywhere else.
    assert run.samples[0].matched_steps is None
    assert run.sql("select policy, threshold, executed_steps, actual_rows from samples").rows == (
        ("checks", 0.5, 4, 5),
    )
    (prediction,) = read_predictions(run.location)
    assert prediction.generation is not None
    assert [each.is_executed for each in prediction.generation.decisions] == [False] + [True] * 4
    text = render_text(*run_report(run.results(), width=100))
    assert "Interpreter on demand, policy checks, threshold 0.5" in text
    assert "executed           4 of 5" in text


def test_a_curve(tmp_path: Path) -> None:
    policies: tuple[Policy, ...] = ("none", "all", "checks")
    runs = [evaluate(tmp_path, policy) for policy in policies]
    points = {point.results.policy: point for point in wl.execution_curve(runs)}
    assert points["none"].results.accuracy.correct == 0
    assert points["all"].results.accuracy.correct == 1
    assert points["none"].gain is None
    gain = points["checks"].gain
    assert gain is not None
    # Four fifths of the way from nothing to everything, where the line between them is at 0.8.
    assert gain.value == pytest.approx(1 - 0.8)


def test_another_mode(tmp_path: Path) -> None:
    settings = PredictionSettings(codec="chat-trace")
    run = wl.evaluate(BENCHMARK, lambda: writer(ROWS), output=tmp_path / "free", settings=settings)
    with pytest.raises(InputError, match="--mode on-demand"):
        wl.measure_on_demand(run)


def test_one_prediction() -> None:
    prediction = wl.predict(
        DOUBLE, engine=lambda: writer(WRONG), codec="chat-trace", mode="on-demand", policy="checks"
    )
    assert prediction.answer == "9"
