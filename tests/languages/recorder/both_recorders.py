"""Recording with the tracer in C and the reference tracer, and comparison of both traces."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import get_args

from tests.languages.recorder.methods import recorder_of
from worldline.core.trace import Limits, Program, Trace, trace_to_json
from worldline.languages.python.recorder import Backend, PythonRecorder


def body(trace: Trace) -> str:
    """A trace as stored JSON, without its origin."""
    data = trace_to_json(trace)
    del data["origin"]
    return json.dumps(data)


@dataclass(frozen=True)
class BothRecorders:
    """Recorders with the tracer in C and the reference tracer, of one version of Python."""

    c: PythonRecorder
    reference: PythonRecorder

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """The trace of both; an AssertionError shows the first step that differs."""
        recorders = (self.c, self.reference)
        traces = [recorder.record(program, limits=limits) for recorder in recorders]
        assert [trace.origin.recorder for trace in traces] == ["core", "settrace"]
        if body(traces[0]) != body(traces[1]):
            steps, others = (trace.steps for trace in traces)
            for number, (step, other) in enumerate(zip(steps, others, strict=False)):
                assert step == other, f"step {number} of\n{program.text}"
            assert body(traces[0]) == body(traces[1]), program.text
        return traces[0]


@contextmanager
def both_recorders(python: str, *, has_threads: bool = False) -> Iterator[BothRecorders]:
    """Both recorders for an interpreter."""
    with ExitStack() as stack:
        recorders = [
            stack.enter_context(recorder_of(python, backend, has_threads=has_threads))
            for backend in get_args(Backend)
        ]
        yield BothRecorders(*recorders)
