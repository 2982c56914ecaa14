"""Consensus and best@k, against definitions written out in full."""

from itertools import product
from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.evaluation.rank import (
    CandidateGroup,
    best_at_k,
    chance_at_k,
    rank_by_outputs,
    rank_by_tests,
)

tables = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=7)
)


def test_a_larger_group_that_passes_more_is_first() -> None:
    passed = [[True, True, False], [False, False, True], [True, True, False], [False] * 3]
    groups = rank_by_tests(passed, [1, 1, 1])
    assert groups == (
        CandidateGroup((0, 2), 2, 4.0),
        CandidateGroup((1,), 1, 1.0),
        CandidateGroup((3,), 0, 0.0),
    )


@pytest.mark.parametrize(
    ("score", "expected"),
    [("product", [6.0, 8.0]), ("sqrt", [6.0, sqrt(4) * 2]), ("tests", [6.0, 2.0])],
)
def test_the_score_decides_which_group_is_first(score: str, expected: list[float]) -> None:
    # One candidate passes six tests, four pass two others.
    passed = [[True] * 6 + [False] * 2, *[[False] * 6 + [True] * 2] * 4]
    groups = rank_by_tests(passed, [1] * 8, score=score)  # type: ignore[arg-type]
    assert {group.candidates: group.score for group in groups} == {
        (0,): expected[0],
        (1, 2, 3, 4): expected[1],
    }


def test_a_test_that_occurs_often_counts_often() -> None:
    passed = [[True, False], [False, True]]
    assert rank_by_tests(passed, [1, 3])[0] == CandidateGroup((1,), 3, 3.0)


@given(passed=tables, score=st.sampled_from(["product", "sqrt", "tests", "candidates"]))
def test_groups_are_the_candidates_with_the_same_tests(
    passed: list[list[bool]], score: str
) -> None:
    groups = rank_by_tests(passed, [1] * len(passed[0]), score=score)  # type: ignore[arg-type]
    assert sorted(n for group in groups for n in group.candidates) == list(range(len(passed)))
    for group in groups:
        assert [n for n, row in enumerate(passed) if row == passed[group.candidates[0]]] == list(
            group.candidates
        )
        assert group.passed == sum(passed[group.candidates[0]])
    scores = [group.score for group in groups]
    assert scores == sorted(scores, reverse=True)


def test_outputs_group_candidates_without_tests() -> None:
    nothing: list[str | None] = [None, None]
    outputs: list[list[str | None]] = [["1", "2"], ["1", "3"], ["1", "2"]]
    outputs += [nothing, nothing, nothing]
    assert rank_by_outputs(outputs) == (
        CandidateGroup((0, 2), 2, 4.0),
        CandidateGroup((1,), 2, 2.0),
        CandidateGroup((3, 4, 5), 0, 0.0),
    )


@given(
    passed=tables.filter(lambda table: any(map(any, table))), data=st.data(), k=st.integers(1, 4)
)
def test_best_at_k_is_the_share_of_draws_with_a_correct_candidate(
    passed: list[list[bool]], data: st.DataObject, k: int
) -> None:
    n = len(passed)
    is_correct = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    groups = rank_by_tests(passed, [1] * len(passed[0]))
    by_score: dict[float, list[int]] = {}
    for group in groups:
        if group.score:
            by_score.setdefault(group.score, []).extend(group.candidates)
    pools = [by_score[score] for score in sorted(by_score, reverse=True)]
    # The best pools first, and again from the start if there are fewer than k.
    drawn = [pools[position % len(pools)] for position in range(k)]
    draws = list(product(*drawn))
    share = sum(any(is_correct[n] for n in draw) for draw in draws) / len(draws)
    assert isclose(best_at_k(groups, is_correct, k), share)


def test_without_a_passed_test_the_choice_is_random() -> None:
    groups = rank_by_tests([[False], [False], [False], [False]], [1])
    is_correct = [True, False, False, False]
    assert best_at_k(groups, is_correct, 1) == chance_at_k(is_correct, 1) == 0.25
    assert best_at_k(groups, is_correct, 2) == 0.5
    assert chance_at_k(is_correct, 10) == 1.0
