"""Confidence intervals, paired tests, regression. Only this package uses scipy and statsmodels."""

from worldline.analysis.stats.intervals import (
    Share,
    bootstrap_interval,
    clustered_share,
    share,
)
from worldline.analysis.stats.logistic_regression import OddsRatio, logistic_odds_ratios
from worldline.analysis.stats.paired_differences import (
    Difference,
    Ratio,
    accuracy_difference,
    mean_difference,
    ratio_of_totals,
)
from worldline.analysis.stats.paired_tests import adjust_p_values, mcnemar, sign_flip
from worldline.analysis.stats.pass_at_k_estimator import pass_at_k
from worldline.analysis.stats.sign_test import MedianChange, median_change

__all__ = [
    "Difference",
    "MedianChange",
    "OddsRatio",
    "Ratio",
    "Share",
    "accuracy_difference",
    "adjust_p_values",
    "bootstrap_interval",
    "clustered_share",
    "logistic_odds_ratios",
    "mcnemar",
    "mean_difference",
    "median_change",
    "pass_at_k",
    "ratio_of_totals",
    "share",
    "sign_flip",
]
