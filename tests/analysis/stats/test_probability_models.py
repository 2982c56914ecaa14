"""Ridge logistic and isotonic regression, and the threshold with a guaranteed risk."""

import math

import numpy as np
import pytest

from worldline.analysis.stats import (
    fit_isotonic,
    fit_ridge_logistic,
    fit_risk_threshold,
    isotonic_value,
)


def test_without_signals_the_fit_is_the_share() -> None:
    fit = fit_ridge_logistic([[0.0]] * 4, [True, True, True, False])
    assert fit.intercept == pytest.approx(math.log(3))
    assert fit.coefficients == (0.0,)


def test_the_gradient_vanishes_at_the_fit() -> None:
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((80, 3))
    outcomes = (rows[:, 0] + generator.standard_normal(80) > 0).tolist()
    fit = fit_ridge_logistic(rows.tolist(), outcomes, penalty=2.0)
    probabilities = 1 / (1 + np.exp(-(fit.intercept + rows @ np.array(fit.coefficients))))
    residuals = probabilities - np.array(outcomes, float)
    assert residuals.sum() == pytest.approx(0, abs=1e-4)
    gradient = rows.T @ residuals + 2.0 * np.array(fit.coefficients)
    assert gradient == pytest.approx(np.zeros(3), abs=1e-4)


def test_nearly_no_penalty_gives_the_maximum_likelihood_by_statsmodels() -> None:
    models = pytest.importorskip("statsmodels.discrete.discrete_model")
    generator = np.random.default_rng(1)
    rows = generator.standard_normal((200, 2))
    outcomes = (rows[:, 0] - rows[:, 1] + 2 * generator.standard_normal(200) > 0).tolist()
    reference = models.Logit(np.array(outcomes, float), np.column_stack([np.ones(200), rows])).fit(
        disp=0
    )
    fit = fit_ridge_logistic(rows.tolist(), outcomes, penalty=1e-6)
    assert (fit.intercept, *fit.coefficients) == pytest.approx(tuple(reference.params), abs=1e-4)


def test_outcomes_that_a_signal_separates_have_a_finite_coefficient() -> None:
    fit = fit_ridge_logistic([[-1.0], [-1.0], [1.0], [1.0]], [False, False, True, True])
    assert 0 < fit.coefficients[0] < 5


def test_isotonic_regression_by_hand() -> None:
    # The second and the third outcome are out of order: they are pooled to a half.
    steps = fit_isotonic([1, 2, 3, 4], [False, True, False, True])
    assert steps == ((1, 0.0), (2, 0.5), (4, 1.0))
    assert [isotonic_value(steps, score) for score in (0, 1.5, 2, 3.9, 4, 9)] == [
        0.0, 0.0, 0.5, 0.5, 1.0, 1.0,
    ]  # fmt: skip


def test_equal_scores_have_one_value() -> None:
    assert fit_isotonic([1, 1, 1, 2], [True, False, False, True]) == ((1, 1 / 3), (2, 1.0))


@pytest.mark.parametrize(("size", "max_wrong"), [(60, 0.2), (200, 0.1), (400, 0.1)])
def test_in_simulations_the_risk_is_exceeded_as_rarely_as_promised(
    size: int, max_wrong: float
) -> None:
    """Probabilities that are well ordered, but far too high: calibration must not matter."""
    generator = np.random.default_rng(size)
    times, exceeded, found = 200, 0, 0
    for _ in range(times):
        rank = generator.random(size)
        scores = 0.5 + rank / 2
        outcomes = generator.random(size) < 1 - (1 - rank) ** 3
        threshold = fit_risk_threshold(scores.tolist(), outcomes.tolist(), max_wrong=max_wrong)
        if threshold.score is not None:
            found += 1
            # Of the cases above rank t, (1 - t) ** 3 / 4 are wrong.
            exceeded += (2 - 2 * threshold.score) ** 3 / 4 > max_wrong
    # Three standard errors above the promised 10%.
    assert exceeded / times <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / times)
    # The test could not fail if no threshold were found.
    assert found > times / 2


def test_scores_without_information_are_rarely_trusted() -> None:
    """The hardest case: the true risk is just above 10% everywhere, so any threshold is wrong."""
    generator = np.random.default_rng(3)
    times, found = 300, 0
    for _ in range(times):
        threshold = fit_risk_threshold(
            generator.random(300).tolist(), (generator.random(300) < 0.899).tolist()
        )
        found += threshold.score is not None
    assert 0 < found / times <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / times)


def test_threshold_by_hand() -> None:
    # 100 correct cases above 100 wrong ones: all correct ones can be trusted, not all cases.
    scores = [*(1 - n / 1000 for n in range(100)), *(0.5 - n / 1000 for n in range(100))]
    threshold = fit_risk_threshold(scores, [True] * 100 + [False] * 100)
    assert threshold.score is not None
    assert threshold.score > 0.5
    assert threshold.wrong == 0
    assert threshold.of == 200
    # The chance of no wrong case among those trusted must be below the level of each test.
    assert 0.9**threshold.trusted <= 0.1
    # With 20 cases, even no wrong one does not show that at most 10% are wrong: 0.9 ** 20 > 0.1.
    few = fit_risk_threshold([0.9] * 20, [True] * 20)
    assert few.score is None


def test_equal_scores_are_trusted_together_or_not_at_all() -> None:
    # The scores are equal, and a fifth is wrong: no order of the cases may let half of them pass.
    outcomes = [True] * 80 + [False] * 20
    assert fit_risk_threshold([0.9] * 100, outcomes).score is None
