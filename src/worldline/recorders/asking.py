"""A request goes in, what an interpreter says about that program comes out.

The interpreter is started once; every program is run in a fork of it.
"""

import gc
import json
import os
import re
import secrets
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from worldline.errors import InputError, RecorderError, SandboxError
from worldline.sandbox import LAYERS, NEEDED, REDUCED, Launch, Layer, Sandbox
from worldline.trace import EVENTS, NOTHING, REDUCED_NOTE, Event, Limits, Scope, Step

_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from inner.core import IS_BUILT; "
    "from inner.jail import LANDLOCK; "
    "from inner.zygote import serve; "
    "del sys.path[:2]; is_core = IS_BUILT and sys.argv[4] != 'settrace'; "
    "print(*sys.version_info[:3], sep='.', end=' '); "
    "print('core' if is_core else 'settrace', LANDLOCK, flush=True); "
    "serve(int(sys.argv[2]), int(sys.argv[3]), is_core=is_core)"
)
# How rows lie in memory (core/memory.h), and what the last ones may take beside the trace.
_ROWS_AT = 64
_LAST_ROWS = 2_000_000
_READ = 1 << 20
# Rows that are about a process, not about its steps.
_ABOUT = ("started", "begin", "exit", "failed")
# Where the part that runs beside the programs is found, as the package `inner`.
FOLDER = Path(__file__).parent
HASH_SEED = 0
Method = Literal["core", "settrace"]
# How long after a program's time is up the interpreter may take to say so.
GRACE_SECONDS = 5.0


