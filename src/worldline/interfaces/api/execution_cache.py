"""Cache of executed programs, for functions that score many completions of the same programs."""

import atexit
import os
import threading
from collections import OrderedDict

from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Program, Trace
from worldline.languages.program_recorder import ProgramRecorder

# Completions are short, so that longer executions would not be predicted to their end anyway.
DEFAULT_LIMITS = Limits(steps=20_000, seconds=5.0, trace_mb=16)
_ENTRIES = 256
# A program that ends this way before its first step is executed again: probably the machine was
# overloaded.
_RETRIED_ENDINGS = ("time_limit", "killed")


class ExecutionCache:
    """Traces of the programs that were executed last; threads may share it.

    The programs run in the sandbox, one at a time. A forked process starts its own interpreter.
    """

    def __init__(
        self, *, python: str | None = None, limits: Limits | None = None, entries: int = _ENTRIES
    ) -> None:
        """Create a cache; the interpreter starts with the first program.

        Args:
            python: The interpreter that executes programs; by default the current one.
            limits: Limits of each execution.
            entries: The number of traces to keep.
        """
        self._python, self._limits = python, limits or DEFAULT_LIMITS
        self._entries = entries
        self._traces: OrderedDict[str, Trace | None] = OrderedDict()
        self._lock = threading.Lock()
        self._recorder: ProgramRecorder | None = None
        self._process = os.getpid()
        atexit.register(self.close)

    def execute(self, program: Program) -> Trace | None:
        """Execute a program, or return its trace from the cache.

        Returns:
            The complete trace; None if the program cannot be executed to its end here.

        Raises:
            SandboxError: The sandbox is not available on this machine.
        """
        with self._lock:
            if program.hash not in self._traces:
                self._traces[program.hash] = self._execute(program)
            self._traces.move_to_end(program.hash)
            if len(self._traces) > self._entries:
                self._traces.popitem(last=False)
            return self._traces[program.hash]

    def _execute(self, program: Program) -> Trace | None:
        if self._recorder is None or self._process != os.getpid():
            self._recorder, self._process = ProgramRecorder(python=self._python), os.getpid()
        try:
            trace = self._recorder.record(program, limits=self._limits)
            if not trace.steps and trace.ending.reason in _RETRIED_ENDINGS:
                trace = self._recorder.record(program, limits=self._limits)
        except RecorderError:
            return None
        return trace if trace.steps and trace.is_complete else None

    def close(self) -> None:
        """End the interpreter; the next program starts another one."""
        if self._recorder is not None and self._process == os.getpid():
            self._recorder.close()
        self._recorder = None
