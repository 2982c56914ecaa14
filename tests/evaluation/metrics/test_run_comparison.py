"""Comparison of two runs, sample by sample."""

import pytest
from hypothesis import given

from tests.support.scored_samples import make_scored_sample, run_of, runs
from tests.support.simulated_runs import World
from worldline.analysis.stats import accuracy_difference, mcnemar, share
from worldline.evaluation.metrics import RunComparison, compare_runs
from worldline.evaluation.metrics.changes_by_group import GroupChange
from worldline.evaluation.runs.scored_sample import ScoredSample


def test_one_repeat_each() -> None:
    result = compare_runs(run_of(*"rrrwwwcn"), run_of(*"rwcrrwwr"))
    overall = result.overall
    assert (overall.samples, overall.gained, overall.lost) == (8, 3, 2)
    assert (overall.both_correct, overall.both_incorrect, overall.alike) == (1, 2, 0)
    assert (overall.a, overall.b) == (share(3, 8), share(4, 8))
    assert overall.difference == accuracy_difference([0, -1, -1, 1, 1, 0, 0, 1])
    assert overall.difference.p == mcnemar(3, 2)
    assert result.verdicts == {
        ("correct", "correct"): 1,
        ("correct", "incorrect"): 1,
        ("correct", "truncated"): 1,
        ("incorrect", "correct"): 2,
        ("incorrect", "incorrect"): 1,
        ("truncated", "incorrect"): 1,
        ("no_answer", "correct"): 1,
    }


def test_accuracy_on_samples_that_both_answered() -> None:
    result = compare_runs(run_of(*"rrrwwwcn"), run_of(*"rwcrrwwr")).answered
    assert (result.samples, result.a, result.b) == (5, share(2, 5), share(3, 5))
    assert (result.gained, result.lost, result.both_correct, result.both_incorrect) == (2, 1, 1, 1)


def test_infrastructure_errors_are_left_out() -> None:
    whole = compare_runs(run_of(*"rrww"), run_of(*"rwrw"))
    failing = compare_runs(run_of(*"rrwwfrf"), run_of(*"rwrwrff"))
    assert failing.left_out == 3
    assert (failing.overall, failing.verdicts) == (whole.overall, whole.verdicts)
    # With repeats, those without an infrastructure error are kept.
    repeated = compare_runs(run_of("rf", "ff"), run_of("wfw", "rrr"))
    assert (repeated.left_out, repeated.overall.lost, repeated.overall.samples) == (1, 1, 1)


def test_samples_of_only_one_run_are_counted_and_left_out() -> None:
    a = [make_scored_sample(name, "correct") for name in "abcx"]
    b = [make_scored_sample(name, "incorrect") for name in "abyz"]
    result = compare_runs(a, b)
    assert (result.only_a, result.only_b, result.overall.samples, result.overall.lost) == (
        2,
        2,
        2,
        2,
    )


def test_runs_without_shared_samples() -> None:
    result = compare_runs(run_of(*"rw"), [])
    assert (result.only_a, result.overall.samples, result.overall.difference.value) == (2, 0, None)
    assert (result.verdicts, result.changes) == ({}, ())
    assert (result.steps.samples, result.tokens.ratio.value) == (0, None)


def test_repeats_are_clustered_and_may_differ_in_number() -> None:
    result = compare_runs(run_of("rrww", "wwww", "rrrr", "rwww"), run_of("rw", "rw", "rr", "ww"))
    overall = result.overall
    assert (result.repeats_a, result.repeats_b) == (4, 2)
    assert (overall.gained, overall.lost, overall.alike, overall.both_correct) == (1, 1, 1, 1)
    assert overall.difference == accuracy_difference([0, 0.5, 0, -0.25])
    assert (overall.a.correct, overall.a.of, overall.b.of) == (7, 16, 8)


def test_verdict_changes_between_repeats_are_minimal() -> None:
    result = compare_runs(run_of("rrc", "wwcc"), run_of("rwc", "rr"))
    assert result.verdicts == pytest.approx(
        {
            ("correct", "correct"): 1 / 3,
            ("truncated", "truncated"): 1 / 3,
            ("correct", "incorrect"): 1 / 3,
            ("incorrect", "correct"): 1 / 2,
            ("truncated", "correct"): 1 / 2,
        }
    )


def changes_of(result: RunComparison, name: str) -> dict[str, tuple[int, int, int]]:
    return {c.group: (c.pairs, c.gained, c.lost) for c in result.changes if c.name == name}


