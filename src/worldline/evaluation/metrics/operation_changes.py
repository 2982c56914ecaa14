"""Change of the accuracy of each operation from one run to another, paired by program."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from worldline.analysis.diagnosis import OperationTallies
from worldline.analysis.stats import Difference, accuracy_difference, adjust_p_values


@dataclass(frozen=True, slots=True)
class OperationChange:
    """The change of the accuracy of one operation.

    Attributes:
        name: The operation: "str.replace".
        a: Correct steps and all steps in the first run.
        b: The same in the second run.
        difference: The mean difference over the programs with such steps in both runs.
        adjusted_p: The p-value, adjusted for the number of operations with a change; None for an
            operation without one.
    """

    name: str
    a: tuple[int, int]
    b: tuple[int, int]
    difference: Difference
    adjusted_p: float | None


def operation_difference(name: str, a: OperationTallies, b: OperationTallies) -> Difference:
    """Compare the share of correct steps of one operation; every program counts once.

    Only programs in which both runs predicted such a step are compared.
    """
    return accuracy_difference(_program_differences(name, a, b))


def _program_differences(name: str, a: OperationTallies, b: OperationTallies) -> list[float]:
    steps_a, steps_b = a.get(name, {}), b.get(name, {})
    shared = [program for program in steps_a if program in steps_b]
    return [_share(steps_b[program]) - _share(steps_a[program]) for program in shared]


def compare_operations(a: OperationTallies, b: OperationTallies) -> tuple[OperationChange, ...]:
    """Compare all operations that both runs predicted, those with the smallest p first."""
    by_name = {name: _program_differences(name, a, b) for name in a if name in b}
    compared = {name: differences for name, differences in by_name.items() if differences}
    changes = [
        OperationChange(name, _total(a[name]), _total(b[name]), accuracy_difference(values), None)
        for name, values in compared.items()
    ]
    # An operation without a change could not have been significant: it does not count as a test.
    tested = [index for index, values in enumerate(compared.values()) if any(values)]
    p_values = adjust_p_values([changes[index].difference.p for index in tested])
    for index, p in zip(tested, p_values, strict=True):
        changes[index] = replace(changes[index], adjusted_p=p)
    return tuple(sorted(changes, key=lambda c: (c.difference.p, -c.difference.of, c.name)))


def _share(steps: tuple[int, int]) -> float:
    return steps[0] / steps[1]


def _total(by_program: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    return sum(c for c, _ in by_program.values()), sum(of for _, of in by_program.values())
