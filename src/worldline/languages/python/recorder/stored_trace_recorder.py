"""Recorder that executes nothing: it returns traces that were recorded before."""

from collections.abc import Iterable

from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Program, Trace, first_steps


class StoredTraceRecorder:
    """Stored traces, by program; implements `Recorder`."""

    def __init__(self, traces: Iterable[Trace]) -> None:
        self._traces = {trace.program.hash: trace for trace in traces}

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """Return the stored trace of a program, up to the limit on steps.

        Raises:
            RecorderError: There is no trace of this program.
        """
        trace = self._traces.get(program.hash)
        if trace is None:
            raise RecorderError(f"there is no stored trace of the program {program.hash}")
        return trace if limits is None else first_steps(trace, limits.steps)
