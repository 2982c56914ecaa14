"""Two runs, sample by sample."""

import pytest
from hypothesis import given

from tests.judged import judged, run_of, runs
from tests.simulated import World
from worldline.measures import RunComparison, compare_runs
from worldline.measures.changes import Change
from worldline.runs.judged import Judged
from worldline.stats import mcnemar, right_difference, share


def test_one_repeat_each() -> None:
    found = compare_runs(run_of(*"rrrwwwcn"), run_of(*"rwcrrwwr"))
    overall = found.overall
    assert (overall.samples, overall.gained, overall.lost) == (8, 3, 2)
    assert (overall.both_right, overall.both_wrong, overall.alike) == (1, 2, 0)
    assert (overall.a, overall.b) == (share(3, 8), share(4, 8))
    assert overall.difference == right_difference([0, -1, -1, 1, 1, 0, 0, 1])
    assert overall.difference.p == mcnemar(3, 2)
    assert found.verdicts == {
        ("right", "right"): 1,
        ("right", "wrong"): 1,
        ("right", "cut"): 1,
        ("wrong", "right"): 2,
        ("wrong", "wrong"): 1,
        ("cut", "wrong"): 1,
        ("no_answer", "right"): 1,
    }


def test_where_both_answered() -> None:
    found = compare_runs(run_of(*"rrrwwwcn"), run_of(*"rwcrrwwr")).answered
    assert (found.samples, found.a, found.b) == (5, share(2, 5), share(3, 5))
    assert (found.gained, found.lost, found.both_right, found.both_wrong) == (2, 1, 1, 1)


def test_failures_count_neither_for_nor_against() -> None:
    whole = compare_runs(run_of(*"rrww"), run_of(*"rwrw"))
    failing = compare_runs(run_of(*"rrwwfrf"), run_of(*"rwrwrff"))
    assert failing.left_out == 3
    assert (failing.overall, failing.verdicts) == (whole.overall, whole.verdicts)
    # With repeats those that did not fail are left.
    repeated = compare_runs(run_of("rf", "ff"), run_of("wfw", "rrr"))
    assert (repeated.left_out, repeated.overall.lost, repeated.overall.samples) == (1, 1, 1)


def test_samples_of_one_run_alone_are_counted_and_left_out() -> None:
    a = [judged(name, "right") for name in "abcx"]
    b = [judged(name, "wrong") for name in "abyz"]
    found = compare_runs(a, b)
    assert (found.only_a, found.only_b, found.overall.samples, found.overall.lost) == (2, 2, 2, 2)


def test_nothing_shared() -> None:
    found = compare_runs(run_of(*"rw"), [])
    assert (found.only_a, found.overall.samples, found.overall.difference.value) == (2, 0, None)
    assert (found.verdicts, found.changes) == ({}, ())
    assert (found.steps.samples, found.tokens.ratio.value) == (0, None)


def test_repeats_are_clustered_and_may_be_of_different_number() -> None:
    found = compare_runs(run_of("rrww", "wwww", "rrrr", "rwww"), run_of("rw", "rw", "rr", "ww"))
    overall = found.overall
    assert (found.repeats_a, found.repeats_b) == (4, 2)
    assert (overall.gained, overall.lost, overall.alike, overall.both_right) == (1, 1, 1, 1)
    assert overall.difference == right_difference([0, 0.5, 0, -0.25])
    assert (overall.a.right, overall.a.of, overall.b.of) == (7, 16, 8)


def test_as_little_as_must_changes_between_repeats() -> None:
    found = compare_runs(run_of("rrc", "wwcc"), run_of("rwc", "rr"))
    assert found.verdicts == pytest.approx(
        {
            ("right", "right"): 1 / 3,
            ("cut", "cut"): 1 / 3,
            ("right", "wrong"): 1 / 3,
            ("wrong", "right"): 1 / 2,
            ("cut", "right"): 1 / 2,
        }
    )


