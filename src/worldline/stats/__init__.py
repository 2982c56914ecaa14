"""Intervals and paired tests: the only home of scipy, which is imported when it is needed."""

from worldline.stats.bootstrap import bootstrap_interval
from worldline.stats.flips import mcnemar, sign_flip
from worldline.stats.intervals import Share, clustered_share, share
from worldline.stats.multiple import adjusted
from worldline.stats.paired import (
    Difference,
    Ratio,
    mean_difference,
    ratio_of_totals,
    right_difference,
)
from worldline.stats.passing import pass_at

__all__ = [
    "Difference",
    "Ratio",
    "Share",
    "adjusted",
    "bootstrap_interval",
    "clustered_share",
    "mcnemar",
    "mean_difference",
    "pass_at",
    "ratio_of_totals",
    "right_difference",
    "share",
    "sign_flip",
]
