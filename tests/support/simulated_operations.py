"""Simulated steps of operations with known rates, in programs that differ in difficulty."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from worldline.analysis.diagnosis import ExecutedOperation, OperationStep
from worldline.analysis.stats import Share
from worldline.evaluation.metrics.operation_accuracy import ClusteredStep, correct_steps


def step(is_correct: bool, *names: str, size: int = 10, nesting: int = 1) -> OperationStep:
    """An operation step with these operations."""
    return OperationStep(
        step=0,
        line=1,
        variables=("x",),
        operations=tuple(ExecutedOperation(name, "none", size) for name in names),
        is_single=len(names) == 1,
        nesting=nesting,
        read_size=size,
        value_size=0,
        is_correct=is_correct,
    )


CORRECT, WRONG = step(True, "op"), step(False, "op")


@dataclass(frozen=True)
class Simulation:
    """One operation in many programs.

    Attributes:
        programs: The number of programs.
        log_odds: The log-odds of a correct step, in a program of mean difficulty.
        spread: The standard deviation of these log-odds between programs.
        executions: The median number of executions in a program; some have ten times as many.
        is_stopped: Whether nothing after the first wrong step of a program is counted.
    """

    programs: int
    log_odds: float
    spread: float
    executions: int = 5
    is_stopped: bool = True

    def draw(self, rng: np.random.Generator, programs: int) -> tuple[Any, Any]:
        """The number of correct steps and of all steps in each program."""
        numbers = rng.lognormal(np.log(self.executions), 1.0, programs)
        possible = np.clip(numbers, 1, 300).astype(int)
        odds = self.log_odds + self.spread * rng.standard_normal(programs)
        correct = 1 / (1 + np.exp(-odds))
        if not self.is_stopped:
            return rng.binomial(possible, correct), possible
        first_wrong = rng.geometric(1 - correct)
        sizes = np.minimum(possible, first_wrong)
        return np.where(first_wrong <= possible, sizes - 1, sizes), sizes

    def true_rate(self) -> float:
        """The share of correct steps among very many programs."""
        correct, of = self.draw(np.random.default_rng(99), 1_000_000)
        return float(correct.sum() / of.sum())

    def measured(self, rng: np.random.Generator) -> Share:
        """The share that a run of these programs measures."""
        steps = []
        for number, (correct, of) in enumerate(zip(*self.draw(rng, self.programs), strict=True)):
            steps += [ClusteredStep(str(number), CORRECT)] * int(correct)
            steps += [ClusteredStep(str(number), WRONG)] * int(of - correct)
        return correct_steps(steps)


SIMULATIONS = [
    Simulation(programs, log_odds, spread, is_stopped=is_stopped)
    for programs in (40, 100, 300)
    for log_odds, spread, is_stopped in (
        (1.5, 0.0, False),
        (1.5, 1.0, False),
        (1.5, 1.0, True),
        (3.0, 1.0, True),
    )
]
