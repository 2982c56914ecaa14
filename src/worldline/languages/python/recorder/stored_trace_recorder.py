"""Recorder that returns traces that were recorded before."""

from collections.abc import Iterable

from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Program, Trace, first_steps
from worldline.languages.python.recorder.recorder_protocol import Recorder


class StoredTraceRecorder:
    """Stored traces, by program; implements `Recorder`.

    Args:
        traces: The traces.
        executor: Executes the programs that have none; by default, nothing is executed.
    """

    def __init__(self, traces: Iterable[Trace], *, executor: Recorder | None = None) -> None:
        self._traces = {trace.program.hash: trace for trace in traces}
        self._executor = executor

    def executor_of(self, program: Program) -> Recorder | None:
        """What executes a program; None if it has a stored trace, or nothing is executed."""
        return None if program.hash in self._traces else self._executor

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """Return the stored trace of a program, up to the limit on steps.

        Raises:
            RecorderError: There is no trace of this program.
        """
        trace = self._traces.get(program.hash)
        if trace is None and self._executor is not None:
            return self._executor.record(program, limits=limits)
        if trace is None:
            raise RecorderError(f"there is no stored trace of the program {program.hash}")
        return trace if limits is None else first_steps(trace, limits.steps)
