"""Recorder of Go programs.

Each program is instrumented and compiled, and then executed, both in the same sandbox and with the
same `Limits` as Python's. It calls the tracer, which is a part of it, before every line.
Executables are kept in the cache folder.
"""

import hashlib
import os
import re
import secrets
import shutil
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.core.errors import SandboxError
from worldline.core.trace import Ending, Limits, Origin, Program, Trace
from worldline.core.util.cache_folder import cache_folder, remove_oldest
from worldline.languages.go.go_runtime import GoRuntime, find_go
from worldline.languages.go.go_source import complete_source
from worldline.languages.python.recorder.cancellation import Cancellation
from worldline.languages.python.recorder.fork_server_client import FOLDER, ForkServerClient
from worldline.languages.python.recorder.recording_ending import recording_ending
from worldline.languages.python.recorder.recording_protocol import RawRecording
from worldline.languages.sandbox import Sandbox, default_sandbox
from worldline.languages.sandbox.interpreter_files import inspect_interpreter

_WORLDLINE_VERSION = version("worldline")
# Limits of the compiler: most programs need a second and 300 MB.
COMPILER_LIMITS = Limits(seconds=60, memory_mb=1500, output_mb=100, trace_mb=1)
# Size of the cache, of which the oldest executables are removed.
_CACHE_FILES = 500
# Status of a process whose seccomp filter could not be installed (tracer/setup.go).
_UNFILTERED = 113
# Status of a process that Go's runtime ends, and its message, which follows the output.
_FATAL_STATUS = 2
_FATAL = re.compile(
    rb"(?:\A|(?<=\n))(?:fatal error: |panic: |runtime: )(?:(?!\n(?:fatal error|panic|runtime): )"
    rb"(?s:.))*\Z"
)
_MEMORY = re.compile(rb"out of memory|cannot allocate memory|cannot map pages")


