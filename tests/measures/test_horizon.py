"""How long predictions stay right: against the definition, sample by sample."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.demo import PREDICTIONS
from worldline.measures.horizon import Horizon, measure_horizon
from worldline.runs import diagnose_recorded
from worldline.runs.judged import Judged


def whole(length: int) -> Judged:
    return Judged("whole", 0, "right", "correct", matched_steps=length, true_steps=length)


def diverged(right: int, length: int | None) -> Judged:
    return Judged(
        "diverged", 0, "wrong", "diverged", step=right, matched_steps=right, true_steps=length
    )


def cut(right: int, length: int | None) -> Judged:
    return Judged("cut", 0, "cut", "truncated", matched_steps=right, true_steps=length)


def malformed(right: int, length: int) -> Judged:
    return Judged("malformed", 0, "no_answer", "malformed", matched_steps=right, true_steps=length)


@st.composite
def samples(draw: st.DrawFn) -> Judged:
    length = draw(st.integers(1, 40))
    right = draw(st.integers(0, length - 1))
    known = draw(st.sampled_from([length, None]))
    return draw(
        st.sampled_from(
            [whole(length), diverged(right, known), cut(right, known), malformed(right, length)]
        )
    )


def survivals(horizon: Horizon) -> dict[int, float]:
    return {point.step: point.survival for point in horizon.points}


def by_definition(found: list[Judged], step: int) -> float:
    """The product over all steps of the share that went on right, of those that tell."""
    survival = 1.0
    for t in range(1, step + 1):
        right = sum((s.matched_steps or 0) >= t for s in found)
        lost = sum(
            s.outcome in ("diverged", "malformed") and s.matched_steps == t - 1 for s in found
        )
        if lost:
            survival *= right / (right + lost)
    return survival


def test_a_cut_sample_counts_as_long_as_it_was_seen() -> None:
    found = measure_horizon([whole(4), cut(2, 4), diverged(2, 4)])
    assert survivals(found) == {1: 1.0, 2: 1.0, 4: 0.5}
    (risk,) = found.risks
    assert (risk.step, risk.at_risk, risk.lost) == (3, 2, 1)
    last = found.points[-1]
    assert (last.reached, last.right, last.lost, last.unseen, last.at_risk) == (3, 1, 1, 1, 1)
    # Steps 3 and 4: two were written at step 3, one of them wrong, and one at step 4.
    assert (last.steps, last.lost_since, last.per_step) == (3, 1, 1 - 1 / 3)
    assert (found.steps, found.per_step) == (4 + 2 + 3, 1 - 1 / 9)


def test_a_cut_is_not_a_divergence_and_not_a_success() -> None:
    seen = [diverged(4, 8), whole(8)]
    with_cuts = measure_horizon(seen + [cut(3, 8)] * 10)
    assert survivals(with_cuts)[8] == survivals(measure_horizon(seen))[8] == 0.5
    assert with_cuts.points[-1].unseen == 10
    assert (with_cuts.unseen, with_cuts.diverged, with_cuts.whole) == (10, 1, 1)


def test_without_cuts_it_is_the_share_that_is_right() -> None:
    """Of programs that are all of one length."""
    found = measure_horizon([diverged(n, 16) for n in range(16)] + [whole(16)] * 4)
    for point in found.points:
        assert point.reached == 20
        assert point.survival == pytest.approx(point.right / point.reached)
        assert point.unseen == 0


def test_a_program_that_has_ended_is_no_more_at_risk() -> None:
    found = measure_horizon([whole(2)] * 9 + [diverged(3, 4)])
    assert [(p.step, p.reached, p.at_risk) for p in found.points] == [
        (1, 10, 10),
        (2, 10, 10),
        (4, 1, 1),
    ]
    assert survivals(found)[4] == 0.0


def test_something_that_is_no_step_is_not_right() -> None:
    found = measure_horizon([malformed(1, 4), diverged(1, 4), whole(4), whole(4)])
    assert survivals(found)[2] == pytest.approx(0.5)
    (risk,) = found.risks
    assert (risk.step, risk.diverged, risk.malformed, risk.lost) == (2, 1, 1, 2)
    assert (found.diverged, found.malformed, found.lost) == (1, 1, 2)


def test_running_on_behind_the_end_is_no_wrong_step() -> None:
    found = measure_horizon([diverged(4, 4)])
    assert (found.whole, found.ran_on, found.diverged, found.risks) == (1, 1, 0, ())
    assert survivals(found) == {1: 1.0, 2: 1.0, 4: 1.0}


def test_a_last_step_that_traces_leave_out_is_no_cut() -> None:
    omitted = Judged("raises", 0, "right", "correct", matched_steps=3, true_steps=4)
    found = measure_horizon([omitted, whole(4)])
    assert (found.whole, found.unseen) == (2, 0)
    last = found.points[-1]
    assert (last.step, last.reached, last.right, last.unseen) == (4, 2, 1, 1)


def test_a_length_that_is_not_known_is_not_made_up() -> None:
    found = measure_horizon([cut(3, None), diverged(1, None), whole(8)])
    assert found.unknown_length == 2
    assert [(p.step, p.reached) for p in found.points] == [(1, 3), (2, 3), (4, 1), (8, 1)]
    measured = Judged(
        "cut", 0, "cut", "truncated", matched_steps=3, difficulty={"steps": 20, "call_depth": 2}
    )
    known = measure_horizon([measured, whole(8)])
    assert known.unknown_length == 0
    assert [(p.step, p.reached, p.unseen) for p in known.points][2:] == [(4, 2, 1), (8, 2, 1)]


def test_what_is_outside() -> None:
    answer_only = Judged("answer", 0, "right", "correct")
    failed = Judged("failed", 0, "failed", "error", matched_steps=3, true_steps=9)
    found = measure_horizon([answer_only, failed, whole(1)])
    assert (found.samples, found.without_steps, found.failed) == (1, 1, 1)
    empty = measure_horizon([])
    assert (empty.points, empty.risks, empty.per_step) == ((), (), None)
    at_once = measure_horizon([cut(0, 5)])
    assert (at_once.points, at_once.samples, at_once.unseen) == ((), 1, 1)


@given(st.lists(samples(), max_size=40))
def test_by_definition(found: list[Judged]) -> None:
    horizon = measure_horizon(found)
    ends = (horizon.diverged, horizon.malformed, horizon.whole, horizon.unseen)
    assert sum(ends) == horizon.samples == len(found)
    assert horizon.lost == sum(risk.lost for risk in horizon.risks)
    assert [p.step for p in horizon.points] == [2**n for n in range(len(horizon.points))]
    for point in horizon.points:
        assert point.survival == pytest.approx(by_definition(found, point.step))
        assert point.right + point.lost + point.unseen == point.reached
        assert point.right == sum((s.matched_steps or 0) >= point.step for s in found)
    for before, after in zip(horizon.points, horizon.points[1:], strict=False):
        assert after.survival <= before.survival
        assert after.reached <= before.reached
    shown = sum(point.steps for point in horizon.points)
    assert shown <= horizon.steps
    if horizon.points and max(s.matched_steps or 0 for s in found) < horizon.points[-1].step:
        assert shown == horizon.steps
    assert measure_horizon(found[::-1]) == horizon


def test_a_model_with_one_chance_of_error_a_step() -> None:
    """1 wrong in 20, by any length and under any budget: that is what is found."""
    found = []
    for number in range(4000):
        length, budget = 10 + number % 50, 5 + number % 37
        # The quantile of a geometric distribution, evenly spread.
        right = int(math.log((number * 7919 % 4000 + 0.5) / 4000) / math.log(0.95))
        if right < min(length, budget):
            found.append(diverged(right, length))
        else:
            found.append(whole(length) if length <= budget else cut(budget, length))
    horizon = measure_horizon(found)
    assert horizon.per_step == pytest.approx(0.95, abs=0.005)
    for point in horizon.points:
        assert point.survival == pytest.approx(0.95**point.step, abs=0.03)
    # What cuts would make of it, taken as wrong or left out.
    sixteen = horizon.points[4]
    assert sixteen.unseen > 500
    assert sixteen.right / sixteen.reached < 0.95**16 - 0.05
    assert sixteen.right / (sixteen.right + sixteen.lost) < 0.95**16 - 0.05


def test_steps_are_those_of_diagnoses() -> None:
    """The demo's predictions: a step is lost where a divergence is found."""
    found = []
    for sample in diagnose_recorded(PREDICTIONS):
        facts = sample.diagnosis.facts
        has_steps = facts.alignment is not None and sample.prediction.decoded.shows_steps
        found.append(
            Judged(
                sample.prediction.id,
                0,
                "failed" if facts.outcome == "error" else "wrong",
                facts.outcome,
                step=facts.divergence.step if facts.divergence and has_steps else None,
                matched_steps=facts.alignment.matched if facts.alignment and has_steps else None,
                true_steps=facts.true_steps,
            )
        )
    horizon = measure_horizon(found)
    outcomes = [judged.outcome for judged in found if judged.matched_steps is not None]
    assert horizon.diverged + horizon.ran_on == outcomes.count("diverged") > 3
    assert horizon.unseen == outcomes.count("truncated") == 1
    assert horizon.malformed == outcomes.count("malformed")
    where = Counter(j.step + 1 for j in found if j.step is not None and j.step != j.true_steps)
    assert {risk.step: risk.diverged for risk in horizon.risks if risk.diverged} == where
