"""Recorder of programs of any language: each is executed by the recorder of its language."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from worldline.core.language import get_language
from worldline.core.trace import DEFAULT_LANGUAGE, Choice, Limits, Program, Trace, TraceColumns
from worldline.languages.python.recorder import (
    Cancellation,
    PythonRecorder,
    ScheduleBounds,
    ScheduleSearch,
    Thresholds,
)
from worldline.languages.sandbox import Sandbox

T = TypeVar("T")


class ProgramRecorder:
    """Recorder of programs of any language.

    Threads may share it. The recorders of languages other than Python start when they are needed.

    with ProgramRecorder() as recorder:
        trace = recorder.record(Program("const f = x => x + 1;", "f(1)", language="javascript"))
    """

    def __init__(
        self,
        *,
        python: str | None = None,
        import_from: Sequence[str | Path] = (),
        sandbox: Sandbox | None = None,
        **python_options: Any,
    ) -> None:
        """Configure the recorders.

        Args:
            python: The interpreter that executes Python programs; by default the current one.
            import_from: Folders that programs may import from.
            sandbox: The sandbox; by default all layers (see `default_sandbox`).
            python_options: More options of `PythonRecorder`.
        """
        self._options: dict[str, Any] = {"import_from": import_from, "sandbox": sandbox}
        self._python = PythonRecorder(python=python, **self._options, **python_options)
        self._others: dict[str, Any] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> "ProgramRecorder":
        # Report an interpreter or a sandbox that cannot be used now, not at the first program.
        self._python.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the recorders of all languages."""
        self._python.close()
        with self._lock:
            for recorder in self._others.values():
                recorder.close()
            self._others.clear()

    @property
    def backend(self) -> str:
        """How Python's events are recorded: "core", in C, or "settrace", in Python and slower."""
        return self._python.backend

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
            ProgramError: There is no such language.
            RecorderError: The recorder itself failed, or the language's runtime is missing.
            SandboxError: The sandbox is not available; nothing was executed.
        """
        options: dict[str, Any] = {"limits": limits}
        if cancellation is not None:
            options["cancellation"] = cancellation
        trace: Trace = self._recorder(program.language).record(program, **options)
        return trace

    def record_choosing(
        self,
        program: Program,
        choices: Sequence[Choice],
        *,
        is_systematic: bool = False,
        has_threads: bool | None = None,
        limits: Limits | None = None,
    ) -> tuple[Trace, tuple[Thresholds, ...]]:
        """Execute a Python program whose first choices have the given values.

        See `PythonRecorder.record_choosing`.
        """
        return self._python.record_choosing(
            program,
            choices,
            is_systematic=is_systematic,
            has_threads=has_threads,
            limits=limits,
        )

    def record_scheduled(
        self,
        program: Program,
        schedule: Sequence[int] = (),
        *,
        seed: int | None = None,
        limits: Limits | None = None,
    ) -> Trace:
        """Execute a Python program with threads; see `PythonRecorder.record_scheduled`."""
        return self._python.record_scheduled(program, schedule, seed=seed, limits=limits)

    def search_schedules(
        self, program: Program, bounds: ScheduleBounds, *, limits: Limits | None = None
    ) -> ScheduleSearch:
        """Execute a Python program with many schedules; see `PythonRecorder.search_schedules`."""
        return self._python.search_schedules(program, bounds, limits=limits)

    def record_group(
        self,
        programs: Sequence[Program],
        *,
        limits: Limits | None = None,
        repeat: "ProgramRecorder | None" = None,
    ) -> list[Trace | None]:
        """Execute many programs, most of them in the same process as others.

        Args:
            programs: The programs to execute.
            limits: The limits of each recording; `Limits()` by default.
            repeat: Another recorder, which executes the programs again in other groups; see
                `PythonRecorder.record_group`.

        Returns:
            The traces, None for a program that has to be executed alone, by `record`: programs of
            languages other than Python, and those that could change what a later one sees.
        """
        return self._record_python(
            programs, repeat, partial(self._python.record_group, limits=limits)
        )

    def record_group_columns(
        self,
        programs: Sequence[Program],
        *,
        limits: Limits | None = None,
        repeat: "ProgramRecorder | None" = None,
    ) -> list[TraceColumns | None]:
        """The traces of `record_group` as columns, without objects for their steps."""
        return self._record_python(
            programs, repeat, partial(self._python.record_group_columns, limits=limits)
        )

    def _record_python(
        self,
        programs: Sequence[Program],
        repeat: "ProgramRecorder | None",
        record: Callable[..., list[T | None]],
    ) -> list[T | None]:
        """Record the programs that are in Python; None for the others."""
        numbers = [n for n, each in enumerate(programs) if each.language == DEFAULT_LANGUAGE]
        traces: list[T | None] = [None] * len(programs)
        recorded = record(
            [programs[n] for n in numbers], repeat=None if repeat is None else repeat._python
        )
        for number, trace in zip(numbers, recorded, strict=True):
            traces[number] = trace
        return traces

    def _recorder(self, language: str) -> Any:
        if language == DEFAULT_LANGUAGE:
            return self._python
        with self._lock:
            if language not in self._others:
                self._others[language] = get_language(language).recorder(**self._options)
            return self._others[language]
