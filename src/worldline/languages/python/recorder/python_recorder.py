"""Recorder of Python programs.

A tracer in C records the events of the interpreter if it was built for that interpreter; otherwise
the reference tracer, which uses `sys.settrace`. The traces are the same. Each program runs in its
own process, in a sandbox and with `Limits`.
"""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from worldline.core.errors import RecorderError
from worldline.core.trace import (
    Assumptions,
    Choice,
    Ending,
    Limits,
    Origin,
    Program,
    Scope,
    Trace,
    TraceColumns,
)
from worldline.languages.python.recorder.assumed_request import (
    NEEDED,
    OpenCall,
    assumed_request,
    parse_open_call,
)
from worldline.languages.python.recorder.cancellation import Cancellation
from worldline.languages.python.recorder.choice_request import (
    Execution,
    Thresholds,
    choice_request,
    decode_choices,
    decode_executions,
    decode_thresholds,
)
from worldline.languages.python.recorder.fork_server_client import (
    HASH_SEED,
    MAX_GROUP,
    Backend,
    ForkServerClient,
)
from worldline.languages.python.recorder.grouped_recording import (
    decode_grouped,
    decode_grouped_columns,
    digest_grouped,
)
from worldline.languages.python.recorder.recorded_columns import RecordedColumns
from worldline.languages.python.recorder.recording_ending import (
    END_REASONS,
    recording_ending,
    reported_ending,
)
from worldline.languages.python.recorder.recording_protocol import RawRecording
from worldline.languages.python.recorder.schedule_request import (
    ScheduleBounds,
    ScheduleSearch,
    decode_search,
)
from worldline.languages.sandbox import (
    Layer,
    LayerStatus,
    Sandbox,
    default_sandbox,
    run_selftest,
)

