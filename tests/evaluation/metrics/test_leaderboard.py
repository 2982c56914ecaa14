"""Leaderboard of runs."""

from dataclasses import replace

import pytest

from tests.support.scored_samples import run_of
from worldline.core.errors import InputError
from worldline.evaluation.metrics import rank_runs

RUNS = {
    "base": run_of(*"rrrrwwww"),
    "better": run_of(*"rrrrrrrw"),
    "worse": run_of(*"rrwwwwww"),
    "truncated": run_of(*"rrccwwwf"),
}


def test_runs_are_ranked_and_compared_with_the_first() -> None:
    board = rank_runs(RUNS)
    assert board.baseline == "base"
    assert [row.run for row in board.rows] == ["better", "base", "truncated", "worse"]
    by_run = {row.run: row for row in board.rows}
    assert by_run["base"].difference is None
    better, worse = by_run["better"].difference, by_run["worse"].difference
    assert better is not None
    assert worse is not None
    assert (better.answered.value, better.answered.of) == (3 / 8, 8)
    assert (worse.answered.value, worse.answered.of) == (-2 / 8, 8)
    # Adjusted for three comparisons: no smaller than the p-value alone.
    assert better.adjusted_p >= better.answered.p


def test_truncated_samples_and_errors_are_in_no_difference() -> None:
    (row,) = (row for row in rank_runs(RUNS).rows if row.run == "truncated")
    assert row.difference is not None
    assert (row.difference.answered.value, row.difference.answered.of) == (0.0, 5)
    assert (row.difference.all.value, row.difference.all.of) == (-2 / 7, 7)
    assert (row.accuracy.truncated, row.accuracy.infra_error) == (2, 1)


def test_only_runs_with_shared_answers_are_counted_in_the_adjustment() -> None:
    runs = {"base": run_of(*"rrrrrrwwwwww"), "better": run_of(*"rrrrrrrrrrrr")}
    alone = rank_runs(runs)
    other = [replace(sample, sample=f"other {sample.sample}") for sample in RUNS["base"]]
    with_other = rank_runs({**runs, "other": other})
    p_values = {
        row.run: row.difference.adjusted_p
        for board in (alone, with_other)
        for row in board.rows
        if row.difference is not None and row.run == "better"
    }
    (better,) = (row.difference for row in alone.rows if row.run == "better")
    assert better is not None
    assert p_values == {"better": better.answered.p}
    (row,) = (row for row in with_other.rows if row.run == "other")
    assert row.difference is not None
    assert (row.difference.answered.value, row.difference.answered.of) == (None, 0)


def test_runs_with_the_same_verdicts_are_marked() -> None:
    base = RUNS["base"]
    part, changed = base[:3], [*base[:3], replace(base[3], verdict="truncated")]
    other = [replace(sample, sample=f"other {sample.sample}") for sample in base]
    runs = {"base": base, "part": part, "changed": changed, "other": other}
    marks = {
        row.run: row.difference.has_same_verdicts
        for row in rank_runs(runs).rows
        if row.difference is not None
    }
    assert marks == {"part": True, "changed": False, "other": False}


def test_another_baseline() -> None:
    board = rank_runs(RUNS, baseline="worse")
    (row,) = (row for row in board.rows if row.run == "base")
    assert row.difference is not None
    assert row.difference.answered.value == 2 / 8


def test_wrong_baselines_and_single_runs_are_errors() -> None:
    with pytest.raises(InputError, match="the baseline best is not one of the runs"):
        rank_runs(RUNS, baseline="best")
    with pytest.raises(InputError, match="at least two"):
        rank_runs({"base": RUNS["base"]})
