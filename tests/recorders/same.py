"""A program recorded in C and in Python: both traces, to be compared to the byte."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import get_args

from tests.recorders.methods import recorder_of
from worldline.recorders import Method, PythonRecorder
from worldline.trace import Limits, Program, Trace, trace_to_json


def body(trace: Trace) -> str:
    """All of a trace but how it was recorded, as it is stored."""
    data = trace_to_json(trace)
    del data["origin"]
    return json.dumps(data)


@dataclass(frozen=True)
class Both:
    """The recorder in C and the reference, of one version of Python."""

    core: PythonRecorder
    reference: PythonRecorder

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """The trace that both give, or an AssertionError that says where they part."""
        traces = [each.record(program, limits=limits) for each in (self.core, self.reference)]
        assert [trace.origin.recorder for trace in traces] == ["core", "settrace"]
        if body(traces[0]) != body(traces[1]):
            steps, others = (trace.steps for trace in traces)
            for number, (step, other) in enumerate(zip(steps, others, strict=False)):
                assert step == other, f"step {number} of\n{program.text}"
            assert body(traces[0]) == body(traces[1]), program.text
        return traces[0]


@contextmanager
def both_of(python: str, *, has_threads: bool = False) -> Iterator[Both]:
    """Both recorders for an interpreter."""
    with ExitStack() as stack:
        made = [
            stack.enter_context(recorder_of(python, method, has_threads=has_threads))
            for method in get_args(Method)
        ]
        yield Both(*made)
