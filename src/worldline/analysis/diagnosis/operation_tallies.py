"""Counts of correct steps by operation and program, which can be added up over a run."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256

from worldline.analysis.diagnosis.diagnosis import Sample
from worldline.analysis.diagnosis.step_operations import operation_steps

# For each operation and each program (its hash): the steps that the operation decides alone, as
# the number of correct ones and of all.
OperationTallies = Mapping[str, Mapping[str, tuple[int, int]]]


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


def add_tallies(tallies: Iterable[OperationTallies]) -> OperationTallies:
    """Add the counts of several samples."""
    total: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for each in tallies:
        for name, by_program in each.items():
            for program, (correct, of) in by_program.items():
                before = total[name].get(program, (0, 0))
                total[name][program] = (before[0] + correct, before[1] + of)
    return dict(total)


def source_without_call(sample: Sample) -> str:
    """The program without its call: calls of one function with other arguments are alike."""
    program = sample.prediction.program
    parts = program.split_entry()
    return program.text if parts is None else parts[0]
