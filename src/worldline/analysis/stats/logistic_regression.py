"""Logistic regression with cluster-robust intervals, by statsmodels."""

import math
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from worldline.analysis.stats.lazy_imports import lazy_import


@dataclass(frozen=True, slots=True)
class OddsRatio:
    """The factor by which the odds of a correct outcome change, with its 95% interval."""

    name: str
    value: float
    low: float
    high: float

    def __repr__(self) -> str:
        return f"OddsRatio({self.name}: {self.value:.3g} [{self.low:.3g}, {self.high:.3g}])"

    @property
    def is_shown(self) -> bool:
        """Whether the interval excludes 1: no effect."""
        return self.low > 1 or self.high < 1


def logistic_odds_ratios(
    outcomes: Sequence[bool],
    columns: Mapping[str, Sequence[float]],
    clusters: Sequence[Hashable],
    *,
    level: float = 0.95,
) -> tuple[OddsRatio, ...] | None:
    """Fit a logistic regression, and return the odds ratio of each column.

    The variance is robust to outcomes that are alike within a cluster, with the usual correction
    for few clusters; the intervals are Student's, with one degree of freedom less than clusters.

    Args:
        outcomes: Whether each outcome is correct.
        columns: The values of each covariate, by name. An intercept is added.
        clusters: The cluster of each outcome.
        level: The confidence level.

    Returns:
        The odds ratios, in the order of the columns; None if they cannot be estimated, because the
        columns determine each other or an outcome.

    Raises:
        InputError: statsmodels is not installed; the error names the extra to install.
    """
    models = lazy_import("statsmodels.discrete.discrete_model", extra="regression")
    exceptions = lazy_import("statsmodels.tools.sm_exceptions", extra="regression")
    numpy = lazy_import("numpy")
    matrix = numpy.column_stack(
        [numpy.ones(len(outcomes)), *(numpy.asarray(each, float) for each in columns.values())]
    )
    if numpy.linalg.matrix_rank(matrix) < matrix.shape[1]:
        return None
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(clusters))}
    groups = numpy.array([numbers[cluster] for cluster in clusters])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", exceptions.PerfectSeparationWarning)
            warnings.simplefilter("ignore", exceptions.ConvergenceWarning)
            fitted = models.Logit(numpy.asarray(outcomes, float), matrix).fit(
                disp=0, maxiter=100, cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
            )
    except (
        numpy.linalg.LinAlgError,
        exceptions.PerfectSeparationError,
        exceptions.PerfectSeparationWarning,
    ):
        return None
    if not fitted.mle_retvals["converged"]:
        return None
    intervals = fitted.conf_int(1 - level)
    return tuple(
        OddsRatio(name, *(_exponential(float(value)) for value in values))
        for name, values in zip(
            columns,
            zip(fitted.params[1:], intervals[1:, 0], intervals[1:, 1], strict=True),
            strict=True,
        )
    )


def _exponential(value: float) -> float:
    return math.exp(min(value, 700.0))