def changes_of(found: RunComparison, name: str) -> dict[str, tuple[int, int, int]]:
    return {c.group: (c.pairs, c.gained, c.lost) for c in found.changes if c.name == name}


def test_gains_and_losses_are_where_the_losing_side_went_wrong() -> None:
    a = [
        judged("gained", "wrong", cause="miscopied"),
        judged("lost", "right", cause="arithmetic"),  # right for wrong reasons: not a loss's cause
        judged("still", "wrong", cause="miscopied"),
        judged("other", "wrong", cause="miscopied"),
        judged("cut", "right"),
    ]
    b = [
        judged("gained", "right"),
        judged("lost", "wrong", cause="string_handling"),
        judged("still", "wrong", cause="miscopied"),
        judged("other", "wrong", cause="arithmetic"),
        judged("cut", "cut", outcome="truncated"),
    ]
    found = compare_runs(a, b)
    assert changes_of(found, "cause") == {
        "miscopied": (3, 1, 0),
        "arithmetic": (1, 0, 0),
        "string_handling": (1, 0, 1),
    }
    assert changes_of(found, "outcome") == {"diverged": (4, 1, 1), "truncated": (1, 0, 1)}


def test_a_cause_of_the_side_that_is_right_more_often_neither_gains_nor_loses() -> None:
    a = [judged("s", "wrong", repeat=n, cause="miscopied") for n in range(2)]
    b = [judged("s", "wrong", cause="arithmetic"), judged("s", "right", repeat=1)]
    found = compare_runs(a, b)
    assert changes_of(found, "cause") == {"arithmetic": (1, 0, 0), "miscopied": (1, 1, 0)}


def test_gains_and_losses_by_what_the_samples_are() -> None:
    a, b = (
        [judged(row.sample, row.verdict, facets={"depth": n % 2}) for n, row in enumerate(rows)]
        for rows in (run_of(*"rrwww"), run_of(*"rwrww"))
    )
    found = compare_runs(a, b)
    assert changes_of(found, "depth") == {"0": (3, 1, 0), "1": (2, 0, 1)}