T = TypeVar("T")
# Read once: looking it up takes longer than many a program.
WORLDLINE_VERSION = version("worldline")


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
            has_threads: Also record the threads that a program starts. One runs at a time, and
                which of them is a choice.
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
        # Executes groups only: it has imported what their programs may import.
        self._group_server: ForkServerClient | None = None
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

    def _start(self, *, has_groups: bool = False) -> ForkServerClient:
        return ForkServerClient(
            self._python,
            self._backend,
            sandbox=self._sandbox,
            folders=self._import_from,
            hash_seed=self._hash_seed,
            has_groups=has_groups,
        )

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the recorder's interpreters."""
        for server in (self._server, self._group_server):
            if server is not None:
                server.close()
        self._server = self._group_server = None

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

    def record_group(
        self,
        programs: Sequence[Program],
        *,
        limits: Limits | None = None,
        repeat: "PythonRecorder | None" = None,
    ) -> list[Trace | None]:
        """Execute many programs, most of them in the same process as others.

        A program shares a process only if its code cannot change what a later program sees. The
        traces are the same as those of `record`.

        Args:
            programs: The programs to execute.
            limits: The limits of each recording; `Limits()` by default.
            repeat: Another recorder. It executes the programs again, in other groups and in the
                opposite order: what ran before a program runs after it. A program whose second
                recording differs in any byte has to be executed alone.

        Returns:
            The traces, None for a program that has to be executed alone, by `record`.

        Raises:
            SandboxError: The sandbox is not available; nothing was executed.
        """
        limits = limits or Limits()
        decoded = self._record_groups(programs, limits, repeat, decode_grouped)
        with self._lock:
            server = self._running_group_server()
        return [
            None if each is None else self._trace(program, limits, each, server)
            for program, each in zip(programs, decoded, strict=True)
        ]

    def record_group_columns(
        self,
        programs: Sequence[Program],
        *,
        limits: Limits | None = None,
        repeat: "PythonRecorder | None" = None,
    ) -> list[TraceColumns | None]:
        """The traces of `record_group` as columns, without objects for their steps."""
        limits = limits or Limits()
        decoded = self._record_groups(programs, limits, repeat, decode_grouped_columns)
        with self._lock:
            server = self._running_group_server()
        return [
            None if each is None else self._trace_columns(program, limits, *each, server)
            for program, each in zip(programs, decoded, strict=True)
        ]

    def _record_groups(
        self,
        programs: Sequence[Program],
        limits: Limits,
        repeat: "PythonRecorder | None",
        decode: Callable[[bytes, bytes], T | None],
    ) -> list[T | None]:
        """Execute programs in groups, and again by `repeat`; None for one that has to be alone."""

        def read(rows: bytes, output: bytes) -> tuple[T, bytes] | None:
            decoded = decode(rows, output)
            return None if decoded is None else (decoded, digest_grouped(rows, output))

        recorded = self._execute_groups(programs, limits, read)
        if repeat is not None:
            numbers = [n for n in reversed(range(len(programs))) if recorded[n] is not None]
            digests = repeat._execute_groups([programs[n] for n in numbers], limits, digest_grouped)
            for number, digest in zip(numbers, digests, strict=True):
                each = recorded[number]
                if each is not None and each[1] != digest:
                    recorded[number] = None
        return [None if each is None else each[0] for each in recorded]

    def _execute_groups(
        self, programs: Sequence[Program], limits: Limits, read: Callable[[bytes, bytes], T | None]
    ) -> list[T | None]:
        """Execute programs in groups; None for a program that has to be executed alone."""
        recorded: list[T | None] = [None] * len(programs)
        requests = [
            {"text": program.text, "entry": entry}
            if (entry := program.entry) is not None and not program.stdin
            else None
            for program in programs
        ]
        with self._lock:
            if self._import_from or self._has_threads:
                return recorded
            if self._running_group_server().backend != "core":
                return recorded
            waiting = [number for number, request in enumerate(requests) if request is not None]
            while waiting:
                group, waiting = waiting[:MAX_GROUP], waiting[MAX_GROUP:]
                members = [request for n in group if (request := requests[n]) is not None]
                results = self._running_group_server().record_group(members, limits, read)
                count = len(results.recorded)
                for number, recording in zip(group, results.recorded, strict=False):
                    recorded[number] = recording
                # The process has ended with the next program, unless it ended after a limit.
                waiting = group[count if results.ended_itself else count + 1 :] + waiting
        return recorded

    def _running_group_server(self) -> ForkServerClient:
        """The fork server for groups; another one if it has died."""
        if self._group_server is not None and not self._group_server.is_running:
            self._group_server.close()
            self._group_server = None
        if self._group_server is None:
            self._group_server = self._start(has_groups=True)
        return self._group_server

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

    def record_choosing(
        self,
        program: Program,
        choices: Sequence[Choice],
        *,
        is_systematic: bool = False,
        has_threads: bool | None = None,
        limits: Limits | None = None,
        cancellation: Cancellation | None = None,
    ) -> tuple[Trace, tuple[Thresholds, ...]]:
        """Execute a program whose first choices have the given values.

        If the program makes another choice than the given one, that and all later choices are
        drawn, and the trace has a note.

        Args:
            program: The program to execute.
            choices: The values of its first choices.
            is_systematic: Each later choice has the first value of its domain, if that is known,
                instead of a random one.
            has_threads: Whether the threads that the program starts are recorded, too; by default
                as the recorder does.
            limits: The limits of the recording; `Limits()` by default.
            cancellation: Kills the program when it is cancelled; the trace ends there.

        Returns:
            The trace, and for each of its choices what that was compared with, which is only known
            for numbers from [0, 1) in a systematic execution.
        """
        request = choice_request(choices, is_systematic=is_systematic)
        if has_threads is not None:
            request["threads"] = has_threads
        with self._lock:
            trace, recording = self._record_raw(program, limits or Limits(), cancellation, request)
        return trace, decode_thresholds(recording.choices)

    def execute_choosing(
        self,
        program: Program,
        prefixes: Sequence[Sequence[Choice]],
        *,
        limits: Limits | None = None,
    ) -> list[Execution]:
        """Execute a program once for each list of first choices, in one process, without traces.

        The executions are systematic; see `record_choosing`.

        Args:
            program: The program to execute.
            prefixes: For each execution, the values of its first choices.
            limits: The limits of all executions together; `Limits()` by default.

        Raises:
            RecorderError: The executions did not end.
        """
        repeats = [choice_request(each, is_systematic=True)["choices"] for each in prefixes]
        return decode_executions(self._repeat(program, {"repeats": repeats}, limits or Limits()))

    def draw_results(
        self, program: Program, draws: int, *, seed: int = 0, limits: Limits | None = None
    ) -> dict[tuple[str, str], int]:
        """Execute a program many times, in one process, and count its endings and results.

        Args:
            program: The program to execute.
            draws: The number of executions.
            seed: Seed of the generators that have none.
            limits: The limits of all executions together; `Limits()` by default.

        Raises:
            RecorderError: The executions did not end.
        """
        rows = self._repeat(program, {"draws": draws, "seed": seed}, limits or Limits())
        return {(ending, text): count for ending, text, count in rows}

    def record_scheduled(
        self,
        program: Program,
        schedule: Sequence[int] = (),
        *,
        seed: int | None = None,
        limits: Limits | None = None,
    ) -> Trace:
        """Execute a program with threads, which run in a given order.

        Random numbers have the first value of their domain, as in `search_schedules`, unless the
        order is random, too.

        Args:
            program: The program to execute.
            schedule: The thread that runs next, at each of the first choices between threads.
            seed: Seed of a random schedule.
            limits: The limits of the recording; `Limits()` by default.
        """
        order: dict[str, Any] = {"schedule_seed": seed}
        if seed is None:
            order = {"schedule": list(schedule), "is_systematic": True}
        with self._lock:
            return self._record(program, limits or Limits(), None, {"threads": True, **order})[0]

    def search_schedules(
        self, program: Program, bounds: ScheduleBounds, *, limits: Limits | None = None
    ) -> ScheduleSearch:
        """Execute a program with many schedules of its threads, in one process, without traces.

        Args:
            program: The program to execute.
            bounds: The bounds of the search.
            limits: The limits of all executions together; `Limits()` by default.

        Raises:
            RecorderError: The executions did not end.
        """
        rows = self._repeat(program, {"search": asdict(bounds)}, limits or Limits())
        return decode_search(rows, bounds)

    def _repeat(self, program: Program, more: dict[str, Any], limits: Limits) -> list[list[Any]]:
        request = {"stdin": program.stdin, **more}
        with self._lock:
            trace, recording = self._record_raw(program, limits, None, request)
        if trace.ending.reason != "finished":
            raise RecorderError(
                f"the executions of the program did not end: {trace.ending.reason}, "
                f"{trace.ending.detail}; raise the limits, or execute it less often"
            )
        return recording.results

    def _record(
        self,
        program: Program,
        limits: Limits,
        cancellation: Cancellation | None,
        assumed: dict[str, Any],
    ) -> tuple[Trace, tuple[str, str] | None]:
        """Execute a program; the result is its trace, and the ending that it reported itself."""
        trace, recording = self._record_raw(program, limits, cancellation, assumed)
        return trace, None if recording.is_tampered else recording.end

    def _record_raw(
        self,
        program: Program,
        limits: Limits,
        cancellation: Cancellation | None,
        more: dict[str, Any],
    ) -> tuple[Trace, RawRecording]:
        """Execute a program; `more`: further fields of the request."""
        stdin = program.stdin.encode("utf-8", "surrogateescape")
        request = {
            "text": program.text,
            "entry": program.entry,
            "path": self._import_from,
            "threads": self._has_threads,
            "limits": {name: getattr(limits, name) for name in limits.__slots__},
            **more,
        }
        recording, server = self._execute(request, limits, stdin, cancellation)
        if recording.is_dead and not recording.was_cancelled:
            # No program can reach the fork server: it was killed from outside, or the machine had
            # no memory for another process. So execute the program once more.
            recording, server = self._execute(request, limits, stdin, cancellation)
        return self._trace(program, limits, recording, server), recording

    def _trace(
        self, program: Program, limits: Limits, recording: RawRecording, server: ForkServerClient
    ) -> Trace:
        return Trace(
            program=program,
            steps=tuple(recording.steps),
            scopes=tuple(scopes_with_variables(recording)),
            ending=recording_ending(recording, limits),
            limits=limits,
            origin=Origin(server.backend, server.version, WORLDLINE_VERSION, self._hash_seed),
            stdout=recording.stdout.decode("utf-8", "surrogateescape"),
            notes=(*server.notes, *recording.notes),
            choices=decode_choices(recording.choices, recording.steps),
        )

    def _trace_columns(
        self,
        program: Program,
        limits: Limits,
        recorded: RecordedColumns,
        output: bytes,
        server: ForkServerClient,
    ) -> TraceColumns | None:
        if recorded.end[0] not in END_REASONS:
            return None
        return TraceColumns(
            program=program,
            columns=recorded.columns,
            ending=reported_ending(*recorded.end, limits),
            limits=limits,
            origin=Origin(server.backend, server.version, WORLDLINE_VERSION, self._hash_seed),
            stdout=output.decode("utf-8", "surrogateescape"),
            notes=(*server.notes, *recorded.notes),
        )

    def _execute(
        self,
        request: dict[str, Any],
        limits: Limits,
        stdin: bytes,
        cancellation: Cancellation | None,
    ) -> tuple[RawRecording, ForkServerClient]:
        """Execute one program; if the fork server has died, start another one."""
        server = self._running_server()
        recording = server.record(request, limits, stdin, cancellation)
        if recording.is_dead:
            server.close()
            self._server = None
        return recording, server

    def _running_server(self) -> ForkServerClient:
        """The fork server; another one if it has died."""
        if self._server is not None and not self._server.is_running:
            self._server.close()
            self._server = None
        if self._server is None:
            self._server = self._start()
        return self._server


def check_sandbox(python: str | None = None) -> Iterator[LayerStatus]:
    """Test every layer of the sandbox on this machine.

    The layers that are needed are those of the level that `default_sandbox` has.

    Args:
        python: The interpreter to test with; by default the current one.
    """
    return run_selftest(
        lambda sandbox: PythonRecorder(python=python, sandbox=sandbox), default_sandbox().level
    )


def scopes_with_variables(recording: RawRecording) -> list[Scope]:
    """The scopes with their variables; those of modules and class bodies in order of appearance."""
    seen: list[dict[str, None]] = [{} for _ in recording.scopes]
    for step in recording.steps:
        seen[step.scope].update(dict.fromkeys(step.changed))
    return [
        scope if scope.variables else Scope(scope.function, scope.line, tuple(names), 0)
        for scope, names in zip(recording.scopes, seen, strict=True)
    ]
