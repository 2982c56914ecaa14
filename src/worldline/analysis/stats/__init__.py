"""Intervals, tests, regression, quality of probabilities. Only this package uses scipy."""

from worldline.analysis.stats.bounded_mean import mean_estimate
from worldline.analysis.stats.intervals import (
    Share,
    bootstrap_interval,
    clustered_share,
    share,
)
from worldline.analysis.stats.isotonic_regression import fit_isotonic, isotonic_value
from worldline.analysis.stats.logistic_regression import OddsRatio, logistic_odds_ratios
from worldline.analysis.stats.multinomial import multinomial_draws
from worldline.analysis.stats.paired_differences import (
    Difference,
    Ratio,
    accuracy_difference,
    mean_difference,
    ratio_of_totals,
)
from worldline.analysis.stats.paired_tests import adjust_p_values, mcnemar, sign_flip
from worldline.analysis.stats.pass_at_k_estimator import pass_at_k
from worldline.analysis.stats.ridge_logistic import LogisticFit, fit_ridge_logistic
from worldline.analysis.stats.risk_threshold import RiskThreshold, fit_risk_threshold
from worldline.analysis.stats.selective_risk import (
    Estimate,
    SelectiveRisk,
    measure_selective_risk,
    optimal_aurc,
    risk_coverage_curve,
)
from worldline.analysis.stats.sign_test import MedianChange, median_change

__all__ = [
    "Difference",
    "Estimate",
    "LogisticFit",
    "MedianChange",
    "OddsRatio",
    "Ratio",
    "RiskThreshold",
    "SelectiveRisk",
    "Share",
    "accuracy_difference",
    "adjust_p_values",
    "bootstrap_interval",
    "clustered_share",
    "fit_isotonic",
    "fit_ridge_logistic",
    "fit_risk_threshold",
    "isotonic_value",
    "logistic_odds_ratios",
    "mcnemar",
    "mean_difference",
    "mean_estimate",
    "measure_selective_risk",
    "median_change",
    "multinomial_draws",
    "optimal_aurc",
    "pass_at_k",
    "ratio_of_totals",
    "risk_coverage_curve",
    "share",
    "sign_flip",
]
