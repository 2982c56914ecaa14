"""Judged samples of one run or two, counted: accuracy, where it is lost, and what changed."""

from worldline.measures.accuracy import Accuracy, accuracy
from worldline.measures.breakdown import GroupAccuracy, breakdown
from worldline.measures.compare import RunComparison, compare_runs
from worldline.measures.composition import FACETS, CompositionResult, measure_composition
from worldline.measures.horizon import Horizon, measure_horizon
from worldline.measures.interventions import Interventions, measure_interventions
from worldline.measures.lengths import BUDGETS, Lengths, lengths_of
from worldline.measures.passing import PassRate, pass_rates
from worldline.measures.scored import ScoredSteps, measure_scores
from worldline.measures.settings import changed_settings
from worldline.measures.stability import Stability, measure_stability
from worldline.measures.tokens import (
    FormatTokens,
    StepTokens,
    TokenCosts,
    VariableTokens,
    measure_tokens,
)

__all__ = [
    "BUDGETS",
    "FACETS",
    "Accuracy",
    "CompositionResult",
    "FormatTokens",
    "GroupAccuracy",
    "Horizon",
    "Interventions",
    "Lengths",
    "PassRate",
    "RunComparison",
    "ScoredSteps",
    "Stability",
    "StepTokens",
    "TokenCosts",
    "VariableTokens",
    "accuracy",
    "breakdown",
    "changed_settings",
    "compare_runs",
    "lengths_of",
    "measure_composition",
    "measure_horizon",
    "measure_interventions",
    "measure_scores",
    "measure_stability",
    "measure_tokens",
    "pass_rates",
]
