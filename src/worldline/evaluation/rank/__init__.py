"""Rankings of candidate solutions, by actual and by predicted executions."""

from worldline.evaluation.rank.best_at_k_estimator import best_at_k, chance_at_k
from worldline.evaluation.rank.candidate_execution import (
    Outcomes,
    check_candidates,
    choose_plan_inputs,
    execute_candidates,
)
from worldline.evaluation.rank.candidate_file import read_candidate_problems
from worldline.evaluation.rank.candidate_outcome import (
    CandidateOutcome,
    actual_outcome,
    make_batch,
    output_key,
    predicted_outcome,
    rank_outcomes,
)
from worldline.evaluation.rank.candidate_problem import Candidate, CandidateProblem
from worldline.evaluation.rank.consensus import (
    CandidateGroup,
    Score,
    rank_by_outputs,
    rank_by_tests,
)
from worldline.evaluation.rank.execution_journal import ExecutionJournal, ExecutionTotals
from worldline.evaluation.rank.input_choice import ChosenInput, choose_inputs
from worldline.evaluation.rank.problem_ranker import ProblemRanker, way_name
from worldline.evaluation.rank.rank_plan import (
    Consensus,
    PlannedTest,
    RankPlan,
    make_plan,
    parse_test,
    with_inputs,
)
from worldline.evaluation.rank.rank_results import (
    CHANCE,
    BestAtK,
    ProblemRanking,
    RankBy,
    RankResults,
    RunRegret,
    SimulationGap,
    measure_rankings,
)
from worldline.evaluation.rank.staged_ranking import StagedRanking, rank_staged

__all__ = [
    "CHANCE",
    "BestAtK",
    "Candidate",
    "CandidateGroup",
    "CandidateOutcome",
    "CandidateProblem",
    "ChosenInput",
    "Consensus",
    "ExecutionJournal",
    "ExecutionTotals",
    "Outcomes",
    "PlannedTest",
    "ProblemRanker",
    "ProblemRanking",
    "RankBy",
    "RankPlan",
    "RankResults",
    "RunRegret",
    "Score",
    "SimulationGap",
    "StagedRanking",
    "actual_outcome",
    "best_at_k",
    "chance_at_k",
    "check_candidates",
    "choose_inputs",
    "choose_plan_inputs",
    "execute_candidates",
    "make_batch",
    "make_plan",
    "measure_rankings",
    "output_key",
    "parse_test",
    "predicted_outcome",
    "rank_by_outputs",
    "rank_by_tests",
    "rank_outcomes",
    "rank_staged",
    "read_candidate_problems",
    "way_name",
    "with_inputs",
]
