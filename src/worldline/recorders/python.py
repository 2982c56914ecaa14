"""A Python program goes in, its trace comes out: the reference recorder on `sys.settrace`.

The program runs in a process of its own, forked from an interpreter that is started once; it
has the limits of `Limits`, but the rights of whoever calls this.
"""

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, get_args

from worldline.errors import InputError, RecorderError
from worldline.trace import (
    Ending,
    EndReason,
    Limits,
    Origin,
    Program,
    Scope,
    Step,
    Trace,
    step_from_json,
)

_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from inner.zygote import serve; "
    "del sys.path[:2]; print(*sys.version_info[:3], sep='.', flush=True); "
    "serve(int(sys.argv[2]), int(sys.argv[3]))"
)
HASH_SEED = 0
# How long after a program's time is up the interpreter may take to say so.
GRACE_SECONDS = 5.0


class PythonRecorder:
    """Records Python programs with `sys.settrace`, each in a process of its own, one at a time;
    it may be shared between threads.

    with PythonRecorder() as recorder:
        trace = recorder.record(Program("def f(x): return x + 1", "f(1)"))
    """

    def __init__(
        self, *, python: str | None = None, import_from: Sequence[str | Path] = ()
    ) -> None:
        """`python`: the interpreter to run programs with, by default this one;
        `import_from`: folders that the programs may import from."""
        self._python = python or sys.executable
        self._import_from = [str(path) for path in import_from]
        self._folder = tempfile.TemporaryDirectory(prefix="worldline-")
        self._zygote: _Zygote | None = None
        # While a model is asked, whoever reads its predictions often records as well.
        self._lock = threading.Lock()

    def __enter__(self) -> "PythonRecorder":
        # An interpreter that cannot be used is found here, not at the first program.
        self._zygote = self._zygote or _Zygote(self._python)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the recorder's interpreter and remove its files."""
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None
        self._folder.cleanup()

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """Run the program and return the trace of what it did, however it ended."""
        with self._lock:
            return self._record(program, limits or Limits())

    def _record(self, program: Program, limits: Limits) -> Trace:
        stdin, stdout = Path(self._folder.name, "stdin"), Path(self._folder.name, "stdout")
        stdin.write_bytes(program.stdin.encode("utf-8", "surrogateescape"))
        # A new file each time: a process that an earlier program left may still write to its own.
        stdout.unlink(missing_ok=True)
        stdout.write_bytes(b"")
        request = {
            "text": program.text,
            "entry": program.entry,
            "stdin": str(stdin),
            "stdout": str(stdout),
            "path": self._import_from,
            "limits": {name: getattr(limits, name) for name in limits.__slots__},
        }
        answer, python = self._ask(request, limits)
        if answer.is_dead and answer.pid is None:
            # The interpreter died before there was a program that could have had a part in it:
            # somebody killed it, or the machine had no room for another process.
            answer, python = self._ask(request, limits)
        origin = Origin("settrace", python, version("worldline"), HASH_SEED)
        return Trace(
            program=program,
            steps=tuple(answer.steps),
            scopes=tuple(_with_variables(answer)),
            ending=_ending(answer, limits),
            limits=limits,
            origin=origin,
            stdout=stdout.read_bytes().decode("utf-8", "surrogateescape"),
            notes=tuple(answer.notes),
        )

    def _ask(self, request: dict[str, Any], limits: Limits) -> "tuple[_Answer, str]":
        """What is said about one program, and by which Python; an interpreter that is gone is
        started anew."""
        if self._zygote is not None and not self._zygote.is_running:
            self._zygote.close()
            self._zygote = None
        if self._zygote is None:
            self._zygote = _Zygote(self._python)
        zygote = self._zygote
        answer = zygote.ask(request, seconds=limits.seconds)
        if answer.is_dead:
            zygote.close()
            self._zygote = None
        return answer, zygote.version


