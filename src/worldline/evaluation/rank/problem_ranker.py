"""Ranker of one problem, by actual outcomes, by predicted ones, or in stages."""

from dataclasses import dataclass

from worldline.evaluation.rank.candidate_execution import Outcomes
from worldline.evaluation.rank.candidate_outcome import (
    CandidateOutcome,
    actual_outcome,
    make_batch,
    rank_outcomes,
)
from worldline.evaluation.rank.consensus import CandidateGroup, Score
from worldline.evaluation.rank.execution_journal import ExecutionJournal
from worldline.evaluation.rank.rank_plan import RankPlan
from worldline.evaluation.rank.rank_results import ProblemRanking, RankBy
from worldline.evaluation.rank.staged_ranking import rank_staged


@dataclass(frozen=True, slots=True)
class ProblemRanker:
    """Ranks the candidates of one problem.

    Attributes:
        plan: What candidates are compared by.
        is_correct: Whether each candidate is correct; empty if that is not known.
        actual: The actual outcome of each source; empty if they were not all executed.
        predicted: The predicted outcome of each source; empty if they were not predicted.
        journal: Executes the best candidates of a staged ranking.
        seconds: CPU time of one test or call.
        score: How a group's score is computed.
    """

    plan: RankPlan
    is_correct: tuple[bool, ...]
    actual: Outcomes
    predicted: Outcomes
    journal: ExecutionJournal
    seconds: float
    score: Score

    def rank(self, by: RankBy, run_best: int = 0) -> ProblemRanking:
        """Rank in one way; `run_best` is the number of candidates that "staged" executes."""
        if by == "actual":
            return self._ranking(by, self._groups(self.actual), len(self.plan.problem.sources))
        if by == "predicted":
            return self._ranking(by, self._groups(self.predicted), 0)
        rows = self._by_candidate(self.predicted)
        staged = rank_staged(self.plan, rows, self._execute, run_best, score=self.score)
        return self._ranking(way_name(by, run_best), staged.groups, len(staged.executed))

    def _execute(self, source: str) -> CandidateOutcome:
        """The actual outcome of one source."""
        if source in self.actual:
            return self.actual[source]
        batch = make_batch(self.plan, source, seconds=self.seconds)
        return actual_outcome(self.plan, *self.journal.run([batch]))

    def _groups(self, outcomes: Outcomes) -> tuple[CandidateGroup, ...]:
        return rank_outcomes(self.plan, self._by_candidate(outcomes), score=self.score)

    def _by_candidate(self, outcomes: Outcomes) -> list[CandidateOutcome]:
        return [outcomes[candidate.source] for candidate in self.plan.problem.candidates]

    def _ranking(self, by: str, groups: tuple[CandidateGroup, ...], runs: int) -> ProblemRanking:
        problem = self.plan.problem
        ids = tuple(candidate.id for candidate in problem.candidates)
        return ProblemRanking(problem.id, by, groups, ids, self.is_correct, runs)


def way_name(by: RankBy, run_best: int) -> str:
    """The name of a way: "staged", 2 -> "staged-2"; "actual", 0 -> "actual"."""
    return f"{by}-{run_best}" if by == "staged" else by
