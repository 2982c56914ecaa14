"""Paired tests: values computed by hand, and agreement of the tests with each other."""

import math
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.analysis.stats import adjust_p_values, mcnemar, paired_tests, sign_flip


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [
        (0, 0, 1.0),
        (3, 3, 1.0),
        (1, 0, 1.0),
        (5, 0, 2 / 32),
        (8, 2, 2 * (1 + 10 + 45) / 1024),
        (2, 8, 2 * (1 + 10 + 45) / 1024),
        (9, 1, 2 * (1 + 10) / 1024),
    ],
)
def test_mcnemar_by_hand(gained: int, lost: int, p: float) -> None:
    assert mcnemar(gained, lost) == pytest.approx(p, rel=1e-12)


@given(st.integers(0, 400), st.integers(0, 400), st.integers(0, 20))
def test_the_sign_flip_test_with_one_repeat_is_mcnemars(gained: int, lost: int, same: int) -> None:
    differences = [1.0] * gained + [-1.0] * lost + [0.0] * same
    assert sign_flip(differences) == mcnemar(gained, lost)


@given(st.integers(1, 60), st.integers(1, 60))
def test_exact_p_values_agree_with_mcnemar(gained: int, lost: int) -> None:
    sizes = Counter({3: gained + lost})
    counted = paired_tests._exact_p_value(sizes, 3 * abs(gained - lost))
    assert counted == pytest.approx(mcnemar(gained, lost), abs=1e-12)


@given(st.lists(st.sampled_from([-1, -0.75, -2 / 3, -0.5, -0.25, 0, 1 / 3, 0.5, 1]), max_size=9))
def test_p_values_agree_with_all_sign_patterns(differences: list[float]) -> None:
    changed = [d for d in differences if d]
    reached = abs(sum(changed)) - 1e-9
    patterns = list(product((-1, 1), repeat=len(changed)))
    as_far = sum(
        abs(sum(s * d for s, d in zip(p, changed, strict=True))) >= reached for p in patterns
    )
    assert sign_flip(differences) == pytest.approx(as_far / len(patterns), abs=1e-12)


@given(st.lists(st.floats(-100, 100), max_size=12))
def test_p_values_do_not_depend_on_order_or_direction(differences: list[float]) -> None:
    p = sign_flip(differences)
    assert 0 < p <= 1
    assert sign_flip(differences[::-1]) == pytest.approx(p)
    assert sign_flip([-d for d in differences]) == pytest.approx(p)


def test_random_sign_patterns_agree_with_all_sign_patterns() -> None:
    numbers = [math.pi, 3 * math.e, -math.sqrt(2), 5.1, 7.7, math.sqrt(80), -0.3, 2.2, 9.9]
    assert paired_tests._common_unit([abs(n) for n in numbers]) is None
    patterns = list(product((-1, 1), repeat=len(numbers)))
    reached = abs(sum(numbers))
    exact = sum(
        abs(sum(s * d for s, d in zip(p, numbers, strict=True))) >= reached - 1e-9 for p in patterns
    ) / len(patterns)
    result = [sign_flip(numbers, seed=seed) for seed in range(5)]
    assert result == pytest.approx([exact] * 5, abs=4 * math.sqrt(exact / 9999))
    assert len(set(result)) > 1
    assert sign_flip(numbers, seed=3) == result[3]
    # A p-value from random patterns is never below 1 / number of patterns.
    assert sign_flip([math.pi * n**0.5 for n in range(1, 60)]) == 1e-4


def test_benjamini_hochberg_by_hand() -> None:
    p_values = [0.01, 0.04, 0.03, 0.5]
    assert adjust_p_values(p_values) == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])
    assert adjust_p_values([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_p_values_are_not_smaller(p_values: list[float]) -> None:
    result = adjust_p_values(p_values)
    assert all(p <= a <= 1 for p, a in zip(p_values, result, strict=True))
    assert max(result) == max(p_values)
