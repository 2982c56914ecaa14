"""Survival curves, compared with the definition of the estimate."""

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.evaluation.metrics.survival import (
    Survival,
    measure_survival,
    measure_survival_curve,
)
from worldline.evaluation.runs import diagnose_file
from worldline.evaluation.runs.scored_sample import ScoredSample
from worldline.interfaces.demo import PREDICTIONS
from worldline.interfaces.report import headline


def whole(length: int) -> ScoredSample:
    return ScoredSample("whole", 0, "correct", "correct", matched_steps=length, actual_steps=length)


def diverged(right: int, length: int | None) -> ScoredSample:
    return ScoredSample(
        "diverged", 0, "incorrect", "diverged", step=right, matched_steps=right, actual_steps=length
    )


def cut(right: int, length: int | None) -> ScoredSample:
    return ScoredSample(
        "truncated", 0, "truncated", "truncated", matched_steps=right, actual_steps=length
    )


def malformed(right: int, length: int) -> ScoredSample:
    return ScoredSample(
        "malformed", 0, "no_answer", "malformed", matched_steps=right, actual_steps=length
    )


@st.composite
def samples(draw: st.DrawFn) -> ScoredSample:
    length = draw(st.integers(1, 40))
    right = draw(st.integers(0, length - 1))
    known = draw(st.sampled_from([length, None]))
    return draw(
        st.sampled_from(
            [whole(length), diverged(right, known), cut(right, known), malformed(right, length)]
        )
    )


def survivals(horizon: Survival) -> dict[int, float]:
    return {point.step: point.survival for point in horizon.points}


def by_definition(result: list[ScoredSample], step: int) -> float:
    """The product over all steps of the share that stayed correct, of those at risk."""
    survival = 1.0
    for t in range(1, step + 1):
        right = sum((s.matched_steps or 0) >= t for s in result)
        lost = sum(
            s.outcome in ("diverged", "malformed") and s.matched_steps == t - 1 for s in result
        )
        if lost:
            survival *= right / (right + lost)
    return survival


@given(st.lists(samples(), max_size=30))
def test_the_curve_is_the_estimate_at_every_step(result: list[ScoredSample]) -> None:
    curve = measure_survival_curve(result)
    for point in curve:
        # The steps of the curve are those of the samples, from 0.
        assert math.isclose(point.survival, by_definition(result, point.step + 1))
        observed = (s for s in result if (s.matched_steps or 0) + (s.step is not None) > point.step)
        assert point.at_risk >= len(list(observed))
    # It falls at the first divergence of each sample that diverged, and only at points.
    fallen = {s.step for s in result if s.outcome == "diverged"}
    assert fallen <= {point.step for point in curve}
    for before, after in pairwise(curve):
        for step in range(before.step, after.step):
            assert math.isclose(before.survival, by_definition(result, step + 1))


def test_the_curve_has_the_steps_of_the_headline() -> None:
    # Without a truncated sample: half of the four divergences are at or before the median step.
    result = [whole(9), diverged(2, 9), diverged(4, 9), diverged(4, 9), diverged(7, 9)]
    assert "half of them by step 4" in headline(
        [replace(each, differs_in="state" if each.step else None) for each in result]
    )
    curve = {point.step: point.survival for point in measure_survival_curve(result)}
    assert curve == pytest.approx({0: 1.0, 2: 0.8, 4: 0.4, 7: 0.2, 8: 0.2})
    assert curve[2] > 1 - 0.5 * 4 / 5 >= curve[4]


def test_a_curve_without_steps_is_empty() -> None:
    assert measure_survival_curve([]) == ()
    assert measure_survival_curve([cut(0, 5)]) == ()