def test_gains_and_losses_are_grouped_by_the_failures_of_the_worse_run() -> None:
    a = [
        make_scored_sample("gained", "incorrect", cause="copy_error"),
        make_scored_sample(
            "lost", "correct", cause="arithmetic"
        ),  # superficially correct: not the cause of a loss
        make_scored_sample("still", "incorrect", cause="copy_error"),
        make_scored_sample("other", "incorrect", cause="copy_error"),
        make_scored_sample("truncated", "correct"),
    ]
    b = [
        make_scored_sample("gained", "correct"),
        make_scored_sample("lost", "incorrect", cause="string_handling"),
        make_scored_sample("still", "incorrect", cause="copy_error"),
        make_scored_sample("other", "incorrect", cause="arithmetic"),
        make_scored_sample("truncated", "truncated", outcome="truncated"),
    ]
    result = compare_runs(a, b)
    assert changes_of(result, "cause") == {
        "copy_error": (3, 1, 0),
        "arithmetic": (1, 0, 0),
        "string_handling": (1, 0, 1),
    }
    assert changes_of(result, "outcome") == {"diverged": (4, 1, 1), "truncated": (1, 0, 1)}


def test_causes_of_the_better_run_neither_gain_nor_lose() -> None:
    a = [make_scored_sample("s", "incorrect", repeat=n, cause="copy_error") for n in range(2)]
    b = [
        make_scored_sample("s", "incorrect", cause="arithmetic"),
        make_scored_sample("s", "correct", repeat=1),
    ]
    result = compare_runs(a, b)
    assert changes_of(result, "cause") == {"arithmetic": (1, 0, 0), "copy_error": (1, 1, 0)}


def test_gains_and_losses_by_facet_and_difficulty() -> None:
    a, b = (
        [
            make_scored_sample(row.sample, row.verdict, facets={"depth": n % 2})
            for n, row in enumerate(rows)
        ]
        for rows in (run_of(*"rrwww"), run_of(*"rwrww"))
    )
    result = compare_runs(a, b)
    assert changes_of(result, "depth") == {"0": (3, 1, 0), "1": (2, 0, 1)}


