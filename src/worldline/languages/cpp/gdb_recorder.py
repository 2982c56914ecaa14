"""Recorder of C++ programs.

g++ compiles each program, and gdb executes it, both in the same sandbox and with the same `Limits`
as Python's. Executables are kept in the cache folder.
"""

import os
import platform
import secrets
import shutil
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.core.errors import RecorderError, SandboxError
from worldline.core.trace import Ending, Limits, Origin, Program, Trace
from worldline.core.util.cache_folder import cache_folder
from worldline.languages.cpp.cpp_compiler import (
    Compiler,
    can_use_header,
    compiled_header,
    find_compiler,
    header_folder,
    program_key,
)
from worldline.languages.cpp.cpp_functions import function_bodies
from worldline.languages.cpp.cpp_statements import loop_lines, statement_lines
from worldline.languages.cpp.gdb_runtime import FOLDER, GdbRuntime, find_gdb
from worldline.languages.python.recorder.cancellation import Cancellation
from worldline.languages.python.recorder.fork_server_client import ForkServerClient
from worldline.languages.python.recorder.recording_ending import recording_ending
from worldline.languages.python.recorder.recording_protocol import RawRecording
from worldline.languages.sandbox import Sandbox, default_sandbox

_WORLDLINE_VERSION = version("worldline")
_COMPILE_SCRIPT = FOLDER / "debugger" / "compile_program.py"
_START = (
    f"python import sys; sys.path.insert(0, {str(FOLDER)!r}); "
    "from debugger.trace_program import main; main()"
)
# Limits of the compiler: most programs need 2 s and 400 MB.
COMPILER_LIMITS = Limits(seconds=60, memory_mb=1500, output_mb=200, trace_mb=1)
# Size of the cache, of which the oldest executables are removed.
_CACHE_FILES = 500


class GdbRecorder:
    """Recorder of C++ programs; it records one program at a time.

    with GdbRecorder() as recorder:
        trace = recorder.record(Program("int f(int x) { return x + 1; }", "f(1)", language="cpp"))
    """

    def __init__(
        self,
        *,
        gdb: str | None = None,
        compiler: str = "g++",
        python: str | None = None,
        import_from: Sequence[str | Path] = (),
        sandbox: Sandbox | None = None,
    ) -> None:
        """Configure a recorder; it starts at the first use.

        Args:
            gdb: The path or name of gdb; by default that of the extra `cpp`, or the system's.
            compiler: The path or name of g++.
            python: The Python that starts the processes in the sandbox; by default this one.
            import_from: Folders for `#include "…"`.
            sandbox: The sandbox; by default all layers (see `default_sandbox`).
        """
        self._gdb = gdb
        self._compiler = compiler
        self._python = python or sys.executable
        self._import_from = [str(Path(path).resolve()) for path in import_from]
        self._sandbox = sandbox or default_sandbox()
        self._server: ForkServerClient | None = None
        # Folder with the executable that is recorded; the sandbox shows it.
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> "GdbRecorder":
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
                f"C++ programs are recorded on x86_64 only, not {platform.machine()}"
            )
        if self._sandbox.level == "container":
            raise SandboxError(
                "C++ programs need the sandbox `full`: the compiler writes files, and the sandbox "
                "`container` has no disk for them"
            )
        runtime, compiler = find_gdb(self._gdb), find_compiler(self._compiler)
        if self._server is not None and not self._server.is_running:
            self.close()
        if self._server is None:
            self._folder = tempfile.TemporaryDirectory(prefix="worldline-cpp-")
            os.chmod(self._folder.name, 0o755)
            self._server = ForkServerClient(
                self._python,
                None,
                sandbox=self._sandbox,
                folders=[
                    *(*runtime.folders, *compiler.folders, self._folder.name),
                    *(str(header_folder(compiler)), *self._import_from),
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
            RecorderError: g++ or gdb is missing, or the recorder itself failed.
            SandboxError: The sandbox is not available; nothing was executed.
        """
        limits = limits or Limits()
        with self._lock:
            runtime, compiler, server = self._start()
            origin = Origin("gdb", f"{compiler.version}", _WORLDLINE_VERSION)
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
            request = _trace_request(program, limits, runtime, secret, str(target))
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
        header = compiled_header(compiler) if can_use_header(program.text) else None
        commands = [
            compiler.compile_command(header, include_from=self._import_from),
            compiler.link_command(wraps_main=program.entry is not None),
        ]
        source = _with_driver(program)
        folder = cache_folder() / "cpp" / "programs"
        cached = folder / program_key(compiler, source, commands)
        if cached.exists() and not self._import_from:
            os.utime(cached)
            return cached, Ending("finished")
        request = {
            "tool": "compiler",
            "command": [self._python, "-I", "-S", str(_COMPILE_SCRIPT)],
            "environment": {"LC_ALL": "C.UTF-8"},
            "executable": [
                *(self._python, str(Path(self._python).resolve()), compiler.path),
                *(*compiler.programs, *find_gdb(self._gdb).executable[1:]),
            ],
            "path": [],
            "limits": asdict(COMPILER_LIMITS),
            "message": {
                "commands": commands,
                "path": os.pathsep.join(
                    dict.fromkeys(str(Path(each).parent) for each in compiler.programs)
                ),
            },
        }
        recording = server.record(request, COMPILER_LIMITS, source.encode(), cancellation)
        if recording.end is None or recording.end[0] != "finished":
            return None, _compiler_ending(recording)
        folder.mkdir(parents=True, exist_ok=True)
        _remove_oldest(folder)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(recording.stdout)
        Path(file.name).replace(cached)
        return cached, Ending("finished")


def _with_driver(program: Program) -> str:
    """The text of a program with the function that calls its entry point."""
    text = f'#line 1 "program.cpp"\n{program.text}\n'
    if program.entry is None:
        return text
    return (
        f'{text}\n#line 1 "driver.cpp"\n'
        f'extern "C" int __wrap_main() {{ (void){program.entry}(); return 0; }}\n'
    )


def _trace_request(
    program: Program, limits: Limits, runtime: GdbRuntime, secret: str, executable: str
) -> dict[str, Any]:
    bodies = function_bodies(program.text)
    return {
        "tool": "debugger",
        "command": [runtime.path, *runtime.options, "-nx", "-q", "-batch-silent", "-ex", _START],
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
            "statements": statement_lines(program.text),
            "loops": sorted(loop_lines(program.text)),
            "functions": [
                [each.line, each.opening_line, each.last_line, each.first_line] for each in bodies
            ],
            "printers": runtime.printers,
            "limits": {**asdict(limits), "cpu_seconds": limits.enforced_cpu_seconds},
        },
    }


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


def _remove_oldest(folder: Path) -> None:
    """Remove the executables that were not used for the longest time."""
    files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime)
    for file in files[:-_CACHE_FILES]:
        with suppress(OSError):
            file.unlink()