def test_p_is_adjusted_for_the_groups_in_which_something_changed() -> None:
    def run(letters: str) -> list[Judged]:
        rows = run_of(*letters)
        return [
            judged(row.sample, row.verdict, facets={"tenth": n // 10}) for n, row in enumerate(rows)
        ]

    found = compare_runs(run("w" * 10 + "r" * 20), run("r" * 10 + "w" + "r" * 19))
    tenths = {c.group: c for c in found.changes if c.name == "tenth"}
    assert (tenths["0"].difference.p, tenths["1"].difference.p) == (2 / 1024, 1.0)
    tried = [c for c in found.changes if c.gained or c.lost]
    assert [(c.name, c.group) for c in tried] == [
        ("outcome", "diverged"),
        ("tenth", "0"),
        ("tenth", "1"),
    ]
    assert tenths["0"].adjusted_p == pytest.approx(3 * 2 / 1024)
    assert tenths["2"].adjusted_p is None


def test_how_far_and_how_much() -> None:
    a = [judged(f"s{n}", "wrong", matched_steps=n, written_tokens=100) for n in range(5)]
    b = [judged(f"s{n}", "wrong", matched_steps=2, written_tokens=50) for n in range(4)]
    b.append(judged("s4", "wrong"))
    found = compare_runs(a, b)
    assert (found.steps.samples, found.steps.more, found.steps.less) == (4, 2, 1)
    assert (found.steps.total_a, found.steps.total_b, found.steps.difference.value) == (6, 8, 0.5)
    assert (found.tokens.total_a, found.tokens.total_b, found.tokens.less) == (400, 200, 4)
    assert (found.tokens.ratio.value, found.tokens.difference.p) == (0.5, 2 / 16)


def test_what_the_runs_say_differently_of_one_sample() -> None:
    a, b = run_of(*"rrr", program="x"), run_of(*"rrr", program="x")
    assert compare_runs(a, b).reworded == 0
    b[0] = judged("s0", "right", program="y")
    b[1] = judged("s1", "right", program="y", facets={"depth": 3})
    a[1] = judged("s1", "right", program="x", facets={"depth": 2})
    found = compare_runs(a, b)
    assert found.reworded == 2
    assert "depth" not in {change.name for change in found.changes}


@given(runs())
def test_a_run_and_itself(rows: list[Judged]) -> None:
    found = compare_runs(rows, rows)
    assert (found.only_a, found.only_b, found.reworded) == (0, 0, 0)
    for accuracy in (found.overall, found.answered):
        assert (accuracy.gained, accuracy.lost, accuracy.difference.p) == (0, 0, 1.0)
        assert accuracy.difference.value == (0 if accuracy.samples else None)
        assert accuracy.a == accuracy.b
    assert all(before == after for before, after in found.verdicts)
    assert all(c.gained == c.lost == 0 and c.adjusted_p is None for c in found.changes)
    for numbers in (found.steps, found.tokens):
        assert (numbers.more, numbers.less, numbers.difference.p) == (0, 0, 1.0)


@given(runs(), runs())
def test_the_other_way_round(a: list[Judged], b: list[Judged]) -> None:
    found, other = compare_runs(a, b), compare_runs(b, a)
    assert (found.only_a, found.only_b, found.left_out) == (
        *(other.only_b, other.only_a, other.left_out),
    )
    assert (found.overall.gained, found.overall.lost) == (other.overall.lost, other.overall.gained)
    assert (found.overall.a, found.overall.b) == (other.overall.b, other.overall.a)
    assert_negated(found, other)
    assert found.verdicts == pytest.approx(
        {(x, y): number for (y, x), number in other.verdicts.items()}
    )
    mirrored = {(c.name, c.group): c for c in other.changes}
    assert set(mirrored) == {(c.name, c.group) for c in found.changes}
    for change in found.changes:
        assert_mirrored(change, mirrored[change.name, change.group])


def assert_negated(found: RunComparison, other: RunComparison) -> None:
    for one, two in (
        (found.overall.difference, other.overall.difference),
        (found.steps.difference, other.steps.difference),
        (found.tokens.difference, other.tokens.difference),
    ):
        assert one.p == pytest.approx(two.p)
        assert [one.value, one.low, one.high] == pytest.approx(
            [None if x is None else -x for x in (two.value, two.high, two.low)], abs=1e-7
        )


def assert_mirrored(change: Change, other: Change) -> None:
    assert (change.pairs, change.gained, change.lost) == (other.pairs, other.lost, other.gained)
    assert change.adjusted_p == pytest.approx(other.adjusted_p)


@given(runs(), runs())
def test_counts_add_up(a: list[Judged], b: list[Judged]) -> None:
    found = compare_runs(a, b)
    overall = found.overall
    changed = overall.gained + overall.lost
    assert changed + overall.both_right + overall.both_wrong + overall.alike == overall.samples
    assert sum(found.verdicts.values()) == pytest.approx(overall.samples)
    to_right = sum(n for (x, y), n in found.verdicts.items() if y == "right" != x)
    from_right = sum(n for (x, y), n in found.verdicts.items() if x == "right" != y)
    net = (overall.difference.value or 0) * overall.samples
    assert to_right - from_right == pytest.approx(net, abs=1e-9)
    steps = [c for c in found.changes if c.name == "steps"]
    assert sum(c.gained for c in steps) == overall.gained
    assert sum(c.pairs for c in steps) == overall.samples
    outcomes = [c for c in found.changes if c.name == "outcome"]
    assert sum(c.lost for c in outcomes) >= overall.lost


def test_many_groups_raise_no_more_false_alarms() -> None:
    """Two runs of equal models: something is called a change in 5% of comparisons at most."""
    world, times = World(150), 150
    alarms = unadjusted = 0
    for a, b in world.runs(times, seed=8):
        rows = [
            [
                judged(
                    f"s{n}",
                    "right" if right else "wrong",
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
