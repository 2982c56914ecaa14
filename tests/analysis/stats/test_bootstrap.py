"""Bootstrap intervals."""

import pytest

from worldline.analysis.stats import accuracy_difference, bootstrap_interval


def test_the_bootstrap_interval_agrees_with_scipy() -> None:
    import numpy as np
    from scipy.stats import bootstrap

    chance = np.random.default_rng(3)
    differences = chance.choice([-1.0, 0.0, 0.5, 1.0], 200, p=[0.1, 0.6, 0.1, 0.2])
    theirs = bootstrap(
        (differences,), np.mean, n_resamples=9_999, method="percentile", rng=chance
    ).confidence_interval
    assert bootstrap_interval(differences.tolist()) == pytest.approx(tuple(theirs), abs=0.006)


def test_the_bootstrap_interval_is_near_the_score_interval_for_many_samples() -> None:
    differences = [1.0] * 60 + [0.0] * 900 + [-1.0] * 40
    result, score = bootstrap_interval(differences), accuracy_difference(differences)
    assert result is not None
    assert result == pytest.approx((score.low, score.high), abs=0.002)


def test_no_difference_gives_a_point_and_one_sample_no_interval() -> None:
    assert bootstrap_interval([0.0] * 50) == (0.0, 0.0)
    assert bootstrap_interval([1.0]) is None
    assert bootstrap_interval([]) is None


def test_the_bootstrap_of_100000_samples_is_fast_and_small() -> None:
    result = bootstrap_interval([1.0] * 30_000 + [0.0] * 50_000 + [-1.0] * 20_000)
    assert result == pytest.approx((0.0957, 0.1043), abs=0.001)
