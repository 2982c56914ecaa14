"""Results of rankings: best@k by each way, simulation gap, and regret per run saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from worldline.analysis.stats import Difference, Estimate, accuracy_difference, mean_estimate
from worldline.evaluation.rank.best_at_k_estimator import best_at_k, chance_at_k
from worldline.evaluation.rank.consensus import CandidateGroup
from worldline.evaluation.rank.execution_journal import ExecutionTotals
from worldline.evaluation.rank.input_choice import ChosenInput

RankBy = Literal[
    "actual",  # execute every candidate
    "predicted",  # predict every candidate
    "staged",  # predict every candidate, and execute the best ones
]
CHANCE = "chance"


@dataclass(frozen=True, slots=True)
class ProblemRanking:
    """The ranking of one problem in one way.

    Attributes:
        problem: The id of the problem.
        by: The way: "actual", "predicted", or "staged" and the number of candidates to execute.
        groups: The groups of candidates, best first.
        candidates: The ids of all candidates; the groups refer to them by position.
        is_correct: Whether each candidate is correct; empty if that is not known of all.
        runs: The number of different candidates that were executed.
    """

    problem: str
    by: str
    groups: tuple[CandidateGroup, ...]
    candidates: tuple[str, ...]
    is_correct: tuple[bool, ...]
    runs: int

    @property
    def best(self) -> str:
        """The id of the best candidate; of several, the first one."""
        return self.candidates[self.groups[0].candidates[0]]

    def best_at(self, k: int) -> float:
        """The probability that one of the k best candidates is correct."""
        return best_at_k(self.groups, self.is_correct, k)


@dataclass(frozen=True, slots=True)
class BestAtK:
    """The mean of best@k over problems, with its interval."""

    by: str
    k: int
    mean: Estimate


@dataclass(frozen=True, slots=True)
class SimulationGap:
    """best@k by actual execution minus best@k in another way, paired by problem."""

    by: str
    k: int
    gap: Difference


@dataclass(frozen=True, slots=True)
class RunRegret:
    """What a way loses, and the executions that it saves.

    Attributes:
        by: The way.
        runs: Executed candidates per problem.
        runs_saved: Executed candidates per problem less than by actual execution.
        regret: best@1 by actual execution minus best@1 in this way.
        per_run_saved: The regret divided by the runs saved; None if none are saved.
    """

    by: str
    runs: float
    runs_saved: float
    regret: float
    per_run_saved: float | None


@dataclass(frozen=True, slots=True)
class RankResults:
    """Rankings of all problems in every way, and how good they are.

    Attributes:
        rankings: One for each problem and way.
        best: best@k by each way and by chance; empty if it is not known which candidates are
            correct.
        gaps: Simulation gaps; they need the actual ranking.
        regrets: Regret per run saved; it needs the actual ranking.
        inputs: The inputs that were chosen for each problem, and why.
        skipped_tests: The number of different tests that state no value for a call, which
            predictions cannot decide.
        predictions: The number of predictions that were asked for.
        without_answer: How many of them have no value.
        executions: What the executions cost.
    """

    rankings: tuple[ProblemRanking, ...]
    best: tuple[BestAtK, ...] = ()
    gaps: tuple[SimulationGap, ...] = ()
    regrets: tuple[RunRegret, ...] = ()
    inputs: Mapping[str, tuple[ChosenInput, ...]] = field(default_factory=dict)
    skipped_tests: int = 0
    predictions: int = 0
    without_answer: int = 0
    executions: ExecutionTotals = field(default_factory=ExecutionTotals)

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways, in the order in which they were asked for."""
        return tuple(dict.fromkeys(ranking.by for ranking in self.rankings))


def measure_rankings(
    rankings: Sequence[ProblemRanking], *, ks: Sequence[int] = (1,)
) -> tuple[tuple[BestAtK, ...], tuple[SimulationGap, ...], tuple[RunRegret, ...]]:
    """Compute best@k, simulation gaps and regrets.

    Problems are the units of all intervals: candidates of one problem are not independent.

    Args:
        rankings: The rankings of the same problems in every way.
        ks: The values of k.

    Returns:
        best@k, gaps and regrets; nothing if it is not known which candidates are correct.
    """
    by_way: dict[str, dict[str, ProblemRanking]] = {}
    for ranking in rankings:
        if ranking.is_correct:
            by_way.setdefault(ranking.by, {})[ranking.problem] = ranking
    if not by_way:
        return (), (), ()
    first = next(iter(by_way.values()))
    best = [
        BestAtK(CHANCE, k, mean_estimate([chance_at_k(r.is_correct, k) for r in first.values()]))
        for k in ks
    ]
    gaps, regrets = [], []
    actual = by_way.get("actual")
    for way, problems in by_way.items():
        for k in ks:
            values = {problem: ranking.best_at(k) for problem, ranking in problems.items()}
            best.append(BestAtK(way, k, mean_estimate(list(values.values()))))
            if actual is not None and way != "actual":
                differences = [actual[p].best_at(k) - value for p, value in values.items()]
                gaps.append(SimulationGap(way, k, accuracy_difference(differences)))
        if actual is not None and way != "actual":
            regrets.append(_regret(way, actual, problems))
    return tuple(best), tuple(gaps), tuple(regrets)


def _regret(
    way: str, actual: Mapping[str, ProblemRanking], other: Mapping[str, ProblemRanking]
) -> RunRegret:
    n = len(other)
    runs = sum(ranking.runs for ranking in other.values()) / n
    saved = sum(actual[problem].runs for problem in other) / n - runs
    regret = sum(actual[p].best_at(1) - ranking.best_at(1) for p, ranking in other.items()) / n
    return RunRegret(way, runs, saved, regret, regret / saved if saved else None)
