"""Actual executions of candidates: their correctness, tests and outputs."""

from collections.abc import Callable, Mapping, Sequence

from worldline.evaluation.rank.candidate_outcome import (
    CandidateOutcome,
    actual_outcome,
    make_batch,
)
from worldline.evaluation.rank.candidate_problem import CandidateProblem
from worldline.evaluation.rank.execution_journal import ExecutionJournal
from worldline.evaluation.rank.input_choice import ChosenInput, choose_inputs
from worldline.evaluation.rank.rank_plan import RankPlan, with_inputs
from worldline.languages.python.batch_runner import Batch, BatchItem

# CPU time of a problem's reference, which decides whether a candidate is correct.
REFERENCE_SECONDS = 1.0

# The outcomes of one problem, by source.
Outcomes = Mapping[str, CandidateOutcome]


def check_candidates(
    problems: Sequence[CandidateProblem],
    journal: ExecutionJournal,
    *,
    on_outcome: Callable[[], None] | None = None,
) -> list[tuple[bool, ...]]:
    """Find out which candidates are correct.

    Args:
        problems: The problems.
        journal: Executes the reference of a problem with each candidate that does not say itself
            whether it is correct.
        on_outcome: Called for every execution.

    Returns:
        For each problem, whether each candidate is correct; empty if that is not known of all.
    """
    batches = {
        (problem.id, candidate.source): Batch(
            candidate.source, (BatchItem(problem.reference, seconds=REFERENCE_SECONDS),)
        )
        for problem in problems
        for candidate in problem.candidates
        if problem.reference is not None and candidate.is_correct is None
    }
    outcomes = journal.run(list(batches.values()), on_outcome=on_outcome)
    passed = {
        key: outcome.items[0].status == "passed"
        for key, outcome in zip(batches, outcomes, strict=True)
    }
    return [_verdicts(problem, passed) for problem in problems]


def _verdicts(
    problem: CandidateProblem, passed: Mapping[tuple[str, str], bool]
) -> tuple[bool, ...]:
    verdicts: list[bool] = []
    for candidate in problem.candidates:
        verdict = candidate.is_correct
        if verdict is None:
            verdict = passed.get((problem.id, candidate.source))
        if verdict is None:
            return ()
        verdicts.append(verdict)
    return tuple(verdicts)


def execute_candidates(
    plans: Sequence[RankPlan],
    journal: ExecutionJournal,
    *,
    seconds: float,
    on_outcome: Callable[[], None] | None = None,
) -> list[Outcomes]:
    """Execute the tests and inputs of every plan with every candidate.

    Args:
        plans: The plans.
        journal: Executes the batches.
        seconds: CPU time of one test or call.
        on_outcome: Called for every execution.

    Returns:
        For each plan, the outcome of each different source.
    """
    batches = [
        (plan, source, make_batch(plan, source, seconds=seconds))
        for plan in plans
        for source in plan.problem.sources
    ]
    results = journal.run([batch for *_, batch in batches], on_outcome=on_outcome)
    outcomes: dict[int, dict[str, CandidateOutcome]] = {id(plan): {} for plan in plans}
    for (plan, source, _), result in zip(batches, results, strict=True):
        outcomes[id(plan)][source] = actual_outcome(plan, result)
    return [outcomes[id(plan)] for plan in plans]


def choose_plan_inputs(
    plans: Sequence[RankPlan], outcomes: Sequence[Outcomes], count: int
) -> tuple[list[RankPlan], list[tuple[ChosenInput, ...]]]:
    """Restrict each plan to the inputs that distinguish its candidates best.

    A plan whose candidates no input distinguishes keeps its first inputs.

    Args:
        plans: The plans.
        outcomes: For each plan, the outcome of each source.
        count: The number of inputs of a problem.

    Returns:
        The plans, and the chosen inputs of each.
    """
    restricted, chosen = [], []
    for plan, by_source in zip(plans, outcomes, strict=True):
        rows = [by_source[candidate.source].outputs for candidate in plan.problem.candidates]
        pool = {call: [row[call] for row in rows] for call in plan.inputs}
        inputs = choose_inputs(pool, count)
        kept = [each.call for each in inputs] or plan.inputs[:count]
        restricted.append(with_inputs(plan, kept))
        chosen.append(inputs)
    return restricted, chosen