def test_p_values_are_adjusted_for_the_groups_with_changes() -> None:
    def run(letters: str) -> list[ScoredSample]:
        rows = run_of(*letters)
        return [
            make_scored_sample(row.sample, row.verdict, facets={"tenth": n // 10})
            for n, row in enumerate(rows)
        ]

    result = compare_runs(run("w" * 10 + "r" * 20), run("r" * 10 + "w" + "r" * 19))
    tenths = {c.group: c for c in result.changes if c.name == "tenth"}
    assert (tenths["0"].difference.p, tenths["1"].difference.p) == (2 / 1024, 1.0)
    tried = [c for c in result.changes if c.gained or c.lost]
    assert [(c.name, c.group) for c in tried] == [
        ("outcome", "diverged"),
        ("tenth", "0"),
        ("tenth", "1"),
    ]
    assert tenths["0"].adjusted_p == pytest.approx(3 * 2 / 1024)
    assert tenths["2"].adjusted_p is None


def test_comparison_of_steps_and_tokens() -> None:
    a = [
        make_scored_sample(f"s{n}", "incorrect", matched_steps=n, completion_tokens=100)
        for n in range(5)
    ]
    b = [
        make_scored_sample(f"s{n}", "incorrect", matched_steps=2, completion_tokens=50)
        for n in range(4)
    ]
    b.append(make_scored_sample("s4", "incorrect"))
    result = compare_runs(a, b)
    assert (result.steps.samples, result.steps.more, result.steps.less) == (4, 2, 1)
    assert (result.steps.total_a, result.steps.total_b, result.steps.change.value) == (6, 8, 1)
    assert (result.tokens.total_a, result.tokens.total_b, result.tokens.less) == (400, 200, 4)
    assert (result.tokens.ratio.value, result.tokens.change.p) == (0.5, 2 / 16)


def test_inconsistent_values_of_two_runs_are_ignored() -> None:
    a, b = run_of(*"rrr", program="x"), run_of(*"rrr", program="x")
    assert compare_runs(a, b).reworded == 0
    b[0] = make_scored_sample("s0", "correct", program="y")
    b[1] = make_scored_sample("s1", "correct", program="y", facets={"depth": 3})
    a[1] = make_scored_sample("s1", "correct", program="x", facets={"depth": 2})
    result = compare_runs(a, b)
    assert result.reworded == 2
    assert "depth" not in {change.name for change in result.changes}


@given(runs())
def test_a_run_compared_with_itself(rows: list[ScoredSample]) -> None:
    result = compare_runs(rows, rows)
    assert (result.only_a, result.only_b, result.reworded) == (0, 0, 0)
    for accuracy in (result.overall, result.answered):
        assert (accuracy.gained, accuracy.lost, accuracy.difference.p) == (0, 0, 1.0)
        assert accuracy.difference.value == (0 if accuracy.samples else None)
        assert accuracy.a == accuracy.b
    assert all(before == after for before, after in result.verdicts)
    assert all(c.gained == c.lost == 0 and c.adjusted_p is None for c in result.changes)
    for numbers in (result.steps, result.tokens):
        assert (numbers.more, numbers.less, numbers.change.p) == (0, 0, 1.0)


@given(runs(), runs())
def test_swapping_the_runs_swaps_gains_and_losses(
    a: list[ScoredSample], b: list[ScoredSample]
) -> None:
    result, other = compare_runs(a, b), compare_runs(b, a)
    assert (result.only_a, result.only_b, result.left_out) == (
        *(other.only_b, other.only_a, other.left_out),
    )
    assert (result.overall.gained, result.overall.lost) == (
        other.overall.lost,
        other.overall.gained,
    )
    assert (result.overall.a, result.overall.b) == (other.overall.b, other.overall.a)
    assert_negated(result, other)
    assert result.verdicts == pytest.approx(
        {(x, y): number for (y, x), number in other.verdicts.items()}
    )
    mirrored = {(c.name, c.group): c for c in other.changes}
    assert set(mirrored) == {(c.name, c.group) for c in result.changes}
    for change in result.changes:
        assert_mirrored(change, mirrored[change.name, change.group])


def assert_negated(result: RunComparison, other: RunComparison) -> None:
    for one, two in (
        (result.overall.difference, other.overall.difference),
        (result.steps.change, other.steps.change),
        (result.tokens.change, other.tokens.change),
    ):
        assert one.p == pytest.approx(two.p)
        assert [one.value, one.low, one.high] == pytest.approx(
            [None if x is None else -x for x in (two.value, two.high, two.low)], abs=1e-7
        )


def assert_mirrored(change: GroupChange, other: GroupChange) -> None:
    assert (change.pairs, change.gained, change.lost) == (other.pairs, other.lost, other.gained)
    assert change.adjusted_p == pytest.approx(other.adjusted_p)


@given(runs(), runs())
def test_counts_add_up(a: list[ScoredSample], b: list[ScoredSample]) -> None:
    result = compare_runs(a, b)
    overall = result.overall
    changed = overall.gained + overall.lost
    assert (
        changed + overall.both_correct + overall.both_incorrect + overall.alike == overall.samples
    )
    assert sum(result.verdicts.values()) == pytest.approx(overall.samples)
    to_right = sum(n for (x, y), n in result.verdicts.items() if y == "correct" != x)
    from_right = sum(n for (x, y), n in result.verdicts.items() if x == "correct" != y)
    net = (overall.difference.value or 0) * overall.samples
    assert to_right - from_right == pytest.approx(net, abs=1e-9)
    steps = [c for c in result.changes if c.name == "steps"]
    assert sum(c.gained for c in steps) == overall.gained
    assert sum(c.pairs for c in steps) == overall.samples
    outcomes = [c for c in result.changes if c.name == "outcome"]
    assert sum(c.lost for c in outcomes) >= overall.lost


def test_many_groups_keep_the_false_positive_rate() -> None:
    """Between runs of equal models, at most 5% of comparisons report a change."""
    world, times = World(150), 150
    alarms = unadjusted = 0
    for a, b in world.runs(times, seed=8):
        rows = [
            [
                make_scored_sample(
                    f"s{n}",
                    "correct" if right else "incorrect",
                    cause=f"c{n % 3}",
                    facets={"depth": n % 5},
                    difficulty={"steps": n, "calls": n % 7},
                )
                for n, right in enumerate(side)
            ]
            for side in (a, b)
        ]
        changes = compare_runs(*rows).changes
        alarms += any(c.adjusted_p is not None and c.adjusted_p < 0.05 for c in changes)
        unadjusted += any(c.difference.p < 0.05 for c in changes)
    assert alarms / times <= 0.05
    assert unadjusted / times > 0.15
