"""Recorder of Python programs.

A tracer in C records the events of the interpreter if it was built for that interpreter; otherwise
the reference tracer, which uses `sys.settrace`. The traces are the same. Each program runs in its
own process, in a sandbox and with `Limits`.
"""

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.core.trace import Assumptions, Ending, Limits, Origin, Program, Scope, Trace
from worldline.languages.python.recorder.assumed_request import (
    NEEDED,
    OpenCall,
    assumed_request,
    parse_open_call,
)
from worldline.languages.python.recorder.cancellation import Cancellation
from worldline.languages.python.recorder.fork_server_client import (
    HASH_SEED,
    Backend,
    ForkServerClient,
)
from worldline.languages.python.recorder.recording_ending import recording_ending
from worldline.languages.python.recorder.recording_protocol import RawRecording
from worldline.languages.sandbox import (
    Layer,
    LayerStatus,
    Sandbox,
    default_sandbox,
    run_selftest,
)

# Read once: looking it up takes longer than many a program.
_WORLDLINE_VERSION = version("worldline")


class PythonRecorder:
    """Recorder of Python programs; threads may share it, and it records one program at a time.

    with PythonRecorder() as recorder:
        trace = recorder.record(Program("def f(x): return x + 1", "f(1)"))
    """

    def __init__(
        self,
        *,
        python: str | None = None,
        import_from: Sequence[str | Path] = (),
        backend: Backend | None = None,
        has_threads: bool = False,
        hash_seed: int = HASH_SEED,
        sandbox: Sandbox | None = None,
    ) -> None:
        """Configure a recorder; its interpreter starts at the first use.

        Args:
            python: The interpreter that executes programs; by default the current one.
            import_from: Folders that programs may import from.
            backend: "core" (in C) or "settrace" (in Python); by default "core" if it was built.
            has_threads: Also record the threads that a program starts. Their order may differ from
                one execution to the next.
            hash_seed: PYTHONHASHSEED, which the order of sets of strings depends on.
            sandbox: The sandbox; by default all layers (see `default_sandbox`).
        """
        self._backend = backend
        self._has_threads = has_threads
        self._hash_seed = hash_seed
        self._python = python or sys.executable
        self._import_from = [str(Path(path).resolve()) for path in import_from]
        self._sandbox = sandbox or default_sandbox()
        self._server: ForkServerClient | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> "PythonRecorder":
        # Report an interpreter that cannot be used now, not at the first program.
        with self._lock:
            self._server = self._server or self._start()
        return self

    @property
    def backend(self) -> str:
        """How events are recorded: "core", in C, or "settrace", in Python and slower."""
        self._server = self._server or self._start()
        return self._server.backend

    @property
    def layers(self) -> frozenset[Layer]:
        """The layers of the sandbox that are in effect."""
        self._server = self._server or self._start()
        return self._server.layers

    @property
    def missing_layers(self) -> Mapping[Layer, str]:
        """The layers of the sandbox that are not available, and the reasons."""
        self._server = self._server or self._start()
        return self._server.missing_layers

    @property
    def remedies(self) -> tuple[str, ...]:
        """Commands and options of which one allows namespaces, if they are forbidden."""
        self._server = self._server or self._start()
        return self._server.remedies

    def _start(self) -> ForkServerClient:
        return ForkServerClient(
            self._python,
            self._backend,
            sandbox=self._sandbox,
            folders=self._import_from,
            hash_seed=self._hash_seed,
        )

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the recorder's interpreter."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def record(
        self,
        program: Program,
        *,
        limits: Limits | None = None,
        cancellation: Cancellation | None = None,
    ) -> Trace:
        """Execute a program and return its trace, however it ended.

        Args:
            program: The program to execute.
            limits: The limits of the recording; `Limits()` by default.
            cancellation: Kills the program when it is cancelled; the trace ends there.

        Raises:
            RecorderError: The recorder itself failed.
            SandboxError: The sandbox is not available; nothing was executed.
        """
        with self._lock:
            return self._record(program, limits or Limits(), cancellation, {})[0]

    def record_assuming(
        self,
        program: Program,
        assumptions: Assumptions,
        *,
        limits: Limits | None = None,
        cancellation: Cancellation | None = None,
    ) -> tuple[Trace, OpenCall | None]:
        """Execute a program in which some modules and functions are not executed.

        The first assumed calls have the values of `assumptions`. The call after them ends the
        execution.

        Args:
            program: The program to execute.
            assumptions: The names that are not executed, and the values of the first calls.
            limits: The limits of the recording; `Limits()` by default.
            cancellation: Kills the program when it is cancelled; the trace ends there.

        Returns:
            The trace, and the call whose value is needed next; None if the program ended otherwise.
        """
        with self._lock:
            trace, end = self._record(
                program, limits or Limits(), cancellation, assumed_request(program, assumptions)
            )
        trace = replace(trace, assumptions=assumptions)
        if end is None or end[0] != NEEDED:
            return trace, None
        call = parse_open_call(end[1], trace.steps)
        if call is None:
            return replace(trace, ending=Ending("tampered", "the assumed call is malformed")), None
        return trace, call

    def _record(
        self,
        program: Program,
        limits: Limits,
        cancellation: Cancellation | None,
        assumed: dict[str, Any],
    ) -> tuple[Trace, tuple[str, str] | None]:
        """Execute a program; the result is its trace, and the ending that it reported itself."""
        stdin = program.stdin.encode("utf-8", "surrogateescape")
        request = {
            "text": program.text,
            "entry": program.entry,
            "path": self._import_from,
            "threads": self._has_threads,
            "limits": {name: getattr(limits, name) for name in limits.__slots__},
            **assumed,
        }
        recording, server = self._execute(request, limits, stdin, cancellation)
        if recording.is_dead and not recording.was_cancelled:
            # No program can reach the fork server: it was killed from outside, or the machine had
            # no memory for another process. So execute the program once more.
            recording, server = self._execute(request, limits, stdin, cancellation)
        origin = Origin(server.backend, server.version, _WORLDLINE_VERSION, self._hash_seed)
        trace = Trace(
            program=program,
            steps=tuple(recording.steps),
            scopes=tuple(_scopes_with_variables(recording)),
            ending=recording_ending(recording, limits),
            limits=limits,
            origin=origin,
            stdout=recording.stdout.decode("utf-8", "surrogateescape"),
            notes=(*server.notes, *recording.notes),
        )
        return trace, None if recording.is_tampered else recording.end

    def _execute(
        self,
        request: dict[str, Any],
        limits: Limits,
        stdin: bytes,
        cancellation: Cancellation | None,
    ) -> tuple[RawRecording, ForkServerClient]:
        """Execute one program; if the fork server has died, start another one."""
        if self._server is not None and not self._server.is_running:
            self._server.close()
            self._server = None
        if self._server is None:
            self._server = self._start()
        server = self._server
        recording = server.record(request, limits, stdin, cancellation)
        if recording.is_dead:
            server.close()
            self._server = None
        return recording, server


def check_sandbox(python: str | None = None) -> Iterator[LayerStatus]:
    """Test every layer of the sandbox on this machine.

    The layers that are needed are those of the level that `default_sandbox` has.

    Args:
        python: The interpreter to test with; by default the current one.
    """
    return run_selftest(
        lambda sandbox: PythonRecorder(python=python, sandbox=sandbox), default_sandbox().level
    )


def _scopes_with_variables(recording: RawRecording) -> list[Scope]:
    """The scopes with their variables; those of modules and class bodies in order of appearance."""
    seen: list[dict[str, None]] = [{} for _ in recording.scopes]
    for step in recording.steps:
        seen[step.scope].update(dict.fromkeys(step.changed))
    return [
        scope if scope.variables else Scope(scope.function, scope.line, tuple(names), 0)
        for scope, names in zip(recording.scopes, seen, strict=True)
    ]
