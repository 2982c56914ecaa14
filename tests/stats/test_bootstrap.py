"""The interval that drawing samples again gives."""

import pytest

from worldline.stats import bootstrap_interval, right_difference


def test_it_is_that_of_scipy() -> None:
    import numpy as np
    from scipy.stats import bootstrap

    chance = np.random.default_rng(3)
    differences = chance.choice([-1.0, 0.0, 0.5, 1.0], 200, p=[0.1, 0.6, 0.1, 0.2])
    theirs = bootstrap(
        (differences,), np.mean, n_resamples=9_999, method="percentile", rng=chance
    ).confidence_interval
    assert bootstrap_interval(differences.tolist()) == pytest.approx(tuple(theirs), abs=0.006)


def test_it_lies_near_the_score_interval_where_there_are_many_samples() -> None:
    differences = [1.0] * 60 + [0.0] * 900 + [-1.0] * 40
    found, score = bootstrap_interval(differences), right_difference(differences)
    assert found is not None
    assert found == pytest.approx((score.low, score.high), abs=0.002)


def test_nothing_that_differs_is_a_point_and_one_sample_says_nothing() -> None:
    assert bootstrap_interval([0.0] * 50) == (0.0, 0.0)
    assert bootstrap_interval([1.0]) is None
    assert bootstrap_interval([]) is None


def test_a_hundred_thousand_samples_take_no_time_and_no_room() -> None:
    found = bootstrap_interval([1.0] * 30_000 + [0.0] * 50_000 + [-1.0] * 20_000)
    assert found == pytest.approx((0.0957, 0.1043), abs=0.001)
