"""A request goes in, what an interpreter says about that program comes out.

The interpreter is started once; every program is run in a fork of it.
"""

import gc
import json
import os
import re
import select
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from worldline.errors import InputError, RecorderError
from worldline.trace import EVENTS, NOTHING, Event, Limits, Scope, Step

_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from inner.core import IS_BUILT; "
    "from inner.zygote import serve; "
    "del sys.path[:2]; is_core = IS_BUILT and sys.argv[4] != 'settrace'; "
    "print(*sys.version_info[:3], sep='.', end=' '); "
    "print('core' if is_core else 'settrace', flush=True); "
    "serve(int(sys.argv[2]), int(sys.argv[3]), is_core=is_core)"
)
# How rows lie in memory (core/memory.h), and what the last ones may take beside the trace.
_ROWS_AT = 64
_LAST_ROWS = 2_000_000
_READ = 1 << 20
# Where the part that runs beside the programs is found, as the package `inner`.
FOLDER = Path(__file__).parent
HASH_SEED = 0
Method = Literal["core", "settrace"]
# How long after a program's time is up the interpreter may take to say so.
GRACE_SECONDS = 5.0
# How long a program may go on when the interpreter that it came from is gone.
LAST_SECONDS = 1.0


class Answer:
    """What came back for one program."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.scopes: list[Scope] = []
        # The one whose steps are being told.
        self.thread = 0
        self.pid: int | None = None
        # How many steps and scopes the recorder in C has written, which it says last.
        self.epilogue: tuple[int, int] | None = None
        self.end: tuple[str, str] | None = None
        self.notes: list[str] = []
        self.status = 0
        self.was_timed_out = False
        self.is_dead = False


class Zygote:
    """The interpreter that programs are forked from."""

    def __init__(self, python: str, method: str | None) -> None:
        self._requests, theirs = socket.socketpair()
        # Not a pipe, which a program could open through /proc.
        self._answers, told = socket.socketpair()
        inner = str(FOLDER)
        try:
            self._process = subprocess.Popen(
                [python, "-c", _BOOT, inner, str(theirs.fileno()), str(told.fileno()), str(method)],
                pass_fds=(theirs.fileno(), told.fileno()),
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
            theirs.close()
            told.close()
        assert self._process.stdout is not None
        self.version, _, self.method = self._process.stdout.readline().strip().partition(" ")
        if not re.fullmatch(r"3\.\d+\.\d+", self.version):
            self.close()
            raise RecorderError(
                f"{python} cannot run the recorder; it needs CPython 3.10 or later on Linux"
            )
        if method == "core" and self.method != method:
            self.close()
            raise RecorderError(
                f"the recorder in C was not built for {python}; install worldline from source with "
                "it, where there is a C compiler, or do without --recorder core"
            )

    @property
    def is_running(self) -> bool:
        """Whether the interpreter is still there; a program may have killed it."""
        return self._process.poll() is None

    def ask(self, request: dict[str, Any], limits: Limits) -> Answer:
        """Send one program and read all that is said about it."""
        size = _ROWS_AT + limits.trace_mb * 1_000_000 + _LAST_ROWS
        memory = os.memfd_create("worldline", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.truncate(memory, size)
            answer = self._answer({**request, "memory": size}, memory, limits.seconds)
            _read_memory(memory, answer)
            return answer
        finally:
            os.close(memory)

    def _answer(self, request: dict[str, Any], memory: int, seconds: float) -> Answer:
        """Send one program and read all that comes back on the pipe."""
        answer = Answer()
        body = json.dumps(request).encode()
        try:
            socket.send_fds(self._requests, [len(body).to_bytes(8, "little")], [memory])
            self._requests.sendall(body)
        except OSError:
            answer.is_dead = True
            return answer
        for line in self._lines(seconds):
            try:
                row = json.loads(line)
                if row[0] == "exit" and row[1] == answer.pid:
                    answer.status, answer.was_timed_out = row[2], row[3]
                    return answer
                _note_row(answer, row)
            except (InputError, ValueError, LookupError, TypeError):
                # A process killed in the middle of a line; what it had written before stands.
                answer.notes.append("a line of the recording was damaged and left out")
        answer.is_dead = True
        if answer.pid is not None:
            _wait_a_moment(answer.pid)
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
                    deadline = min(deadline, now + LAST_SECONDS)
                if now > deadline and (is_silent or not is_running):
                    return
                if is_silent:
                    continue
                part = self._answers.recv(1 << 16)
                if not part:
                    return
                *lines, rest = (rest + part).split(b"\n")
                yield from filter(None, lines)

    def close(self) -> None:
        """Close the pipes, which ends the interpreter; make sure of it."""
        self._answers.close()
        self._requests.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


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
    if is_used and answer.epilogue != count:
        raise RecorderError("the recording is not what its own last row says: it was tampered with")


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
    elif row[0] == "started":
        answer.pid = int(row[1])
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


def _wait_a_moment(pid: int) -> None:
    """Let a program that outlived the interpreter come to its own end, if that is near."""
    with suppress(OSError):
        process = os.pidfd_open(pid)
        select.select([process], [], [], LAST_SECONDS)
        os.close(process)


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
