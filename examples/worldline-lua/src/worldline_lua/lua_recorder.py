"""Recorder of Lua programs: `lua` executes each in Worldline's sandbox, with a debug hook."""

import glob
import json
import secrets
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Origin, Program, Scope, Trace
from worldline.languages.python.recorder.fork_server_client import FOLDER, ForkServerClient
from worldline.languages.python.recorder.recording_ending import recording_ending
from worldline.languages.python.recorder.recording_protocol import RawRecording, decode_row
from worldline.languages.sandbox import Sandbox, default_sandbox
from worldline.languages.sandbox.interpreter_files import inspect_interpreter

TRACER = Path(__file__).with_name("tracer.lua")
# The dynamic linker has to be executed, too.
_LINKERS = ("/lib64/ld-linux*", "/lib/ld-linux*", "/lib/ld-musl*")
_NAMES = ("lua5.4", "lua")


def find_lua() -> tuple[str, str]:
    """The path of Lua 5.4 and its version.

    Raises:
        RecorderError: It is not installed.
    """
    for name in _NAMES:
        path = shutil.which(name)
        if path is None:
            continue
        shown = subprocess.run([path, "-v"], capture_output=True, text=True, check=False).stdout
        if shown.startswith("Lua 5.4"):
            return str(Path(path).resolve()), shown.split()[1]
    raise RecorderError("Lua programs need Lua 5.4, which is not installed: apt install lua5.4")


def _linkers() -> list[str]:
    return [path for pattern in _LINKERS for path in sorted(glob.glob(pattern))]


class LuaRecorder:
    """Recorder of Lua programs; it records one program at a time."""

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
            import_from: Folders that programs may `require` modules from.
            sandbox: The sandbox; by default all layers.
        """
        self._python = python or sys.executable
        self._import_from = [str(Path(path).resolve()) for path in import_from]
        self._sandbox = sandbox or default_sandbox()
        self._server: ForkServerClient | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> "LuaRecorder":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that starts programs."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def record(
        self, program: Program, *, limits: Limits | None = None, cancellation: Any = None
    ) -> Trace:
        """Execute a program and return its trace, however it ended.

        Args:
            program: The program to execute.
            limits: The limits of the recording; `Limits()` by default.
            cancellation: Kills the program when it is cancelled.
        """
        limits = limits or Limits()
        path, lua_version = find_lua()
        with self._lock:
            server = self._start(path)
            secret = secrets.token_hex(16)
            numbers = (limits.steps, limits.value_chars, limits.trace_mb * 1_000_000)
            head = " ".join(map(str, (secret, program.entry or "-", *numbers)))
            message = f"{head}\n{program.text}".encode("utf-8", "surrogateescape")
            recording = server.record(self._request(path, limits), limits, message, cancellation)
            stdout = _decode(recording, secret)
        return Trace(
            program=program,
            steps=tuple(recording.steps),
            scopes=_with_variables(recording),
            ending=recording_ending(recording, limits),
            limits=limits,
            origin=Origin("lua", lua_version, version("worldline")),
            stdout=stdout[: limits.output_mb * 1_000_000],
            notes=(*server.notes, *recording.notes),
        )

    def _start(self, path: str) -> ForkServerClient:
        if self._server is not None and not self._server.is_running:
            self.close()
        if self._server is None:
            folders = [str(TRACER.parent), *self._import_from]
            self._server = ForkServerClient(
                self._python, None, sandbox=self._sandbox, folders=folders, runtime=[path]
            )
        return self._server

    def _request(self, path: str, limits: Limits) -> dict[str, Any]:
        suffix = inspect_interpreter(self._python).extension_suffix
        folders = ";".join(f"{folder}/?.lua" for folder in self._import_from)
        return {
            "command": [path, str(TRACER)],
            "environment": {"LC_ALL": "C.UTF-8", "TZ": "UTC", "LUA_PATH": folders or "/?.lua"},
            "library": str(FOLDER / "child" / f"_exec_filter{suffix}"),
            "executable": [path, *_linkers()],
            "path": self._import_from,
            # The rows are what the process prints.
            "limits": {**asdict(limits), "output_mb": limits.output_mb + limits.trace_mb + 4},
            "message": {},
        }


def _decode(recording: RawRecording, secret: str) -> str:
    """Add the rows that the tracer has printed; return what the program has printed."""
    if recording.end is not None:
        # The sandbox failed before Lua was started.
        return ""
    printed: list[str] = []
    # A process that was killed leaves an incomplete row.
    for line in recording.stdout.split(b"\n")[:-1]:
        try:
            row = json.loads(line)
            if row[0] == "stdout":
                printed.append(row[1])
            else:
                decode_row(recording, row)
        except (ValueError, LookupError, TypeError):
            recording.is_tampered = True
            break
    counts = (len(recording.steps), len(recording.scopes))
    if recording.end is not None and (recording.epilogue, recording.secret) != (counts, secret):
        recording.is_tampered = True
    return "".join(printed)


def _with_variables(recording: RawRecording) -> tuple[Scope, ...]:
    """The scopes with all variables of their steps: a call knows only the parameters."""
    names: list[dict[str, None]] = [dict.fromkeys(scope.variables) for scope in recording.scopes]
    for step in recording.steps:
        names[step.scope].update(dict.fromkeys(step.changed or ()))
    pairs = zip(recording.scopes, names, strict=True)
    return tuple(replace(scope, variables=tuple(each)) for scope, each in pairs)
