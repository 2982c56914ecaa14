"""Ridge logistic regression: probabilities that stay finite with few outcomes and many columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.analysis.stats.lazy_imports import lazy_import

_MAX_ITERATIONS = 100
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """The coefficients of a logistic regression."""

    intercept: float
    coefficients: tuple[float, ...]


def fit_ridge_logistic(
    rows: Sequence[Sequence[float]], outcomes: Sequence[bool], *, penalty: float = 1.0
) -> LogisticFit:
    """Fit a logistic regression with a penalty on the squares of its coefficients.

    Minimizes the negative log-likelihood + penalty / 2 × the sum of squared coefficients, by
    Newton's method. The intercept is not penalized. Without a penalty, a column that separates the
    outcomes would have an infinite coefficient.

    Args:
        rows: The columns of each outcome, standardized.
        outcomes: Whether each outcome is correct; both kinds must occur.
        penalty: The strength of the penalty, above 0.
    """
    numpy = lazy_import("numpy")
    matrix = numpy.column_stack([numpy.ones(len(outcomes)), numpy.asarray(rows, float)])
    observed = numpy.asarray(outcomes, float)
    penalties = numpy.full(matrix.shape[1], penalty)
    penalties[0] = 0.0
    weights = numpy.zeros(matrix.shape[1])
    share = observed.mean()
    weights[0] = numpy.log(share / (1 - share))

    def loss(candidate: object) -> float:
        scores = matrix @ candidate
        likelihood = numpy.logaddexp(0, scores).sum() - observed @ scores
        return float(likelihood + (penalties * numpy.square(candidate)).sum() / 2)

    current = loss(weights)
    for _ in range(_MAX_ITERATIONS):
        probabilities = 1 / (1 + numpy.exp(-numpy.clip(matrix @ weights, -500, 500)))
        gradient = matrix.T @ (probabilities - observed) + penalties * weights
        variances = probabilities * (1 - probabilities)
        curvature = (matrix * variances[:, None]).T @ matrix + numpy.diag(penalties)
        # The curvature of the intercept can vanish if all outcomes are predicted with certainty.
        curvature[0, 0] += _TOLERANCE
        step = numpy.linalg.solve(curvature, gradient)
        size = 1.0
        while loss(weights - size * step) > current and size > _TOLERANCE:
            size /= 2
        weights = weights - size * step
        previous, current = current, loss(weights)
        if previous - current < _TOLERANCE:
            break
    return LogisticFit(float(weights[0]), tuple(map(float, weights[1:])))
