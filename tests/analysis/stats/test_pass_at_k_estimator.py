"""The estimator of pass@k."""

from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.analysis.stats.pass_at_k_estimator import pass_at_k
from worldline.core.errors import InputError

COUNTS = st.integers(1, 9).flatmap(
    lambda asked: st.tuples(st.integers(1, asked), st.integers(0, asked), st.just(asked))
)


@given(COUNTS)
def test_pass_at_k_is_the_share_of_choices_with_a_correct_answer(
    counts: tuple[int, int, int],
) -> None:
    k, correct, asked = counts
    chosen = list(combinations([True] * correct + [False] * (asked - correct), k))
    assert pass_at_k(k, correct, asked) == sum(map(any, chosen)) / len(chosen)


@given(st.integers(1, 200), st.data())
def test_pass_at_1_is_the_share_of_correct_answers(asked: int, data: st.DataObject) -> None:
    correct = data.draw(st.integers(0, asked))
    assert pass_at_k(1, correct, asked) == correct / asked
    assert pass_at_k(asked, correct, asked) == (correct > 0)


def test_pass_at_k_is_exact_for_many_answers() -> None:
    # The share without a correct answer is too close to 1 for `1 - share`.
    assert pass_at_k(1, 1, 10**18) == 1e-18
    assert pass_at_k(1000, 1, 4000) == 0.25
    assert pass_at_k(2, 4999, 5000) == 1.0
    assert comb(5000, 2500) > 1e308


@pytest.mark.parametrize(
    ("k", "correct", "asked"), [(0, 1, 2), (3, 1, 2), (1, 3, 2), (1, -1, 2), (1, 0, 0)]
)
def test_impossible_counts_are_rejected(k: int, correct: int, asked: int) -> None:
    with pytest.raises(InputError, match=f"pass@{k}"):
        pass_at_k(k, correct, asked)
