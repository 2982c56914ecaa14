"""Judged samples of one run or two, counted: accuracy, where it is lost, and what changed."""

from worldline.measures.accuracy import Accuracy, accuracy
from worldline.measures.breakdown import GroupAccuracy, breakdown
from worldline.measures.compare import RunComparison, compare_runs
from worldline.measures.composition import FACETS, CompositionResult, measure_composition
from worldline.measures.horizon import Horizon, measure_horizon
from worldline.measures.interventions import Interventions, measure_interventions
from worldline.measures.passing import PassRate, pass_rates
from worldline.measures.scored import ScoredSteps, measure_scores
from worldline.measures.settings import changed_settings

__all__ = [
    "FACETS",
    "Accuracy",
    "CompositionResult",
    "GroupAccuracy",
    "Horizon",
    "Interventions",
    "PassRate",
    "RunComparison",
    "ScoredSteps",
    "accuracy",
    "breakdown",
    "changed_settings",
    "compare_runs",
    "measure_composition",
    "measure_horizon",
    "measure_interventions",
    "measure_scores",
    "pass_rates",
]
