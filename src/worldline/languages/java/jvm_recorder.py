"""Recorder of Java programs.

A JVM compiles and executes each program in its own process, in the same sandbox and with the same
`Limits` as Python's. The compiled classes are instrumented there: they call the tracer before
every line.
"""

import os
import re
import secrets
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.core.trace import Ending, Limits, Origin, Program, Trace
from worldline.languages.java.java_source import complete_unit
from worldline.languages.java.jvm_runtime import JavaRuntime, find_java
from worldline.languages.python.recorder.cancellation import Cancellation
from worldline.languages.python.recorder.fork_server_client import FOLDER, ForkServerClient
from worldline.languages.python.recorder.recording_ending import recording_ending
from worldline.languages.python.recorder.recording_protocol import RawRecording
from worldline.languages.sandbox import Sandbox, default_sandbox
from worldline.languages.sandbox.interpreter_files import inspect_interpreter

_WORLDLINE_VERSION = version("worldline")
# Seconds for the start of the JVM and the compilation, which do not count as time of the program.
_START_SECONDS = 20
# What a JVM prints that ends because there is no more memory (ExitOnOutOfMemoryError).
_OUT_OF_MEMORY = re.compile(rb"Terminating due to java\.lang\.OutOfMemoryError[^\n]*\n\Z")
_OUT_OF_MEMORY_STATUS = 3
# Status of a process whose seccomp filter could not be installed (c/exec_filter.c).
_UNFILTERED = 113
# Packages that are in other modules than java.base; loading these takes a quarter of a second.
_OTHER_MODULES = re.compile(
    r"\bjavax?\.(?:sql|net\.http|util\.logging|util\.prefs|rmi|awt|beans|applet|naming|swing|script"
    r"|lang\.management|management|lang\.instrument|xml|imageio|print|sound|security\.sasl)\b|\borg\.w3c\b"
)
# Programs whose compiled classes are kept.
_MAX_COMPILED = 256


class JavaRecorder:
    """Recorder of Java programs; it records one program at a time.

    with JavaRecorder() as recorder:
        source = "class A { static int f(int x) { return x + 1; } }"
        trace = recorder.record(Program(source, "f(1)", language="java"))
    """

    def __init__(
        self,
        *,
        javac: str = "javac",
        python: str | None = None,
        import_from: Sequence[str | Path] = (),
        sandbox: Sandbox | None = None,
    ) -> None:
        """Configure a recorder; it starts at the first use.

        Args:
            javac: The path or name of the compiler of a JDK.
            python: The Python that starts the processes in the sandbox; by default this one.
            import_from: Folders and .jar files for the class path; of a folder, the .jar files,
                too. Those in the environment variable CLASSPATH follow.
            sandbox: The sandbox; by default all layers (see `default_sandbox`).
        """
        self._javac = javac
        self._python = python or sys.executable
        class_path = filter(None, os.environ.get("CLASSPATH", "").split(os.pathsep))
        self._import_from = [str(Path(path).resolve()) for path in (*import_from, *class_path)]
        self._sandbox = sandbox or default_sandbox()
        self._server: ForkServerClient | None = None
        # Installs the seccomp filter in the JVM (c/exec_filter.c).
        self._library = ""
        self._compiled: dict[str, str] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> "JavaRecorder":
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

    def _start(self) -> tuple[JavaRuntime, ForkServerClient]:
        runtime = find_java(self._javac)
        if self._server is not None and not self._server.is_running:
            self.close()
        if self._server is None:
            suffix = inspect_interpreter(self._python).extension_suffix
            self._library = str(FOLDER / "child" / f"_exec_filter{suffix}")
            self._server = ForkServerClient(
                self._python,
                None,
                sandbox=self._sandbox,
                folders=[*runtime.folders, runtime.tracer, *self._import_from],
                runtime=[runtime.java, *(path for path in self._import_from if _is_jar(path))],
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
            RecorderError: The JDK is missing, or the recorder itself failed.
            SandboxError: The sandbox is not available; nothing was executed.
        """
        limits = limits or Limits()
        with self._lock:
            runtime, server = self._start()
            stdin = program.stdin.encode("utf-8", "surrogateescape")
            # A program cannot know it, and so cannot end its recording.
            secret = secrets.token_hex(16)
            request = self._request(program, limits, runtime, secret)
            outer = replace(limits, seconds=limits.seconds + _START_SECONDS)
            recording = server.record(request, outer, stdin, cancellation)
            if recording.is_dead and not recording.was_cancelled:
                runtime, server = self._start()
                recording = server.record(request, outer, stdin, cancellation)
            self._keep(program, recording)
            ending = _ending(recording, limits, secret)
            return Trace(
                program=program,
                steps=tuple(recording.steps),
                scopes=tuple(recording.scopes),
                ending=ending,
                limits=limits,
                origin=Origin("jvm", runtime.version, _WORLDLINE_VERSION),
                stdout=recording.stdout[: limits.output_mb * 1_000_000].decode(
                    "utf-8", "surrogateescape"
                ),
                notes=(*server.notes, *recording.notes),
            )

    def _keep(self, program: Program, recording: RawRecording) -> None:
        """Keep the compiled classes of a program; the oldest ones are dropped."""
        if recording.compiled and not recording.is_tampered:
            self._compiled[program.hash] = recording.compiled
            if len(self._compiled) > _MAX_COMPILED:
                del self._compiled[next(iter(self._compiled))]

    def _class_path(self) -> list[str]:
        jars = (jar for folder in self._import_from for jar in sorted(Path(folder).glob("*.jar")))
        return [*self._import_from, *map(str, jars)]

    def _request(
        self, program: Program, limits: Limits, runtime: JavaRuntime, secret: str
    ) -> dict[str, Any]:
        cpu_seconds = limits.enforced_cpu_seconds + _START_SECONDS
        command = runtime.command(
            memory_mb=limits.memory_mb,
            has_all_modules=_OTHER_MODULES.search(program.text) is not None,
        )
        return {
            "command": [*command, "3", "4"],
            "environment": runtime.environment,
            "library": self._library,
            "executable": list(runtime.executable),
            "path": [path for path in self._import_from if not _is_jar(path)],
            # The tracer counts what is printed; the recording is a file, too.
            "limits": {
                **asdict(limits),
                "output_mb": limits.output_mb + limits.trace_mb + 4,
                "cpu_seconds": cpu_seconds,
            },
            "message": {
                "secret": secret,
                "text": complete_unit(program.text),
                "entry": program.entry,
                "class_path": self._class_path(),
                "compiled": self._compiled.get(program.hash),
                "limits": asdict(limits),
            },
        }


def _is_jar(path: str) -> bool:
    return path.endswith(".jar")


def _ending(recording: RawRecording, limits: Limits, secret: str) -> Ending:
    """Why the recording ended; the JVM's own status means that there was no more memory."""
    if recording.end is not None and recording.secret != secret:
        recording.is_tampered = recording.end[0] != "recorder_failed"
    if recording.end is None and recording.status is not None and not recording.was_timed_out:
        status = os.waitstatus_to_exitcode(recording.status)
        if status == _OUT_OF_MEMORY_STATUS and _OUT_OF_MEMORY.search(recording.stdout):
            recording.stdout = _OUT_OF_MEMORY.sub(b"", recording.stdout)
            return Ending("memory_limit", f"more than {limits.memory_mb:,} MB of memory")
        if status == _UNFILTERED:
            return Ending("killed", "the seccomp filter could not be installed; nothing was run")
    return recording_ending(recording, limits)