def test_a_truncated_sample_counts_up_to_its_last_step() -> None:
    result = measure_survival([whole(4), cut(2, 4), diverged(2, 4)])
    assert survivals(result) == {1: 1.0, 2: 1.0, 4: 0.5}
    (risk,) = result.risks
    assert (risk.step, risk.at_risk, risk.lost) == (3, 2, 1)
    last = result.points[-1]
    assert (last.reached, last.correct, last.lost, last.unseen, last.at_risk) == (3, 1, 1, 1, 1)
    # Two samples have a step 3, one of them wrong; one has a step 4.
    assert (last.steps, last.lost_since, last.per_step) == (3, 1, 1 - 1 / 3)
    assert (result.steps, result.per_step) == (4 + 2 + 3, 1 - 1 / 9)


def test_truncation_is_neither_divergence_nor_success() -> None:
    seen = [diverged(4, 8), whole(8)]
    with_cuts = measure_survival(seen + [cut(3, 8)] * 10)
    assert survivals(with_cuts)[8] == survivals(measure_survival(seen))[8] == 0.5
    assert with_cuts.points[-1].unseen == 10
    assert (with_cuts.unseen, with_cuts.diverged, with_cuts.whole) == (10, 1, 1)


def test_without_truncation_survival_is_the_share_of_correct_samples() -> None:
    """All programs have the same length."""
    result = measure_survival([diverged(n, 16) for n in range(16)] + [whole(16)] * 4)
    for point in result.points:
        assert point.reached == 20
        assert point.survival == pytest.approx(point.correct / point.reached)
        assert point.unseen == 0


def test_a_program_that_has_ended_is_no_longer_at_risk() -> None:
    result = measure_survival([whole(2)] * 9 + [diverged(3, 4)])
    assert [(p.step, p.reached, p.at_risk) for p in result.points] == [
        (1, 10, 10),
        (2, 10, 10),
        (4, 1, 1),
    ]
    assert survivals(result)[4] == 0.0


def test_a_malformed_step_is_incorrect() -> None:
    result = measure_survival([malformed(1, 4), diverged(1, 4), whole(4), whole(4)])
    assert survivals(result)[2] == pytest.approx(0.5)
    (risk,) = result.risks
    assert (risk.step, risk.diverged, risk.malformed, risk.lost) == (2, 1, 1, 2)
    assert (result.diverged, result.malformed, result.lost) == (1, 1, 2)


def test_continuing_past_the_end_is_not_an_incorrect_step() -> None:
    result = measure_survival([diverged(4, 4)])
    assert (result.whole, result.ran_on, result.diverged, result.risks) == (1, 1, 0, ())
    assert survivals(result) == {1: 1.0, 2: 1.0, 4: 1.0}


def test_an_omitted_final_unwinding_is_not_a_truncation() -> None:
    omitted = ScoredSample("raises", 0, "correct", "correct", matched_steps=3, actual_steps=4)
    result = measure_survival([omitted, whole(4)])
    assert (result.whole, result.unseen) == (2, 0)
    last = result.points[-1]
    assert (last.step, last.reached, last.correct, last.unseen) == (4, 2, 1, 1)


def test_unknown_lengths_are_not_estimated() -> None:
    result = measure_survival([cut(3, None), diverged(1, None), whole(8)])
    assert result.unknown_length == 2
    assert [(p.step, p.reached) for p in result.points] == [(1, 3), (2, 3), (4, 1), (8, 1)]
    measured = ScoredSample(
        "truncated",
        0,
        "truncated",
        "truncated",
        matched_steps=3,
        difficulty={"steps": 20, "call_depth": 2},
    )
    known = measure_survival([measured, whole(8)])
    assert known.unknown_length == 0
    assert [(p.step, p.reached, p.unseen) for p in known.points][2:] == [(4, 2, 1), (8, 2, 1)]


