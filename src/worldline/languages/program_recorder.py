"""Recorder of programs of any language: each is executed by the recorder of its language."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.core.language import get_language
from worldline.core.trace import DEFAULT_LANGUAGE, Limits, Program, Trace
from worldline.languages.python.recorder import Cancellation, PythonRecorder
from worldline.languages.sandbox import Sandbox


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

    def _recorder(self, language: str) -> Any:
        if language == DEFAULT_LANGUAGE:
            return self._python
        with self._lock:
            if language not in self._others:
                self._others[language] = get_language(language).recorder(**self._options)
            return self._others[language]
