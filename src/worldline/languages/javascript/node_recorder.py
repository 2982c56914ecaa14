"""Recorder of JavaScript and TypeScript programs.

Node.js executes each program in its own process, in the same sandbox and with the same `Limits` as
Python's. The program is instrumented there: it calls the tracer before every statement.
"""

import os
import secrets
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.core.trace import Ending, Limits, Origin, Program, Trace
from worldline.languages.javascript.node_runtime import TRACER, NodeRuntime, find_node
from worldline.languages.python.recorder.cancellation import Cancellation
from worldline.languages.python.recorder.fork_server_client import FOLDER, ForkServerClient
from worldline.languages.python.recorder.recording_ending import recording_ending
from worldline.languages.python.recorder.recording_protocol import RawRecording
from worldline.languages.sandbox import Sandbox, default_sandbox
from worldline.languages.sandbox.interpreter_files import inspect_interpreter

_WORLDLINE_VERSION = version("worldline")
# Kilobytes of the stack that JavaScript may use, of the 8 MB that a process usually has.
_STACK_KB = 3900
# V8 aborts the process if there is no more memory.
_OUT_OF_MEMORY = (-signal.SIGABRT, -signal.SIGTRAP, -signal.SIGILL)
# Status of a process whose seccomp filter could not be installed (c/exec_filter.c).
_UNFILTERED = 113


class NodeRecorder:
    """Recorder of JavaScript and TypeScript programs; it records one program at a time.

    with NodeRecorder() as recorder:
        trace = recorder.record(Program("const f = x => x + 1;", "f(1)", language="javascript"))
    """

    def __init__(
        self,
        *,
        node: str = "node",
        python: str | None = None,
        import_from: Sequence[str | Path] = (),
        sandbox: Sandbox | None = None,
    ) -> None:
        """Configure a recorder; it starts at the first use.

        Args:
            node: The path or name of Node.js.
            python: The Python that starts the processes in the sandbox; by default this one.
            import_from: Folders that programs may `require` modules from.
            sandbox: The sandbox; by default all layers (see `default_sandbox`).
        """
        self._node = node
        self._python = python or sys.executable
        self._import_from = [str(Path(path).resolve()) for path in import_from]
        self._sandbox = sandbox or default_sandbox()
        self._server: ForkServerClient | None = None
        # Installs the seccomp filter in Node.js (c/exec_filter.c).
        self._library = ""
        self._lock = threading.Lock()

    def __enter__(self) -> "NodeRecorder":
        with self._lock:
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that starts programs."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def _start(self) -> tuple[NodeRuntime, ForkServerClient]:
        runtime = find_node(self._node)
        if self._server is not None and not self._server.is_running:
            self.close()
        if self._server is None:
            suffix = inspect_interpreter(self._python).extension_suffix
            self._library = str(FOLDER / "child" / f"_exec_filter{suffix}")
            self._server = ForkServerClient(
                self._python,
                None,
                sandbox=self._sandbox,
                folders=[str(TRACER.parent), *self._import_from],
                runtime=[runtime.path],
            )
        return runtime, self._server

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
            RecorderError: Node.js is missing, or the recorder itself failed.
            SandboxError: The sandbox is not available; nothing was executed.
        """
        limits = limits or Limits()
        with self._lock:
            runtime, server = self._start()
            stdin = program.stdin.encode("utf-8", "surrogateescape")
            # A program can write to the file of its recording, but not end it.
            secret = secrets.token_hex(16)
            request = self._request(program, limits, runtime, secret)
            recording = server.record(request, limits, stdin, cancellation)
            if recording.is_dead and not recording.was_cancelled:
                runtime, server = self._start()
                recording = server.record(request, limits, stdin, cancellation)
            return Trace(
                program=program,
                steps=tuple(recording.steps),
                scopes=tuple(recording.scopes),
                ending=_ending(recording, limits, secret),
                limits=limits,
                origin=Origin("node", runtime.version, _WORLDLINE_VERSION),
                stdout=recording.stdout[: limits.output_mb * 1_000_000].decode(
                    "utf-8", "surrogateescape"
                ),
                notes=(*server.notes, *recording.notes),
            )

    def _request(
        self, program: Program, limits: Limits, runtime: NodeRuntime, secret: str
    ) -> dict[str, Any]:
        return {
            "command": [
                runtime.path,
                f"--stack-size={_STACK_KB}",
                f"--max-old-space-size={limits.memory_mb}",
                "--no-warnings",
                str(TRACER),
            ],
            "environment": {"LC_ALL": "C.UTF-8", "TZ": "UTC", "UV_USE_IO_URING": "0"},
            "library": self._library,
            "executable": list(runtime.executable),
            "path": self._import_from,
            # The tracer counts what is printed; the recording is a file, too.
            "limits": {**asdict(limits), "output_mb": limits.output_mb + limits.trace_mb + 4},
            "message": {
                "secret": secret,
                "text": program.text,
                "entry": program.entry,
                "language": program.language,
                "file": "program.js",
                "folder": self._import_from[0] if self._import_from else "/",
                "limits": asdict(limits),
            },
        }


def _ending(recording: RawRecording, limits: Limits, secret: str) -> Ending:
    """Why the recording ended; V8's own signals mean that there was no more memory."""
    if recording.end is not None and recording.secret != secret:
        recording.is_tampered = recording.end[0] != "recorder_failed"
    if recording.end is None and recording.status is not None and not recording.was_timed_out:
        status = os.waitstatus_to_exitcode(recording.status)
        if status in _OUT_OF_MEMORY:
            return Ending("memory_limit", f"more than {limits.memory_mb:,} MB of memory")
        if status == _UNFILTERED:
            return Ending("killed", "the seccomp filter could not be installed; nothing was run")
    return recording_ending(recording, limits)
