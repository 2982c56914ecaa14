"""Accuracy against executed steps: counts, and comparison at equal cost."""

from pathlib import Path

import pytest

from scripts.on_demand import ReplyCache, parse_points, simulate
from tests.support.simulated_tracer import ErrorRates
from worldline.evaluation.metrics import (
    compare_at_equal_cost,
    execution_points,
    measure_executed_samples,
)
from worldline.evaluation.runs import ExecutedSample, make_executed_sample
from worldline.models.engines import Reply, Usage
from worldline.models.prediction import RowDecision


def sample(
    name: str, *, correct: bool, executed: int, rows: int = 10, policy: str = "random"
) -> ExecutedSample:
    return ExecutedSample(
        name, "correct" if correct else "incorrect", policy, 0.5, rows, executed, executed,
        rows - executed, rows - executed - (not correct),
    )  # fmt: skip


def test_executed_steps_are_never_predicted_right() -> None:
    decisions = [
        RowDecision(1, 0.9, False, True),
        RowDecision(2, 0.1, True, True),
        RowDecision(3, 0.2, True, False),
        RowDecision(4, 0.8, False, False),
    ]
    counted = make_executed_sample(
        "a", "correct", decisions, policy="checks", threshold=0.5, actual_rows=5
    )
    results = measure_executed_samples([counted])
    assert results is not None
    assert (results.predicted.correct, results.predicted.of) == (1, 2)
    assert (results.executed.correct, results.executed.of) == (2, 5)
    assert (results.needless.correct, results.needless.of) == (1, 2)


def test_infrastructure_errors_are_left_out() -> None:
    good = sample("a", correct=True, executed=1)
    bad = make_executed_sample(
        "b", "infra_error", [], policy="random", threshold=0.5, actual_rows=0
    )
    results = measure_executed_samples([good, bad])
    assert results is not None
    assert results.accuracy.of == 1
    assert measure_executed_samples([bad]) is None


def test_equal_cost_is_interpolated() -> None:
    names = [str(number) for number in range(100)]
    none = [sample(n, correct=False, executed=0) for n in names]
    half = [sample(n, correct=int(n) < 40, executed=4) for n in names]
    # Executes 2 of 10 steps, where the curve has 20 of 100 correct by interpolation.
    other = [sample(n, correct=int(n) < 50, executed=2, policy="checks") for n in names]
    difference = compare_at_equal_cost(other, [half, none])
    assert difference is not None
    assert difference.value == pytest.approx(0.5 - 0.2)
    assert difference.low is not None
    assert difference.low > 0
    # At the cost of one of the runs, that run alone counts.
    same = [sample(n, correct=int(n) < 50, executed=4, policy="checks") for n in names]
    exact = compare_at_equal_cost(same, [half, none])
    assert exact is not None
    assert exact.value == pytest.approx(0.1)
    costly = [sample(n, correct=True, executed=9, policy="checks") for n in names]
    assert compare_at_equal_cost(costly, [half, none]) is None


def test_curves_of_a_simulated_model() -> None:
    rates = ErrorRates(value=0.05, branch=0.05, skip=0.02)
    runs = simulate(
        40, rates=rates,
        points=[("none", 0.0), ("random", 0.3), ("all", 1.0), ("trust", 0.5), ("likelihood", 0.6)],
    )  # fmt: skip
    points = {point.name: point for point in execution_points(runs)}
    results = {name: point.results for name, point in points.items()}
    assert results["all-1"].accuracy.value == 1.0
    assert results["all-1"].executed.value == 1.0
    assert results["none-0"].executed.correct == 0
    free, random = results["none-0"].accuracy.value, results["random-0.3"].accuracy.value
    assert free is not None
    assert random is not None
    assert free < 0.8
    assert random >= free
    # Trust executes a tenth of the steps, and far more errors are repaired than at random.
    trusted = results["trust-0.5"]
    assert trusted.executed.value is not None
    assert trusted.executed.value < 0.15
    assert trusted.accuracy.value is not None
    assert trusted.accuracy.value > free + 0.15
    gain = points["trust-0.5"].gain
    assert gain is not None
    assert gain.value is not None
    assert gain.value > 0
    assert points["random-0.3"].gain is None


def test_replies_of_a_killed_study_are_read_again(tmp_path: Path) -> None:
    reply = Reply("x = 1\n", "stop", (1, 2), (-0.5, 0.0), usage=Usage(prompt=7, completion=2))
    ReplyCache(tmp_path / "replies.jsonl").add("asked", reply)
    with (tmp_path / "replies.jsonl").open("a") as file:
        file.write('{"key": "cut", "text": "y')
    cache = ReplyCache(tmp_path / "replies.jsonl")
    assert cache.get("asked") == reply
    assert cache.get("cut") is None


def test_points_are_parsed() -> None:
    assert parse_points("none,all,random:0.1,checks") == (
        ("none", 0.0),
        ("all", 1.0),
        ("random", 0.1),
        ("checks", 0.5),
    )