class GoRecorder:
    """Recorder of Go programs; it records one program at a time.

    with GoRecorder() as recorder:
        source = "package main\\nfunc f(x int) int { return x + 1 }"
        trace = recorder.record(Program(source, "f(1)", language="go"))
    """

    def __init__(
        self,
        *,
        go: str | None = None,
        python: str | None = None,
        import_from: Sequence[str | Path] = (),
        sandbox: Sandbox | None = None,
    ) -> None:
        """Configure a recorder; it starts at the first use.

        Args:
            go: The path or name of Go; by default `go`, or that of the extra `go`.
            python: The Python that starts the processes in the sandbox; by default this one.
            import_from: Not used: programs import packages of the standard library only.
            sandbox: The sandbox; by default all layers (see `default_sandbox`).
        """
        del import_from
        self._go = go
        self._python = python or sys.executable
        self._sandbox = sandbox or default_sandbox()
        self._server: ForkServerClient | None = None
        # Folder with the executable that is recorded; the sandbox shows it.
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> "GoRecorder":
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
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _start(self) -> tuple[GoRuntime, ForkServerClient]:
        if self._sandbox.level == "container":
            raise SandboxError(
                "Go programs need the sandbox `full`: the compiler writes files, and the sandbox "
                "`container` has no disk for them"
            )
        runtime = find_go(self._go)
        if self._server is not None and not self._server.is_running:
            self.close()
        if self._server is None:
            self._folder = tempfile.TemporaryDirectory(prefix="worldline-go-")
            os.chmod(self._folder.name, 0o755)
            self._server = ForkServerClient(
                self._python,
                None,
                sandbox=self._sandbox,
                folders=[*runtime.folders, self._folder.name],
                runtime=list(runtime.executable),
            )
        return runtime, self._server

    def record(
        self,
        program: Program,
        *,
        limits: Limits | None = None,
        cancellation: Cancellation | None = None,
    ) -> Trace:
        """Compile and execute a program, and return its trace, however it ended.

        The limit on elapsed time does not include the compiler's, which has limits of its own.

        Args:
            program: The program to execute.
            limits: The limits of the recording; `Limits()` by default.
            cancellation: Kills the program when it is cancelled; the trace ends there.

        Raises:
            RecorderError: Go is missing, or the recorder itself failed.
            SandboxError: The sandbox is not available; nothing was executed.
        """
        limits = limits or Limits()
        with self._lock:
            runtime, server = self._start()
            origin = Origin("go", runtime.version, _WORLDLINE_VERSION)
            trace = Trace(program, (), (), Ending("killed"), limits, origin, notes=server.notes)
            executable, ending = self._compile(program, runtime, server, cancellation)
            if executable is None:
                return replace(trace, ending=ending)
            assert self._folder is not None
            target = Path(self._folder.name) / "program"
            # A program that was killed may still have the old file.
            target.unlink(missing_ok=True)
            shutil.copyfile(executable, target)
            target.chmod(0o755)
            # A program cannot know it, and so cannot end its recording.
            secret = secrets.token_hex(16)
            stdin = program.stdin.encode("utf-8", "surrogateescape")
            request = self._request(limits, secret, str(target))
            recording = server.record(request, limits, stdin, cancellation)
            ending = _ending(recording, limits, secret)
            return replace(
                trace,
                steps=tuple(recording.steps),
                scopes=tuple(recording.scopes),
                ending=ending,
                stdout=recording.stdout[: limits.output_mb * 1_000_000].decode(
                    "utf-8", "surrogateescape"
                ),
                notes=(*server.notes, *recording.notes),
            )

    def _compile(
        self,
        program: Program,
        runtime: GoRuntime,
        server: ForkServerClient,
        cancellation: Cancellation | None,
    ) -> tuple[Path | None, Ending]:
        """The executable of a program, from the cache or from the compiler; or else an ending."""
        source = complete_source(program.text)
        key = hashlib.sha256(repr((runtime, program.entry, source)).encode()).hexdigest()
        folder = cache_folder() / "go" / "programs"
        cached = folder / key
        if cached.exists():
            os.utime(cached)
            return cached, Ending("finished")
        request = {
            "tool": "compiler",
            "command": [runtime.instrumenter],
            "environment": {"LC_ALL": "C.UTF-8", "GOROOT": runtime.root},
            "executable": list(runtime.executable),
            "path": [],
            "limits": asdict(COMPILER_LIMITS),
            "message": {
                "compiler": runtime.compiler,
                "linker": runtime.linker,
                "packages": runtime.packages,
                "entry": program.entry or "",
            },
        }
        text = source.encode("utf-8", "surrogateescape")
        recording = server.record(request, COMPILER_LIMITS, text, cancellation)
        if recording.end is None or recording.end[0] != "finished":
            return None, _compiler_ending(recording)
        folder.mkdir(parents=True, exist_ok=True)
        remove_oldest(folder, keep=_CACHE_FILES)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(recording.stdout)
        Path(file.name).replace(cached)
        return cached, Ending("finished")

    def _request(self, limits: Limits, secret: str, executable: str) -> dict[str, Any]:
        suffix = inspect_interpreter(self._python).extension_suffix
        return {
            "command": [executable],
            "environment": {
                "LC_ALL": "C.UTF-8",
                "TZ": "UTC",
                # One thread at a time, and no random seeds: the same trace every time.
                "GOMAXPROCS": "1",
                "GODEBUG": "asyncpreemptoff=1,randautoseed=0",
                "GOTRACEBACK": "none",
                "GOMEMLIMIT": f"{limits.memory_mb}MiB",
            },
            # Not loaded, because the executable is static: the tracer installs the filter.
            "library": str(FOLDER / "child" / f"_exec_filter{suffix}"),
            "executable": [executable],
            "path": [],
            "limits": asdict(limits),
            "message": {
                "secret": secret,
                "steps": limits.steps,
                "trace_mb": limits.trace_mb,
                "value_chars": limits.value_chars,
                "memory_mb": limits.memory_mb,
            },
        }


def _ending(recording: RawRecording, limits: Limits, secret: str) -> Ending:
    """Why the recording ended; the last message of Go's runtime says it, if there is one."""
    if recording.end is not None and recording.secret != secret:
        recording.is_tampered = recording.end[0] != "recorder_failed"
    is_ended = recording.end is None and recording.status is not None
    if is_ended and not (recording.was_timed_out or recording.is_tampered):
        status = os.waitstatus_to_exitcode(recording.status or 0)
        if status == _UNFILTERED:
            return Ending("killed", "the seccomp filter could not be installed; nothing was run")
        fatal = _FATAL.search(recording.stdout) if status == _FATAL_STATUS else None
        if fatal is not None:
            recording.stdout = recording.stdout[: fatal.start()]
            return _fatal_ending(fatal[0], limits)
        if status >= 0:
            return Ending("exited", str(status))
    return recording_ending(recording, limits)


def _fatal_ending(message: bytes, limits: Limits) -> Ending:
    """The ending of a program that Go's runtime ended: `fatal error: … deadlock!`."""
    if _MEMORY.search(message):
        return Ending("memory_limit", f"more than {limits.memory_mb:,} MB of memory")
    text = message.decode("utf-8", "replace").strip().partition("\n")[0]
    return Ending("raised", text.removeprefix("panic: ").removesuffix(" [recovered]"))


def _compiler_ending(recording: RawRecording) -> Ending:
    """The ending of a program that does not compile, or not within the limits."""
    if recording.was_cancelled:
        return Ending("killed", "cancelled")
    if recording.end is not None and recording.end[0] == "not_loaded":
        return Ending("not_loaded", recording.end[1])
    ending = recording_ending(recording, COMPILER_LIMITS)
    return Ending("not_loaded", f"the compiler: {ending.reason} ({ending.detail})")
