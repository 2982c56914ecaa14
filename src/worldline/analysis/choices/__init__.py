"""Choices of programs: is a prediction possible, and how probable are the results?"""

from worldline.analysis.choices.choice_domain import Domain, parse_domain
from worldline.analysis.choices.choice_tree import (
    MAX_EXECUTIONS,
    Leaf,
    NotFiniteError,
    ResultRecorder,
    enumerate_executions,
)
from worldline.analysis.choices.distribution import (
    MAX_TRACES,
    Distribution,
    make_distribution,
    result_distribution,
    state_distribution,
)
from worldline.analysis.choices.distribution_distance import (
    DistanceEstimate,
    DistributionScore,
    StatedScore,
    jensen_shannon,
    score_predictions,
    score_stated,
    score_to_json,
    total_variation,
)
from worldline.analysis.choices.expected_outcomes import (
    expected_answers,
    outcomes_from_text,
    outcomes_to_text,
    results_from_text,
    results_to_text,
)
from worldline.analysis.choices.hidden_state import (
    END,
    Belief,
    ImpossibleObservationsError,
    Play,
    belief_after,
    declared_hidden,
    enumerate_plays,
    find_belief,
)
from worldline.analysis.choices.possibility import (
    ChoiceRecorder,
    Possibility,
    PossibilityOutcome,
    find_possibility,
)
from worldline.analysis.choices.schedule_possibility import find_schedule_possibility

__all__ = [
    "END",
    "MAX_EXECUTIONS",
    "MAX_TRACES",
    "Belief",
    "ChoiceRecorder",
    "DistanceEstimate",
    "Distribution",
    "DistributionScore",
    "Domain",
    "ImpossibleObservationsError",
    "Leaf",
    "NotFiniteError",
    "Play",
    "Possibility",
    "PossibilityOutcome",
    "ResultRecorder",
    "StatedScore",
    "belief_after",
    "declared_hidden",
    "enumerate_executions",
    "enumerate_plays",
    "expected_answers",
    "find_belief",
    "find_possibility",
    "find_schedule_possibility",
    "jensen_shannon",
    "make_distribution",
    "outcomes_from_text",
    "outcomes_to_text",
    "parse_domain",
    "result_distribution",
    "results_from_text",
    "results_to_text",
    "score_predictions",
    "score_stated",
    "score_to_json",
    "state_distribution",
    "total_variation",
]
