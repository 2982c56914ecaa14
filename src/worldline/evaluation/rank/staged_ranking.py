"""Staged ranking: predict all candidates, and execute the best ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from worldline.evaluation.rank.candidate_outcome import CandidateOutcome, rank_outcomes
from worldline.evaluation.rank.consensus import CandidateGroup, Score
from worldline.evaluation.rank.rank_plan import RankPlan


@dataclass(frozen=True, slots=True)
class StagedRanking:
    """Groups of candidates, best first, and the sources that were executed, in order."""

    groups: tuple[CandidateGroup, ...]
    executed: tuple[str, ...]


def rank_staged(
    plan: RankPlan,
    predicted: Sequence[CandidateOutcome],
    execute: Callable[[str], CandidateOutcome],
    run_best: int,
    *,
    score: Score = "product",
) -> StagedRanking:
    """Rank by predicted outcomes, and replace those of the best candidates by actual ones.

    The best candidate that has not been executed is executed, all are ranked again, and so on,
    `run_best` times. With 0 the ranking is the predicted one; with as many as there are different
    sources it is the actual one.

    Args:
        plan: The plan.
        predicted: The predicted outcome of each candidate.
        execute: Returns the actual outcome of a source.
        run_best: The number of different sources to execute.
        score: How a group's score is computed.
    """
    sources = [candidate.source for candidate in plan.problem.candidates]
    outcomes = list(predicted)
    executed: list[str] = []
    groups = rank_outcomes(plan, outcomes, score=score)
    while len(executed) < run_best:
        order = (sources[position] for group in groups for position in group.candidates)
        best = next((source for source in order if source not in executed), None)
        if best is None:
            break
        actual = execute(best)
        executed.append(best)
        outcomes = [
            actual if source == best else outcome
            for source, outcome in zip(sources, outcomes, strict=True)
        ]
        groups = rank_outcomes(plan, outcomes, score=score)
    return StagedRanking(groups, tuple(executed))
