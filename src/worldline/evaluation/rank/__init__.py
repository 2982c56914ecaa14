"""Rankings of candidate solutions, by actual and by predicted executions."""

from worldline.evaluation.rank.best_at_k import best_at_k, chance_at_k
from worldline.evaluation.rank.candidate_file import read_candidate_problems
from worldline.evaluation.rank.candidate_problem import Candidate, CandidateProblem
from worldline.evaluation.rank.consensus import (
    CandidateGroup,
    Score,
    rank_by_outputs,
    rank_by_tests,
)
from worldline.evaluation.rank.execution_journal import ExecutionJournal, ExecutionTotals

__all__ = [
    "Candidate",
    "CandidateGroup",
    "CandidateProblem",
    "ExecutionJournal",
    "ExecutionTotals",
    "Score",
    "best_at_k",
    "chance_at_k",
    "rank_by_outputs",
    "rank_by_tests",
    "read_candidate_problems",
]
