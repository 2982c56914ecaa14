"""Programs to choose from, with the operations that they execute."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from worldline.analysis.diagnosis import executed_operations
from worldline.core.trace import Limits
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question

_BATCH = 64


@dataclass(frozen=True, slots=True)
class PoolProgram:
    """A program to choose from.

    Attributes:
        question: The program, its call and its result.
        operations: How often it executes each operation.
    """

    question: Question
    operations: Mapping[str, int]


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
            yield PoolProgram(question, counts)
