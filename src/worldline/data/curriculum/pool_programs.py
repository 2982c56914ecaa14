"""Programs to choose from, with the operations that they execute."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from worldline.analysis.diagnosis import executed_operations
from worldline.core.trace import Limits
from worldline.data.curriculum.operation_skill import OperationSkill
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Prediction, Question

_BATCH = 64


@dataclass(frozen=True, slots=True)
class PoolProgram:
    """A program to choose from.

    Attributes:
        question: The program, its call and its result.
        operations: How often it executes each operation.
        steps: Number of steps of its trace.
        probability: Probability of its complete trace to the model; None if it was not scored.
    """

    question: Question
    operations: Mapping[str, int]
    steps: int = 0
    probability: float | None = None

    def expected(self, skill: OperationSkill) -> float:
        """The probability that the model predicts the program right.

        That of its trace, or without scores, what follows from its operations.
        """
        return skill.expected(self.operations) if self.probability is None else self.probability


def measure_programs(
    questions: Iterable[Question], recorder: PythonRecorder, *, limits: Limits
) -> Iterator[PoolProgram]:
    """Execute programs and count their operations; those that do not return are left out.

    Args:
        questions: Programs in Python with a call.
        recorder: Executes the programs.
        limits: Limits of each execution.
    """
    iterator = iter(questions)
    while batch := list(islice(iterator, _BATCH)):
        yield from _measure_batch(batch, recorder, limits)


def _measure_batch(
    batch: Sequence[Question], recorder: PythonRecorder, limits: Limits
) -> Iterator[PoolProgram]:
    programs = [question.program for question in batch]
    traces = recorder.record_group(programs, limits=limits)
    for question, program, trace in zip(batch, programs, traces, strict=True):
        recorded = trace or recorder.record(program, limits=limits)
        if recorded.ending.reason == "finished":
            counts = Counter(
                operation.name
                for step in executed_operations(recorded)
                for operation in step.operations
            )
            yield PoolProgram(question, counts, len(recorded.steps))


def add_probabilities(
    programs: Iterable[PoolProgram], scored: Iterable[Prediction]
) -> list[PoolProgram]:
    """Add the probabilities of the traces.

    Programs that were not scored up to the end of their trace are left out.

    Args:
        programs: The programs to choose from.
        scored: Predictions of them in the mode `score`.
    """
    scores = {each.program.hash: each.generation.scores for each in scored if each.generation}

    def with_probability(program: PoolProgram) -> PoolProgram | None:
        steps = scores.get(program.question.program.hash, ())
        # The last score is that of the end of the trace.
        if len(steps) <= program.steps:
            return None
        nll = sum(step.action_surprise + step.state_surprise for step in steps)
        return replace(program, probability=math.exp(-nll))

    return [each for each in map(with_probability, programs) if each is not None]