class _Answer:
    """What came back for one program."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.scopes: list[Scope] = []
        self.pid: int | None = None
        self.end: tuple[str, str] | None = None
        self.notes: list[str] = []
        self.status = 0
        self.was_timed_out = False
        self.is_dead = False


class _Zygote:
    """The interpreter that programs are forked from."""

    def __init__(self, python: str) -> None:
        request_in, request_out = os.pipe()
        answer_in, answer_out = os.pipe()
        inner = str(Path(__file__).parent)
        try:
            self._process = subprocess.Popen(
                [python, "-c", _BOOT, inner, str(request_in), str(answer_out)],
                pass_fds=(request_in, answer_out),
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                # What an interpreter that is too old says of it.
                stderr=subprocess.DEVNULL,
                text=True,
            )
        except OSError as error:
            raise RecorderError(
                f"cannot start {python}: {error}; name another with --python"
            ) from error
        finally:
            os.close(request_in)
            os.close(answer_out)
        self._requests: IO[bytes] = os.fdopen(request_out, "wb")
        self._answers = answer_in
        assert self._process.stdout is not None
        self.version = self._process.stdout.readline().strip()
        if not re.fullmatch(r"3\.\d+\.\d+", self.version):
            self.close()
            raise RecorderError(
                f"{python} cannot run the recorder; it needs CPython 3.10 or later on Linux"
            )

    @property
    def is_running(self) -> bool:
        """Whether the interpreter is still there; a program may have killed it."""
        return self._process.poll() is None

    def ask(self, request: dict[str, Any], *, seconds: float) -> _Answer:
        """Send one program and read all that is said about it."""
        answer = _Answer()
        try:
            self._requests.write(json.dumps(request).encode() + b"\n")
            self._requests.flush()
        except BrokenPipeError:
            answer.is_dead = True
            return answer
        for line in self._lines(seconds):
            try:
                row = json.loads(line)
                if row[0] == "exit":
                    answer.status, answer.was_timed_out = row[1], row[2]
                    return answer
                _note_row(answer, row)
            except (InputError, ValueError, LookupError, TypeError):
                # A process killed in the middle of a line; what it had written before stands.
                answer.notes.append("a line of the recording was damaged and left out")
        answer.is_dead = True
        if answer.pid is not None:
            _kill_group(answer.pid)
        return answer

    def _lines(self, seconds: float) -> Iterator[bytes]:
        """The lines that come back, until the pipe closes or nobody is left to close it.

        A program may kill or stop the interpreter and live on, with the pipe in its hands.
        """
        deadline = time.monotonic() + seconds + GRACE_SECONDS
        rest = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            while True:
                is_silent = not selector.select(timeout=0.5)
                now, is_running = time.monotonic(), self.is_running
                if not is_running:
                    deadline = min(deadline, now + 1.0)
                if now > deadline and (is_silent or not is_running):
                    return
                if is_silent:
                    continue
                part = os.read(self._answers, 1 << 16)
                if not part:
                    return
                *lines, rest = (rest + part).split(b"\n")
                yield from filter(None, lines)

    def close(self) -> None:
        """Close the pipes, which ends the interpreter; make sure of it."""
        os.close(self._answers)
        for stream in (self._requests, self._process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except BrokenPipeError:
                pass
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _note_row(answer: _Answer, row: list[Any]) -> None:
    """Put down one thing that was said about a program."""
    if row[0] == "started":
        answer.pid = int(row[1])
    elif row[0] == "end":
        answer.end, answer.notes = (row[1], row[2]), answer.notes + row[3]
    elif row[0] == "scope":
        answer.scopes.append(Scope(row[1], row[2], tuple(row[3]), row[4]))
    else:
        step = step_from_json(row)
        _ = answer.scopes[step.scope]
        answer.steps.append(step)


def _kill_group(pid: int) -> None:
    """End a program, and what it started, that outlived the interpreter it came from."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _environment() -> dict[str, str]:
    """A small, fixed environment: what a program sees must not depend on who runs it."""
    kept = {
        name: os.environ[name] for name in ("PATH", "HOME", "VIRTUAL_ENV") if name in os.environ
    }
    return {**kept, "PYTHONHASHSEED": str(HASH_SEED), "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"}


def _with_variables(answer: _Answer) -> list[Scope]:
    """Scopes with their variables; where code names none (a module, a class body), as met."""
    met: list[dict[str, None]] = [{} for _ in answer.scopes]
    for step in answer.steps:
        met[step.scope].update(dict.fromkeys(step.changed))
    return [
        scope if scope.variables else Scope(scope.function, scope.line, tuple(names), 0)
        for scope, names in zip(answer.scopes, met, strict=True)
    ]


def _ending(answer: _Answer, limits: Limits) -> Ending:
    """How the recording ended: the program's own word, else what the process died of."""
    if answer.end is not None:
        reason, detail = answer.end
        if reason == "recorder_failed":
            raise RecorderError(f"the recorder failed inside the program:\n{detail}")
        said = {
            "step_limit": f"more than {limits.steps:,} steps",
            "trace_limit": f"more than {limits.trace_mb:,} MB of trace",
            "memory_limit": f"more than {limits.memory_mb:,} MB of memory",
        }
        assert reason in get_args(EndReason)
        return Ending(reason, detail or said.get(reason, ""))  # type: ignore[arg-type]
    if answer.was_timed_out:
        return Ending("time_limit", f"more than {limits.seconds:g} s")
    if answer.is_dead:
        return Ending("killed", "the recorder's interpreter died with it")
    if answer.status == -signal.SIGXFSZ:
        return Ending("output_limit", f"more than {limits.output_mb:,} MB printed")
    if answer.status < 0:
        return Ending("killed", _signal_name(-answer.status))
    return Ending("killed", f"the process ended itself with status {answer.status}")


def _signal_name(number: int) -> str:
    """9 -> "SIGKILL"; 40, which has no name of its own -> "signal 40" """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