class Answer:
    """What came back for one program."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.scopes: list[Scope] = []
        # The one whose steps are being told.
        self.thread = 0
        # How many steps and scopes the recorder in C has written, which it says last.
        self.epilogue: tuple[int, int] | None = None
        self.end: tuple[str, str] | None = None
        self.notes: list[str] = []
        self.stdout = b""
        # The kernel's word on how the process ended; none where it was ended from outside.
        self.status: int | None = None
        # Whether there is a process, and whether it speaks for itself.
        self.was_started = False
        self.has_begun = False
        self.was_timed_out = False
        self.is_dead = False
        self.is_tampered = False


class Zygote:
    """The interpreter that programs are forked from, held by a sandbox."""

    def __init__(
        self,
        python: str,
        method: str | None,
        *,
        sandbox: Sandbox,
        folders: Sequence[str] = (),
        hash_seed: int = HASH_SEED,
    ) -> None:
        """`folders`: those that programs may import from."""
        self._environment = _environment(hash_seed)
        self._launch = Launch(python, sandbox, inner=FOLDER / "inner", folders=folders)
        try:
            landlock = self._start(python, method)
        except SandboxError:
            # Where bubblewrap is not to be had, the other layers are, if that is enough.
            if not sandbox.is_reduced or "bubblewrap" not in self._launch.layers:
                raise
            without = Sandbox(sandbox.layers & REDUCED, is_reduced=True, room=sandbox.room)
            self._launch = Launch(python, without, inner=FOLDER / "inner", folders=folders)
            landlock = self._start(python, method)
        if landlock < 1:
            self._launch.layers -= {"landlock"}
        missing = [layer for layer in LAYERS if layer in sandbox.layers - self._launch.layers]
        self.notes: tuple[str, ...] = ()
        if NEEDED.intersection(missing):
            if not sandbox.is_reduced:
                self.close()
                raise SandboxError(
                    f"the sandbox has no {', '.join(missing)} for {python}: `worldline sandbox "
                    "check` says why (the part in C has to be built for each version of Python: "
                    "scripts/build-recorder); `worldline --sandbox reduced …` goes on without"
                )
            self.notes = (f"{REDUCED_NOTE} {', '.join(missing)}",)
        if method == "core" and self.method != method:
            self.close()
            raise RecorderError(
                f"the recorder in C was not built for {python}; install worldline from source with "
                "it, where there is a C compiler, or do without --recorder core"
            )
        try:
            self._send(self._launch.told, ())
        except OSError as error:
            self.close()
            raise RecorderError(f"{python} has ended as it began: {error}; try again") from error

    def _start(self, python: str, method: str | None) -> int:
        """Start the interpreter; gives the version of Landlock that it finds, or 0."""
        self._requests, theirs = socket.socketpair()
        # Not a pipe, which a program could open through /proc.
        self._answers, told = socket.socketpair()
        files = theirs.fileno(), told.fileno()
        words = ["-c", _BOOT, str(FOLDER), *map(str, files), str(method)]
        try:
            self._process = subprocess.Popen(
                self._launch.command(words, self._environment),
                pass_fds=(*files, *self._launch.files),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd="/",
            )
        except (OSError, SandboxError) as error:
            self._answers.close()
            self._requests.close()
            self._launch.close()
            if isinstance(error, SandboxError):
                raise
            raise RecorderError(
                f"cannot start {python}: {error}; name another with --python"
            ) from error
        finally:
            theirs.close()
            told.close()
        assert self._process.stdout is not None
        said_first = self._process.stdout.readline().strip()
        if not re.fullmatch(r"3\.\d+\.\d+ \w+ \d+", said_first):
            said = self._last_words()
            self.close()
            raise SandboxError(
                f"{python} cannot be started in the sandbox: {said or 'it said nothing'}; "
                "`worldline sandbox check` says what holds here"
            )
        self.version, self.method, landlock = said_first.split()
        return int(landlock)

    @property
    def layers(self) -> frozenset[Layer]:
        """The layers of the sandbox that it is held by."""
        return self._launch.layers

    def _last_words(self) -> str:
        """What an interpreter that did not start has said of it."""
        assert self._process.stderr is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        self._process.kill()
        return self._process.stderr.read().strip()[-500:]

    @property
    def is_running(self) -> bool:
        """Whether the interpreter is still there."""
        return self._process.poll() is None

    def ask(self, request: dict[str, Any], limits: Limits, stdin: bytes) -> Answer:
        """Send one program and read all that is said about it."""
        size = _ROWS_AT + limits.trace_mb * 1_000_000 + _LAST_ROWS
        with ExitStack() as files:
            memory, given, printed = (_memory_file(files) for _ in range(3))
            os.truncate(memory, size)
            os.pwrite(given, stdin, 0)
            answer = self._answer(
                {**request, "memory": size}, (memory, given, printed), limits.seconds
            )
            _read_memory(memory, answer)
            answer.stdout = os.pread(printed, os.fstat(printed).st_size, 0)
        return answer

    def _send(self, request: dict[str, Any], files: Sequence[int]) -> None:
        body = json.dumps(request).encode()
        socket.send_fds(self._requests, [len(body).to_bytes(8, "little")], files)
        self._requests.sendall(body)

    def _answer(self, request: dict[str, Any], files: Sequence[int], seconds: float) -> Answer:
        """Send one program and read all that comes back on the pipe."""
        answer = Answer()
        # No program can know the next one's, and say that this was started or has ended.
        number = secrets.token_hex(8)
        try:
            self._send({**request, "number": number}, files)
        except OSError:
            answer.is_dead = True
            return answer
        for line in self._lines(answer, seconds):
            try:
                row = json.loads(line)
                if row[:2] == ["started", number]:
                    answer.was_started = True
                elif row[:2] == ["begin", number]:
                    answer.has_begun = True
                elif row[:2] == ["exit", number]:
                    answer.status = row[2]
                    return answer
                elif row[:2] == ["failed", number]:
                    raise SandboxError(f"the program could not be held, and was not run: {row[2]}")
                elif answer.has_begun and row[0] not in _ABOUT:
                    _note_row(answer, row)
            except (InputError, ValueError, LookupError, TypeError):
                # A process killed in the middle of a line; what it had written before stands.
                if answer.has_begun:
                    answer.notes.append("a line of the recording was damaged and left out")
        answer.is_dead = True
        return answer

    def _lines(self, answer: Answer, seconds: float) -> Iterator[bytes]:
        """The lines that come back, until the interpreter is gone; a program whose time is up is
        ended meanwhile."""
        program, rest = -1, b""
        deadline = time.monotonic() + seconds + GRACE_SECONDS
        try:
            while True:
                left = deadline - time.monotonic()
                if not select.select([self._answers], [], [], max(0.0, left))[0]:
                    if answer.was_timed_out or program < 0:
                        return
                    answer.was_timed_out = True
                    with suppress(OSError):
                        signal.pidfd_send_signal(program, signal.SIGKILL)
                    deadline = time.monotonic() + GRACE_SECONDS
                    continue
                part, files, _, _ = socket.recv_fds(self._answers, 1 << 16, 1)
                if files and not answer.was_started:
                    # The last until it is said to be started: a program can send others.
                    files.insert(0, program)
                    program, deadline = files.pop(), time.monotonic() + seconds
                for file in files:
                    if file >= 0:
                        os.close(file)
                if not part:
                    return
                *lines, rest = (rest + part).split(b"\n")
                yield from filter(None, lines)
        finally:
            if program >= 0:
                # Whatever happened here: nothing of it goes on.
                with suppress(OSError):
                    signal.pidfd_send_signal(program, signal.SIGKILL)
                os.close(program)

    def close(self) -> None:
        """Close the pipes, which ends the interpreter; make sure of it."""
        self._answers.close()
        self._requests.close()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._launch.close()


def _memory_file(files: ExitStack) -> int:
    """A file in memory that is closed with the others."""
    made = os.memfd_create("worldline", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    files.callback(os.close, made)
    return made


def _read_memory(memory: int, answer: Answer) -> None:
    """Put down what the recorder in C has written, as far as it got."""
    is_used = False
    with _uncollected():
        for rows in _whole_rows(memory):
            is_used = True
            # A line break is the end of a row and nothing else, so many can be read at once.
            for row in json.loads(b"[" + rows.replace(b"\n", b",") + b"]"):
                _note_row(answer, row)
    # The end and the epilogue are written at once; without them, the process was ended.
    count = (len(answer.steps), len(answer.scopes)) if answer.end else None
    answer.is_tampered = is_used and answer.epilogue != count


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage while nothing but steps is made: it would take most of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _whole_rows(memory: int) -> Iterator[bytes]:
    """The rows in memory, some at a time: a long trace is never there as text and steps at once."""
    left, at, rest = int.from_bytes(os.pread(memory, 8, 0), "little"), _ROWS_AT, b""
    while left:
        part = os.pread(memory, min(left, _READ), at)
        at, left = at + len(part), left - len(part)
        rows, end, rest = (rest + part).rpartition(b"\n")
        if end:
            yield rows


def _note_row(answer: Answer, row: list[Any]) -> None:
    """Put down one thing that was said about a program."""
    if row[0] == "epilogue":
        answer.epilogue = (row[1], row[2])
    elif row[0] == "thread":
        answer.thread = int(row[1])
    elif row[0] == "end":
        answer.end, answer.notes = (row[1], row[2]), answer.notes + row[3]
    elif row[0] == "again":
        answer.scopes.append(answer.scopes[row[1]])
    elif row[0] == "scope":
        answer.scopes.append(Scope(row[1], row[2], tuple(row[3]), row[4]))
    else:
        step = _step(answer.thread, *row)
        _ = answer.scopes[step.scope]
        answer.steps.append(step)


def _step(
    thread: int,
    event: Event,
    line: int,
    scope: int,
    first: Any = None,
    gone: Sequence[str] = (),
) -> Step:
    """A step from its row, which ends where there is no more to tell.

    ["line", 3, 0], ["line", 3, 0, {"x": "1"}, ["y"]], ["return", 4, 0, "1"]
    """
    if event in ("call", "line"):
        return Step(event, line, scope, first or NOTHING, tuple(gone), None, thread)
    if event not in EVENTS:
        raise InputError(f"{event!r} is not an event; expected one of {', '.join(EVENTS)}")
    return Step(event, line, scope, NOTHING, (), first, thread)


def _environment(hash_seed: int) -> dict[str, str]:
    """A small, fixed environment: what a program sees must not depend on who runs it."""
    return {"PYTHONHASHSEED": str(hash_seed), "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"}
