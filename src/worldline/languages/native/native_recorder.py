"""Recorder of programs of compiled languages; a language has a subclass.

A compiler compiles each program, and gdb executes it, both in the same sandbox and with the same
`Limits` as Python's. Executables are kept in the cache folder.
"""

import os
import platform
import secrets
import shutil
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, Self

from worldline.core.errors import RecorderError, SandboxError
from worldline.core.trace import Ending, Limits, Origin, Program, Trace
from worldline.languages.native.executable_cache import ExecutableCache, executable_key
from worldline.languages.native.gdb_runtime import GdbRuntime
from worldline.languages.python.recorder.cancellation import Cancellation
from worldline.languages.python.recorder.fork_server_client import ForkServerClient
from worldline.languages.python.recorder.recording_ending import recording_ending
from worldline.languages.python.recorder.recording_protocol import RawRecording
from worldline.languages.sandbox import Sandbox, default_sandbox

_WORLDLINE_VERSION = version("worldline")
_LANGUAGES = Path(__file__).parents[1]
_COMPILE_SCRIPT = _LANGUAGES / "native" / "debugger" / "compile_program.py"
# Limits of the compiler: most programs need 2 s and 400 MB.
COMPILER_LIMITS = Limits(seconds=60, memory_mb=1500, output_mb=200, trace_mb=1)


class Compiler(Protocol):
    """An installed compiler."""

    @property
    def path(self) -> str:
        """Its executable, without symbolic links."""
        ...

    @property
    def version(self) -> str:
        """Its version, such as "12.2.0"."""
        ...

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs that it executes."""
        ...

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that it reads."""
        ...


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """How a program is compiled.

    Attributes:
        source: The text that is compiled.
        file: The name of its file.
        commands: The commands; each gets the output of the one before, the first one the source.
            The last one gets the option `-o`, too.
        environment: Variables of the commands.
        links: Symbolic links in the folder of the commands, and their targets.
    """

    source: str
    file: str
    commands: list[list[str]]
    environment: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)