def test_samples_without_steps_and_errors_are_excluded() -> None:
    answer_only = ScoredSample("answer", 0, "correct", "correct")
    failed = ScoredSample(
        "infra_error", 0, "infra_error", "infra_error", matched_steps=3, actual_steps=9
    )
    result = measure_survival([answer_only, failed, whole(1)])
    assert (result.samples, result.without_steps, result.infra_error) == (1, 1, 1)
    empty = measure_survival([])
    assert (empty.points, empty.risks, empty.per_step) == ((), (), None)
    at_once = measure_survival([cut(0, 5)])
    assert (at_once.points, at_once.samples, at_once.unseen) == ((), 1, 1)


@given(st.lists(samples(), max_size=40))
def test_survival_agrees_with_its_definition(result: list[ScoredSample]) -> None:
    horizon = measure_survival(result)
    ends = (horizon.diverged, horizon.malformed, horizon.whole, horizon.unseen)
    assert sum(ends) == horizon.samples == len(result)
    assert horizon.lost == sum(risk.lost for risk in horizon.risks)
    assert [p.step for p in horizon.points] == [2**n for n in range(len(horizon.points))]
    for point in horizon.points:
        assert point.survival == pytest.approx(by_definition(result, point.step))
        assert point.correct + point.lost + point.unseen == point.reached
        assert point.correct == sum((s.matched_steps or 0) >= point.step for s in result)
    for before, after in zip(horizon.points, horizon.points[1:], strict=False):
        assert after.survival <= before.survival
        assert after.reached <= before.reached
    shown = sum(point.steps for point in horizon.points)
    assert shown <= horizon.steps
    if horizon.points and max(s.matched_steps or 0 for s in result) < horizon.points[-1].step:
        assert shown == horizon.steps
    assert measure_survival(result[::-1]) == horizon


def test_survival_of_a_model_with_a_constant_error_rate() -> None:
    """An error rate of 1 in 20 is measured for any program length and token limit."""
    result = []
    for number in range(4000):
        length, budget = 10 + number % 50, 5 + number % 37
        # Evenly spaced quantiles of a geometric distribution.
        right = int(math.log((number * 7919 % 4000 + 0.5) / 4000) / math.log(0.95))
        if right < min(length, budget):
            result.append(diverged(right, length))
        else:
            result.append(whole(length) if length <= budget else cut(budget, length))
    horizon = measure_survival(result)
    assert horizon.per_step == pytest.approx(0.95, abs=0.005)
    for point in horizon.points:
        assert point.survival == pytest.approx(0.95**point.step, abs=0.03)
    # The bias if truncated samples were counted as incorrect, or left out.
    sixteen = horizon.points[4]
    assert sixteen.unseen > 500
    assert sixteen.correct / sixteen.reached < 0.95**16 - 0.05
    assert sixteen.correct / (sixteen.correct + sixteen.lost) < 0.95**16 - 0.05


def test_steps_agree_with_the_diagnoses() -> None:
    """In the demo's predictions, a step is lost exactly at a divergence."""
    result = []
    for sample in diagnose_file(PREDICTIONS):
        facts = sample.diagnosis.facts
        has_steps = facts.alignment is not None and sample.prediction.decoded.shows_steps
        result.append(
            ScoredSample(
                sample.prediction.id,
                0,
                "infra_error" if facts.outcome == "infra_error" else "incorrect",
                facts.outcome,
                step=facts.divergence.step if facts.divergence and has_steps else None,
                matched_steps=facts.alignment.matched_steps
                if facts.alignment and has_steps
                else None,
                actual_steps=facts.actual_steps,
            )
        )
    horizon = measure_survival(result)
    outcomes = [
        make_scored_sample.outcome
        for make_scored_sample in result
        if make_scored_sample.matched_steps is not None
    ]
    assert horizon.diverged + horizon.ran_on == outcomes.count("diverged") > 3
    assert horizon.unseen == outcomes.count("truncated") == 1
    assert horizon.malformed == outcomes.count("malformed")
    where = Counter(j.step + 1 for j in result if j.step is not None and j.step != j.actual_steps)
    assert {risk.step: risk.diverged for risk in horizon.risks if risk.diverged} == where
