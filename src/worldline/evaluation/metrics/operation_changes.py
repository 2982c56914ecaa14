"""Change of the accuracy of each operation from one run to another, paired by program."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from worldline.analysis.diagnosis import Sample, operation_steps
from worldline.analysis.stats import Difference, accuracy_difference, adjust_p_values
from worldline.evaluation.metrics.operation_accuracy import source_without_call

# For each operation and each program (its hash): the steps that the operation decides alone, as
# the number of correct ones and of all.
OperationTallies = Mapping[str, Mapping[str, tuple[int, int]]]


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


def tally_operations(samples: Iterable[Sample]) -> OperationTallies:
    """Count correct steps by operation and by program.

    Args:
        samples: The diagnosed predictions. They are read once.
    """
    tallies: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for sample in samples:
        program = sha256(source_without_call(sample).encode(errors="surrogatepass")).hexdigest()
        for step in operation_steps(sample):
            if step.is_single and step.operations:
                by_program = tallies[step.operations[0].name]
                correct, of = by_program.get(program[:16], (0, 0))
                by_program[program[:16]] = (correct + step.is_correct, of + 1)
    return dict(tallies)


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
