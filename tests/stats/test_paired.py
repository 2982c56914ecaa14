"""Differences with intervals: against a slow way to the same, and where they degenerate."""

import math
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.stats import (
    Difference,
    Ratio,
    mean_difference,
    ratio_of_totals,
    right_difference,
)

Z2 = 1.959963984540054**2


def test_tango_as_published() -> None:
    """Tango 1998: of 50 pairs 12 and 2 changed."""
    found = right_difference([1] * 12 + [-1] * 2 + [0] * 36)
    assert (found.of, found.value) == (50, 0.2)
    assert (found.low, found.high) == pytest.approx((0.0611, 0.3447), abs=5e-5)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 30))
def test_the_ends_are_where_a_score_test_just_rejects(gained: int, lost: int, same: int) -> None:
    of = gained + lost + same
    found = right_difference([1] * gained + [-1] * lost + [0] * same)
    assert found.low is not None
    assert found.high is not None
    for end in (found.low, found.high):
        if abs(end) < 1:
            # The likeliest share of lost ones is looked for on a grid instead of computed.
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
def test_the_other_way_round_is_the_negative(differences: list[float]) -> None:
    for method in (right_difference, mean_difference):
        found, other = method(differences), method([-d for d in differences])
        assert other.p == pytest.approx(found.p)
        assert [other.value, other.low, other.high] == pytest.approx(
            [None if x is None else -x for x in (found.value, found.high, found.low)], abs=1e-7
        )


@given(FRACTIONS)
def test_an_interval_is_around_its_value_and_within_bounds(differences: list[float]) -> None:
    found = right_difference(differences)
    assert found.value == pytest.approx(sum(differences) / len(differences))
    assert -1 <= found.low <= found.value <= found.high <= 1  # type: ignore[operator]
    assert found.high - found.low > 0.01  # type: ignore[operator]


def test_no_difference_at_all_is_not_certainty() -> None:
    """Nothing changed in 100: the truth may be a few points all the same, as for 0 of 100."""
    for samples in (1, 100):
        found = right_difference([0.0] * samples)
        edge = Z2 / (samples + Z2)
        assert (found.value, found.p) == (0.0, 1.0)
        assert (found.low, found.high) == pytest.approx((-edge, edge))


def test_all_changed_alike() -> None:
    found = right_difference([1.0] * 20)
    assert (found.value, found.high, found.p) == (1.0, 1.0, 2 * 0.5**20)
    assert found.low == pytest.approx((20 - Z2) / (20 + Z2))
    assert right_difference([-1.0]).low == -1.0
    # Alike in parts of a sample: narrower, but not without width.
    few = right_difference([0.1] * 30)
    assert few.low == pytest.approx(0.075, abs=1e-3)
    assert few.high == pytest.approx(0.132, abs=1e-3)


def test_nothing_to_compare() -> None:
    nothing = Difference(0, None, None, None, 1.0)
    assert right_difference([]) == mean_difference([]) == nothing
    assert ratio_of_totals([], []) == Ratio(None, None, None)


def test_numbers_that_do_not_vary_have_no_interval() -> None:
    assert mean_difference([4.0]) == Difference(1, 4.0, None, None, 1.0)
    assert mean_difference([0.0] * 50) == Difference(50, 0.0, None, None, 1.0)
    assert mean_difference([5.0] * 10) == Difference(10, 5.0, None, None, 2 * 0.5**10)


def test_student_by_hand() -> None:
    """Standard deviation 2.160, of 4 samples: 3 ± 3.182 × 1.080."""
    found = mean_difference([3, 5, 4, 0])
    assert (found.low, found.high) == pytest.approx((-0.4374, 6.4374), abs=1e-4)
    assert found.p == 0.25


def test_ratios() -> None:
    assert ratio_of_totals([100, 200], [50, 100]) == Ratio(0.5, None, None)
    assert ratio_of_totals([0, 0], [1, 2]) == Ratio(None, None, None)
    assert ratio_of_totals([1, 2], [0, 0]) == Ratio(0.0, None, None)
    found = ratio_of_totals([100, 200, 300], [60, 90, 160])
    other = ratio_of_totals([60, 90, 160], [100, 200, 300])
    assert found.value == pytest.approx(310 / 600)
    assert found.low is not None
    assert other.high == pytest.approx(1 / found.low)


def test_a_hundred_thousand_samples_take_little_memory() -> None:
    quarters = [((n * 7919) % 9 - 4) / 4 for n in range(100_000)]
    counts = [float((n * 7919) % 801 - 400) for n in range(100_000)]
    tracemalloc.start()
    right, tokens = right_difference(quarters), mean_difference(counts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (right.of, tokens.of) == (100_000, 100_000)
    assert right.p > 0.5
    assert tokens.p > 0.5
    assert peak < 100e6
