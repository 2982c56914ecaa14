"""Median change: the interval agrees with its test, and covers the true median."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.analysis.stats import MedianChange, median_change


def test_differences_of_0_are_left_out() -> None:
    result = median_change([0, 0, 3, 5, 4, 4, 8, 2, 9000])
    assert (result.of, result.value, result.low, result.high) == (7, 4, 2, 9000)
    assert result.p == pytest.approx(2 / 2**7)


def test_too_few_changes_have_no_interval() -> None:
    assert median_change([1.0, 2.0]) == MedianChange(2, 1.5, None, None, 0.5)
    assert median_change([]) == median_change([0.0, 0.0]) == MedianChange(0, None, None, None, 1.0)


@given(st.lists(st.integers(-1000, 1000), max_size=60))
def test_the_interval_contains_0_exactly_if_the_test_does_not_reject(changes: list[int]) -> None:
    result = median_change(changes)
    if result.low is None or result.high is None:
        assert result.p > 0.05
    else:
        assert (result.low <= 0 <= result.high) == (result.p > 0.05)


def test_the_interval_of_a_skewed_number_covers_its_median() -> None:
    generator = np.random.default_rng(0)
    hits = 0
    for _ in range(1000):
        result = median_change((generator.lognormal(0, 2, size=30) - 1).tolist())
        assert result.low is not None
        assert result.high is not None
        hits += result.low <= 0 <= result.high
    assert 0.93 <= hits / 1000 <= 0.98
