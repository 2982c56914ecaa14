"""pass@k: the share of choices of k answers that have a right one in them."""

from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.errors import InputError
from worldline.stats.passing import pass_at

COUNTS = st.integers(1, 9).flatmap(
    lambda asked: st.tuples(st.integers(1, asked), st.integers(0, asked), st.just(asked))
)


@given(COUNTS)
def test_it_is_the_share_of_choices_with_a_right_answer(counts: tuple[int, int, int]) -> None:
    k, right, asked = counts
    chosen = list(combinations([True] * right + [False] * (asked - right), k))
    assert pass_at(k, right, asked) == sum(map(any, chosen)) / len(chosen)


@given(st.integers(1, 200), st.data())
def test_of_one_answer_it_is_the_share_that_is_right(asked: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, asked))
    assert pass_at(1, right, asked) == right / asked
    assert pass_at(asked, right, asked) == (right > 0)


def test_nothing_is_lost_where_floats_would_lose_all() -> None:
    # The share without a right answer is too close to 1 for `1 - share`.
    assert pass_at(1, 1, 10**18) == 1e-18
    assert pass_at(1000, 1, 4000) == 0.25
    assert pass_at(2, 4999, 5000) == 1.0
    assert comb(5000, 2500) > 1e308


@pytest.mark.parametrize(
    ("k", "right", "asked"), [(0, 1, 2), (3, 1, 2), (1, 3, 2), (1, -1, 2), (1, 0, 0)]
)
def test_what_cannot_be_is_refused(k: int, right: int, asked: int) -> None:
    with pytest.raises(InputError, match=f"pass@{k}"):
        pass_at(k, right, asked)