class NativeRecorder:
    """Recorder of programs of a compiled language; it records one program at a time.

    Attributes:
        NAME: The language's name.
        TITLE: Its name in texts.
        TRACER: The module in the package `languages` whose `main` gdb executes.
    """

    NAME: str
    TITLE: str
    TRACER: str

    def __init__(
        self,
        *,
        python: str | None = None,
        import_from: Sequence[str | Path] = (),
        sandbox: Sandbox | None = None,
    ) -> None:
        """Configure a recorder; it starts at the first use.

        Args:
            python: The Python that starts the processes in the sandbox; by default this one.
            import_from: Folders that the compiler may read.
            sandbox: The sandbox; by default all layers (see `default_sandbox`).
        """
        self._python = python or sys.executable
        self._import_from = [str(Path(path).resolve()) for path in import_from]
        self._sandbox = sandbox or default_sandbox()
        self._server: ForkServerClient | None = None
        # Folder with the executable that is recorded; the sandbox shows it.
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()

    # -- what a language defines -----------------------------------------------------------------

    def _find_gdb(self) -> GdbRuntime:
        """Find gdb; raises `RecorderError`."""
        raise NotImplementedError

    def _find_compiler(self) -> Compiler:
        """Find the compiler; raises `RecorderError`."""
        raise NotImplementedError

    def _compiler_folders(self) -> list[str]:
        """More folders that the compiler reads."""
        return []

    def _compile_request(self, program: Program) -> CompileRequest:
        """How a program is compiled."""
        raise NotImplementedError

    def _trace_message(self, program: Program) -> dict[str, Any]:
        """What the tracer has to know about a program's text."""
        raise NotImplementedError

    # -- recorder --------------------------------------------------------------------------------

    def __enter__(self) -> Self:
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

    def _start(self) -> tuple[GdbRuntime, Compiler, ForkServerClient]:
        if platform.machine() != "x86_64":
            raise RecorderError(
                f"{self.TITLE} programs are recorded on x86_64 only, not {platform.machine()}"
            )
        if self._sandbox.level == "container":
            raise SandboxError(
                f"{self.TITLE} programs need the sandbox `full`: the compiler writes files, and "
                "the sandbox `container` has no disk for them"
            )
        runtime, compiler = self._find_gdb(), self._find_compiler()
        if self._server is not None and not self._server.is_running:
            self.close()
        if self._server is None:
            self._folder = tempfile.TemporaryDirectory(prefix=f"worldline-{self.NAME}-")
            os.chmod(self._folder.name, 0o755)
            self._server = ForkServerClient(
                self._python,
                None,
                sandbox=self._sandbox,
                folders=[
                    *(*runtime.folders, *compiler.folders, self._folder.name),
                    *(str(_LANGUAGES / "native"), str(_LANGUAGES / self.NAME)),
                    *(*self._compiler_folders(), *self._import_from),
                ],
                runtime=[runtime.path, *runtime.files, compiler.path, *compiler.programs],
            )
        return runtime, compiler, self._server

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
            RecorderError: The compiler or gdb is missing, or the recorder itself failed.
            SandboxError: The sandbox is not available; nothing was executed.
        """
        limits = limits or Limits()
        with self._lock:
            runtime, compiler, server = self._start()
            origin = Origin("gdb", compiler.version, _WORLDLINE_VERSION)
            trace = Trace(program, (), (), Ending("killed"), limits, origin, notes=server.notes)
            executable, ending = self._compile(program, compiler, server, cancellation)
            if executable is None:
                return replace(trace, ending=ending)
            # A program can write to the file of its recording, but not end it.
            secret = secrets.token_hex(16)
            assert self._folder is not None
            target = Path(self._folder.name) / "program"
            shutil.copyfile(executable, target)
            target.chmod(0o755)
            stdin = program.stdin.encode("utf-8", "surrogateescape")
            request = self._trace_request(program, limits, runtime, secret, str(target))
            recording = server.record(request, limits, stdin, cancellation)
            return replace(
                trace,
                steps=tuple(recording.steps),
                scopes=tuple(recording.scopes),
                ending=_ending(recording, limits, secret),
                stdout=recording.stdout[: limits.output_mb * 1_000_000].decode(
                    "utf-8", "surrogateescape"
                ),
                notes=(*server.notes, *recording.notes),
            )

    def _compile(
        self,
        program: Program,
        compiler: Compiler,
        server: ForkServerClient,
        cancellation: Cancellation | None,
    ) -> tuple[Path | None, Ending]:
        """The executable of a program, from the cache or from the compiler; or else an ending."""
        wanted = self._compile_request(program)
        cache = ExecutableCache(self.NAME)
        key = executable_key(compiler, wanted.commands, wanted.source)
        cached = None if self._import_from else cache.find(key)
        if cached is not None:
            return cached, Ending("finished")
        path = dict.fromkeys(str(Path(each).parent) for each in compiler.programs)
        request = {
            "tool": "compiler",
            "command": [self._python, "-I", "-S", str(_COMPILE_SCRIPT)],
            "environment": {"LC_ALL": "C.UTF-8"},
            "executable": [
                *(self._python, str(Path(self._python).resolve()), compiler.path),
                *(*compiler.programs, *self._find_gdb().executable[1:]),
            ],
            "path": [],
            "limits": asdict(COMPILER_LIMITS),
            "message": {
                "source": wanted.file,
                "commands": wanted.commands,
                "links": dict(wanted.links),
                "environment": {**wanted.environment, "PATH": os.pathsep.join(path)},
            },
        }
        recording = server.record(request, COMPILER_LIMITS, wanted.source.encode(), cancellation)
        if recording.end is None or recording.end[0] != "finished":
            return None, _compiler_ending(recording)
        return cache.add(key, recording.stdout), Ending("finished")

    def _trace_request(
        self, program: Program, limits: Limits, runtime: GdbRuntime, secret: str, executable: str
    ) -> dict[str, Any]:
        start = _start_command(self.NAME, self.TRACER)
        return {
            "tool": "debugger",
            "command": [runtime.path, *runtime.options, "-nx", "-q", "-batch-silent", "-ex", start],
            "environment": {
                **runtime.environment,
                "LC_ALL": "C.UTF-8",
                "TZ": "UTC",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            "executable": [*runtime.executable, executable],
            "path": [],
            # gdb writes the recording, too; the program has its own limit.
            "limits": {**asdict(limits), "output_mb": limits.output_mb + limits.trace_mb + 4},
            "message": {
                "secret": secret,
                "program": executable,
                "entry": program.entry or "main",
                "printers": runtime.printers,
                "limits": {**asdict(limits), "cpu_seconds": limits.enforced_cpu_seconds},
                **self._trace_message(program),
            },
        }


def _start_command(language: str, tracer: str) -> str:
    """The command of gdb that executes the tracer.

    gdb cannot list the folder `languages`, and so cannot find the packages in it by itself.
    """
    packages = {
        "languages": str(_LANGUAGES),
        "languages.native": str(_LANGUAGES / "native"),
        f"languages.{language}": str(_LANGUAGES / language),
    }
    modules = "[(sys.modules.setdefault(name, types.ModuleType(name)), path) for name, path in "
    return (
        f"python import sys, types; modules = {modules}{packages!r}.items()]; "
        "[setattr(module, '__path__', [path]) for module, path in modules]; "
        f"from languages.{tracer} import main; main()"
    )


def _ending(recording: RawRecording, limits: Limits, secret: str) -> Ending:
    if recording.end is not None and recording.secret != secret:
        recording.is_tampered = recording.end[0] != "recorder_failed"
    return recording_ending(recording, limits)


def _compiler_ending(recording: RawRecording) -> Ending:
    """The ending of a program that does not compile, or not within the limits."""
    if recording.was_cancelled:
        return Ending("killed", "cancelled")
    if recording.end is not None and recording.end[0] == "not_loaded":
        return Ending("not_loaded", recording.end[1])
    ending = recording_ending(recording, COMPILER_LIMITS)
    return Ending("not_loaded", f"the compiler: {ending.reason} ({ending.detail})")
