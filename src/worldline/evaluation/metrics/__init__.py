"""Metrics of runs: accuracy, survival, comparisons, effects of interventions, token costs."""

from worldline.evaluation.metrics.answer_distributions import (
    AnswerDistributions,
    QuestionDistribution,
    measure_answer_distributions,
    question_distributions,
    summarize_distributions,
)
from worldline.evaluation.metrics.answer_sets import AnswerSets, measure_answer_sets
from worldline.evaluation.metrics.calibration import (
    Calibration,
    CalibrationBin,
    measure_calibration,
)
from worldline.evaluation.metrics.composition import FACETS, CompositionResult, measure_composition
from worldline.evaluation.metrics.gate import (
    Change,
    ConditionResult,
    GateResult,
    check_conditions,
)
from worldline.evaluation.metrics.gate_conditions import Condition, parse_condition
from worldline.evaluation.metrics.grouped_accuracy import GroupAccuracy, accuracy_by_group
from worldline.evaluation.metrics.intervention_effects import (
    InterventionResults,
    measure_interventions,
)
from worldline.evaluation.metrics.leaderboard import (
    BaselineDifference,
    Leaderboard,
    LeaderboardRow,
    rank_runs,
)
from worldline.evaluation.metrics.on_demand_results import (
    ExecutionPoint,
    OnDemandResults,
    compare_at_equal_cost,
    execution_points,
    measure_executed_samples,
)
from worldline.evaluation.metrics.one_step_accuracy import (
    OneStepAccuracy,
    measure_one_step_accuracy,
)
from worldline.evaluation.metrics.operation_accuracy import (
    OperationCounter,
    OperationGroup,
    OperationRate,
    OperationResults,
    measure_operations,
)
from worldline.evaluation.metrics.operation_changes import (
    OperationChange,
    compare_operations,
)
from worldline.evaluation.metrics.operation_model import OperationModel
from worldline.evaluation.metrics.pass_at_k import PassAtK, pass_at_k_rates
from worldline.evaluation.metrics.path_accuracy import PathAccuracy, measure_paths
from worldline.evaluation.metrics.run_accuracy import Accuracy, accuracy
from worldline.evaluation.metrics.run_comparison import (
    RunComparison,
    changed_settings,
    compare_runs,
)
from worldline.evaluation.metrics.survival import (
    CurvePoint,
    Survival,
    measure_survival,
    measure_survival_curve,
)
from worldline.evaluation.metrics.token_churn import TokenChurn, measure_token_churn
from worldline.evaluation.metrics.token_costs import (
    CONTEXT_LENGTHS,
    FormatTokens,
    LengthPercentiles,
    StepTokens,
    TokenCosts,
    VariableTokens,
    length_percentiles,
    measure_tokens,
)
from worldline.evaluation.metrics.trust_results import (
    TrustResults,
    measure_trust_cases,
    measure_trust_model,
)

__all__ = [
    "CONTEXT_LENGTHS",
    "FACETS",
    "Accuracy",
    "AnswerDistributions",
    "AnswerSets",
    "BaselineDifference",
    "Calibration",
    "CalibrationBin",
    "Change",
    "CompositionResult",
    "Condition",
    "ConditionResult",
    "CurvePoint",
    "ExecutionPoint",
    "FormatTokens",
    "GateResult",
    "GroupAccuracy",
    "InterventionResults",
    "Leaderboard",
    "LeaderboardRow",
    "LengthPercentiles",
    "OnDemandResults",
    "OneStepAccuracy",
    "OperationChange",
    "OperationCounter",
    "OperationGroup",
    "OperationModel",
    "OperationRate",
    "OperationResults",
    "PassAtK",
    "PathAccuracy",
    "QuestionDistribution",
    "RunComparison",
    "StepTokens",
    "Survival",
    "TokenChurn",
    "TokenCosts",
    "TrustResults",
    "VariableTokens",
    "accuracy",
    "accuracy_by_group",
    "changed_settings",
    "check_conditions",
    "compare_at_equal_cost",
    "compare_operations",
    "compare_runs",
    "execution_points",
    "length_percentiles",
    "measure_answer_distributions",
    "measure_answer_sets",
    "measure_calibration",
    "measure_composition",
    "measure_executed_samples",
    "measure_interventions",
    "measure_one_step_accuracy",
    "measure_operations",
    "measure_paths",
    "measure_survival",
    "measure_survival_curve",
    "measure_token_churn",
    "measure_tokens",
    "measure_trust_cases",
    "measure_trust_model",
    "parse_condition",
    "pass_at_k_rates",
    "question_distributions",
    "rank_runs",
    "summarize_distributions",
]
