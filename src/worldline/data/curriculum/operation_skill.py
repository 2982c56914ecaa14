"""Accuracy of a model by operation, and the probability that it predicts a program right."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from worldline.analysis.diagnosis import OperationTallies

# Steps of average accuracy that are added to each operation, so that few steps say little.
_PRIOR = 4.0


@dataclass(frozen=True)
class OperationSkill:
    """The correct steps of a run by operation.

    Attributes:
        steps: For each operation, the number of correct steps and of all.
    """

    steps: Mapping[str, tuple[int, int]]

    @cached_property
    def mean(self) -> float:
        """The share of correct steps of all operations, between 0 and 1, both excluded."""
        correct = sum(correct for correct, _ in self.steps.values())
        return (correct + 1) / (sum(of for _, of in self.steps.values()) + 2)

    def accuracy(self, operation: str) -> float:
        """The estimated share of correct steps of one operation.

        Steps of average accuracy are added: an operation that the run does not have is average.
        """
        correct, of = self.steps.get(operation, (0, 0))
        return (correct + _PRIOR * self.mean) / (of + _PRIOR)

    def expected(self, operations: Mapping[str, int]) -> float:
        """The probability that all steps of a program are predicted right.

        Steps are taken as independent, so a longer program is less probable.

        Args:
            operations: How often the program executes each operation.
        """
        return math.exp(
            sum(number * math.log(self.accuracy(name)) for name, number in operations.items())
        )


def skill_of(tallies: OperationTallies) -> OperationSkill:
    """The skill of the model of a run, from the counts by operation and program."""
    return OperationSkill(
        {
            name: (
                sum(correct for correct, _ in by_program.values()),
                sum(of for _, of in by_program.values()),
            )
            for name, by_program in tallies.items()
        }
    )
