"""Paired differences and their intervals, also in degenerate cases."""

import math
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.analysis.stats import (
    Difference,
    Ratio,
    accuracy_difference,
    mean_difference,
    ratio_of_totals,
)

Z2 = 1.959963984540054**2


def test_tango_interval_as_published() -> None:
    """Tango 1998: 12 and 2 of 50 pairs changed."""
    result = accuracy_difference([1] * 12 + [-1] * 2 + [0] * 36)
    assert (result.of, result.value) == (50, 0.2)
    assert (result.low, result.high) == pytest.approx((0.0611, 0.3447), abs=5e-5)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 30))
def test_the_ends_are_where_the_score_test_just_rejects(gained: int, lost: int, same: int) -> None:
    of = gained + lost + same
    result = accuracy_difference([1] * gained + [-1] * lost + [0] * same)
    assert result.low is not None
    assert result.high is not None
    for end in (result.low, result.high):
        if abs(end) < 1:
            # The maximum-likelihood share of lost samples is searched on a grid, not computed.
            steps = [n / 4_000 for n in range(4_001)]
            inside = [q for q in steps if max(0.0, -end) <= q <= (1 - end) / 2]
            q = max(inside, key=lambda q: likelihood(gained, lost, same, q + end, q))
            z2 = (gained - lost - of * end) ** 2 / (of * (2 * q + end * (1 - end)))
            assert z2 == pytest.approx(Z2, rel=4e-2)


def likelihood(gained: int, lost: int, same: int, more: float, less: float) -> float:
    parts = ((gained, more), (lost, less), (same, 1 - more - less))
    return sum(n * math.log(max(p, 1e-300)) for n, p in parts if n)


FRACTIONS = st.lists(st.integers(-6, 6).map(lambda n: n / 6), min_size=1, max_size=40)


@given(FRACTIONS)
def test_swapping_the_runs_negates_the_difference(differences: list[float]) -> None:
    for method in (accuracy_difference, mean_difference):
        result, other = method(differences), method([-d for d in differences])
        assert other.p == pytest.approx(result.p)
        assert [other.value, other.low, other.high] == pytest.approx(
            [None if x is None else -x for x in (result.value, result.high, result.low)], abs=1e-7
        )


@given(FRACTIONS)
def test_an_interval_contains_its_value_and_stays_within_bounds(differences: list[float]) -> None:
    result = accuracy_difference(differences)
    assert result.value == pytest.approx(sum(differences) / len(differences))
    assert -1 <= result.low <= result.value <= result.high <= 1  # type: ignore[operator]
    assert result.high - result.low > 0.01  # type: ignore[operator]


def test_no_difference_still_has_an_interval() -> None:
    """With no change in 100 samples the difference may still be a few points, as for 0 of 100."""
    for samples in (1, 100):
        result = accuracy_difference([0.0] * samples)
        edge = Z2 / (samples + Z2)
        assert (result.value, result.p) == (0.0, 1.0)
        assert (result.low, result.high) == pytest.approx((-edge, edge))


def test_all_samples_changed_equally() -> None:
    result = accuracy_difference([1.0] * 20)
    assert (result.value, result.high, result.p) == (1.0, 1.0, 2 * 0.5**20)
    assert result.low == pytest.approx((20 - Z2) / (20 + Z2))
    assert accuracy_difference([-1.0]).low == -1.0
    # Equal fractions of a sample: a narrower interval, but not a point.
    few = accuracy_difference([0.1] * 30)
    assert few.low == pytest.approx(0.075, abs=1e-3)
    assert few.high == pytest.approx(0.132, abs=1e-3)


def test_nothing_to_compare() -> None:
    nothing = Difference(0, None, None, None, 1.0)
    assert accuracy_difference([]) == mean_difference([]) == nothing
    assert ratio_of_totals([], []) == Ratio(None, None, None)


def test_numbers_without_variance_have_no_interval() -> None:
    assert mean_difference([4.0]) == Difference(1, 4.0, None, None, 1.0)
    assert mean_difference([0.0] * 50) == Difference(50, 0.0, None, None, 1.0)
    assert mean_difference([5.0] * 10) == Difference(10, 5.0, None, None, 2 * 0.5**10)


def test_student_interval_by_hand() -> None:
    """Standard deviation 2.160, of 4 samples: 3 ± 3.182 × 1.080."""
    result = mean_difference([3, 5, 4, 0])
    assert (result.low, result.high) == pytest.approx((-0.4374, 6.4374), abs=1e-4)
    assert result.p == 0.25


def test_ratios() -> None:
    assert ratio_of_totals([100, 200], [50, 100]) == Ratio(0.5, None, None)
    assert ratio_of_totals([0, 0], [1, 2]) == Ratio(None, None, None)
    assert ratio_of_totals([1, 2], [0, 0]) == Ratio(0.0, None, None)
    result = ratio_of_totals([100, 200, 300], [60, 90, 160])
    other = ratio_of_totals([60, 90, 160], [100, 200, 300])
    assert result.value == pytest.approx(310 / 600)
    assert result.low is not None
    assert other.high == pytest.approx(1 / result.low)


def test_100000_samples_take_little_memory() -> None:
    quarters = [((n * 7919) % 9 - 4) / 4 for n in range(100_000)]
    counts = [float((n * 7919) % 801 - 400) for n in range(100_000)]
    tracemalloc.start()
    correct, tokens = accuracy_difference(quarters), mean_difference(counts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (correct.of, tokens.of) == (100_000, 100_000)
    assert correct.p > 0.5
    assert tokens.p > 0.5
    assert peak < 100e6
