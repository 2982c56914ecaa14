"""Metrics of probabilities, against values computed by hand or by another method."""

import itertools
import random

import pytest

from worldline.analysis.stats import (
    SelectiveRisk,
    measure_selective_risk,
    optimal_aurc,
    risk_coverage_curve,
)

# Two correct cases and two wrong ones; a correct and a wrong one have equal probabilities.
PROBABILITIES = [0.9, 0.6, 0.6, 0.2]
OUTCOMES = [True, True, False, False]


def measured(probabilities: list[float], outcomes: list[bool]) -> SelectiveRisk:
    risk = measure_selective_risk(probabilities, outcomes, range(len(outcomes)))
    assert risk is not None
    return risk


def test_metrics_by_hand() -> None:
    risk = measured(PROBABILITIES, OUTCOMES)
    # Of the four pairs, three are in order and one is a tie.
    assert risk.auroc.value == pytest.approx(3.5 / 4)
    # The risk of the surest 1, 2, 3 and 4: 0, a half of a half, a third, a half.
    assert risk.aurc.value == pytest.approx((0 + 1 / 4 + 1 / 3 + 1 / 2) / 4)
    # In the optimal order: 0, 0, a third, a half.
    assert optimal_aurc(2, 4) == pytest.approx((1 / 3 + 1 / 2) / 4)
    assert risk.excess_aurc.value == pytest.approx(risk.aurc.value - optimal_aurc(2, 4))
    assert risk.brier.value == pytest.approx((0.1**2 + 0.4**2 + 0.6**2 + 0.2**2) / 4)
    # Three bins: 0.9 with one of one correct, 0.6 with one of two, 0.2 with none.
    assert risk.calibration_error.value == pytest.approx((0.1 + 2 * 0.1 + 0.2) / 4)


def test_bins_of_the_calibration_error_have_equally_many_cases() -> None:
    # Twenty cases are two in each bin; each bin has one correct case, so that its share is 0.5.
    probabilities = [number / 20 + 0.01 for number in range(20)]
    outcomes = [number % 2 == 0 for number in range(20)]
    expected = sum(
        abs((probabilities[n] + probabilities[n + 1]) / 2 - 0.5) for n in range(0, 20, 2)
    )
    assert measured(probabilities, outcomes).calibration_error.value == pytest.approx(expected / 10)


def test_metrics_agree_with_direct_computation_on_random_cases() -> None:
    generator = random.Random(1)
    for _ in range(20):
        # Rounded, so that many probabilities are equal.
        probabilities = [round(generator.random(), 1) for _ in range(9)]
        outcomes = [generator.random() < probability for probability in probabilities]
        if len(set(outcomes)) < 2:
            continue
        risk = measured(probabilities, outcomes)
        cases = list(zip(probabilities, outcomes, strict=True))
        pairs = [(a, b) for a, is_a in cases for b, is_b in cases if is_a and not is_b]
        auroc = sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs)
        assert risk.auroc.value == pytest.approx(auroc)
        assert risk.aurc.value == pytest.approx(mean_aurc(cases))


def mean_aurc(cases: list[tuple[float, bool]]) -> float:
    """The mean over 3,000 random orders of equal probabilities, or over all orders of few."""
    groups = [
        [outcome for probability, outcome in cases if probability == value]
        for value in sorted({probability for probability, _ in cases}, reverse=True)
    ]
    orders = itertools.product(*(set(itertools.permutations(group)) for group in groups))
    areas = []
    for order in orders:
        flat = [outcome for group in order for outcome in group]
        risks = [1 - sum(flat[:size]) / size for size in range(1, len(flat) + 1)]
        areas.append(sum(risks) / len(risks))
    return sum(areas) / len(areas)


def test_a_random_order_has_the_area_of_the_share_of_wrong_cases() -> None:
    assert measured([0.3] * 5, [True, False, False, False, True]).aurc.value == pytest.approx(0.6)


def test_the_curve_has_one_point_for_each_probability() -> None:
    curve = risk_coverage_curve(PROBABILITIES, OUTCOMES)
    assert curve == [(0.25, 0.0), (0.75, pytest.approx(1 / 3)), (1.0, 0.5)]


def test_intervals_are_wider_for_clusters() -> None:
    generator = random.Random(2)
    probabilities = [generator.random() for _ in range(60)]
    outcomes = [generator.random() < probability for probability in probabilities]
    alone = measured(probabilities, outcomes)
    # Every case five times: five times as many cases, but no more clusters.
    repeated = measure_selective_risk(
        probabilities * 5, outcomes * 5, [number for _ in range(5) for number in range(60)]
    )
    assert repeated is not None
    assert repeated.auroc.value == pytest.approx(alone.auroc.value)
    assert repeated.auroc.low == pytest.approx(alone.auroc.low, abs=0.01)
    independent = measure_selective_risk(probabilities * 5, outcomes * 5, range(300))
    assert independent is not None
    width = independent.auroc.high - independent.auroc.low
    assert width < 0.6 * (alone.auroc.high - alone.auroc.low)


def test_paired_differences_of_equal_probabilities_are_zero() -> None:
    risk = measure_selective_risk(PROBABILITIES, OUTCOMES, range(4), minus=PROBABILITIES)
    assert risk is not None
    assert (risk.auroc.low, risk.auroc.value, risk.auroc.high) == (0, 0, 0)
    worse = measure_selective_risk(PROBABILITIES, OUTCOMES, range(4), minus=[0.5] * 4)
    assert worse is not None
    assert worse.auroc.value == pytest.approx(3.5 / 4 - 0.5)


def test_only_correct_cases_have_no_metrics() -> None:
    assert measure_selective_risk([0.1, 0.2], [True, True], range(2)) is None
