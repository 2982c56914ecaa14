"""Client of the fork server: an interpreter in the sandbox that forks for every program."""

import json
import os
import re
import secrets
import select
import signal
import socket
import subprocess
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Literal, TypeVar

from worldline.core.errors import InputError, RecorderError, SandboxError
from worldline.core.trace import CONTAINER_NOTE, REDUCED_NOTE, Limits
from worldline.languages.python.recorder.cancellation import Cancellation
from worldline.languages.python.recorder.group_messages import GroupReceiver, GroupResults
from worldline.languages.python.recorder.recording_protocol import (
    RawRecording,
    decode_row,
    decode_shared_memory,
    shared_memory_bytes,
)
from worldline.languages.sandbox import (
    CONTAINER_LAYERS,
    LAYERS,
    REQUIRED_LAYERS,
    ConfinementError,
    LaunchCommand,
    Layer,
    Sandbox,
    confinement_error,
)

T = TypeVar("T")

Backend = Literal["core", "settrace"]
HASH_SEED = 0
# Folder that contains the package `child`, which runs in the fork server.
FOLDER = Path(__file__).parent
# Seconds that the fork server has to report a program's end after its time limit.
GRACE_SECONDS = 5.0
# Arguments: FOLDER, the sockets for requests and replies, the method. The first line of output is
# the version of Python, the method and the version of Landlock. The server is `fork_server`, or
# `exec_server` for programs of other languages.
_START_SCRIPT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from child.c_tracer import IS_BUILT; "
    "from child.sandbox_layers import LANDLOCK; "
    "from child.{server} import serve; "
    "del sys.path[:2]; in_c = IS_BUILT and sys.argv[4] != 'settrace'; "
    "print(*sys.version_info[:3], sep='.', end=' '); "
    "print('core' if in_c else 'settrace', LANDLOCK, flush=True); "
    "serve(int(sys.argv[2]), int(sys.argv[3]), in_c=in_c)"
)
# Programs in a group; see `child/program_group.py`.
MAX_GROUP = 256
# Seconds after which the messages of a group are read.
_GROUP_READ_SECONDS = 0.02
# Rows about a process; all others are about its steps.
_PROCESS_ROWS = ("started", "begin", "exit", "failed")


class ForkServerClient:
    """A running fork server.

    Attributes:
        version: The version of its Python.
        backend: "core" or "settrace".
        notes: Notes for every trace: which layers of the sandbox are missing.
        missing_layers: The layers that are not available, and the reasons.
        remedies: Commands and options of which one allows namespaces, if they are forbidden.
    """

    def __init__(
        self,
        python: str,
        backend: str | None,
        *,
        sandbox: Sandbox,
        folders: Sequence[str] = (),
        hash_seed: int = HASH_SEED,
        runtime: Sequence[str] | None = None,
        has_groups: bool = False,
    ) -> None:
        """Start a fork server.

        Args:
            python: The interpreter.
            backend: How to record: "core" or "settrace"; None for "core" if that was built.
            sandbox: The sandbox of the fork server and of the programs.
            folders: Folders that programs may import from.
            hash_seed: PYTHONHASHSEED.
            runtime: For another language, the files that execute its programs.
            has_groups: Execute groups of programs, and no others.

        Raises:
            SandboxError: The sandbox is not available.
            RecorderError: The interpreter cannot be started, or does not have the backend.
        """
        self._environment = _environment(hash_seed)
        self._start_script = _START_SCRIPT.replace(
            "{server}", "fork_server" if runtime is None else "exec_server"
        )

        def new_launch() -> LaunchCommand:
            return LaunchCommand(
                python, sandbox, child=FOLDER / "child", folders=folders, files=runtime or ()
            )

        self._launch = new_launch()
        self.remedies: tuple[str, ...] = ()
        try:
            landlock_version = self._start(python, backend)
        except SandboxError as error:
            # Without bubblewrap, use the remaining layers if a reduced sandbox is allowed.
            if not sandbox.allow_reduced or "bubblewrap" not in self._launch.layers:
                raise
            self._launch = new_launch()
            reason = str(error)
            if isinstance(error, ConfinementError):
                reason, self.remedies = error.reason, error.remedies
            self._launch.leave_out({"bubblewrap"}, reason)
            self._launch.leave_out(set(LAYERS) - CONTAINER_LAYERS, "needs bubblewrap")
            landlock_version = self._start(python, backend)
        # For a recorder that nobody closes: its interpreter and control groups end with Python.
        self._at_exit = weakref.finalize(
            self, _end_interpreter, self._process, self._launch, os.getpid()
        )
        self._launch.set_landlock_version(landlock_version)
        self.missing_layers = self._launch.missing
        self.notes = self._check_layers(sandbox)
        if backend == "core" and self.backend != backend:
            self.close()
            raise RecorderError(
                f"the recorder in C was not built for {python}; install worldline from source on a "
                "machine with a C compiler, or omit --recorder core"
            )
        try:
            self._send({**self._launch.layer_settings, "has_groups": has_groups}, ())
        except OSError as error:
            self.close()
            raise RecorderError(f"{python} exited during startup: {error}; try again") from error

    def _check_layers(self, sandbox: Sandbox) -> tuple[str, ...]:
        """A note about missing layers; an error unless a reduced sandbox is allowed."""
        missing = [layer for layer in LAYERS if layer in self._launch.missing]
        required = [layer for layer in missing if layer in REQUIRED_LAYERS]
        if required and not sandbox.allow_reduced:
            self.close()
            reasons = dict.fromkeys(self._launch.missing[layer] for layer in required)
            raise SandboxError(
                f"the sandbox has no {', '.join(required)}: {'; '.join(reasons)}; "
                "`worldline --sandbox reduced …` executes programs without"
            )
        if sandbox.level == "container":
            left_out = [layer for layer in LAYERS if layer not in CONTAINER_LAYERS]
            return (f"{CONTAINER_NOTE} {', '.join(left_out)}",)
        return (f"{REDUCED_NOTE} {', '.join(missing)}",) if required else ()

    def _start(self, python: str, backend: str | None) -> int:
        """Start the interpreter; the result is its version of Landlock, or below 1."""
        self._requests, child_requests = socket.socketpair()
        # Not a pipe, which a program could open in /proc.
        self._replies, child_replies = socket.socketpair()
        fds = child_requests.fileno(), child_replies.fileno()
        arguments = ["-c", self._start_script, str(FOLDER), *map(str, fds), str(backend)]
        try:
            self._process = subprocess.Popen(
                self._launch.build(arguments, self._environment),
                pass_fds=(*fds, *self._launch.pass_fds),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd="/",
            )
        except (OSError, SandboxError) as error:
            self._replies.close()
            self._requests.close()
            self._launch.close()
            if isinstance(error, SandboxError):
                raise
            raise RecorderError(
                f"cannot start {python}: {error}; choose another interpreter with --python"
            ) from error
        finally:
            child_requests.close()
            child_replies.close()
        assert self._process.stdout is not None
        greeting = self._process.stdout.readline().strip()
        if not re.fullmatch(r"3\.\d+\.\d+ \w+ -?\d+", greeting):
            errors = self._read_errors()
            self.close()
            if errors.startswith(("bwrap: ", "cannot ")):
                raise confinement_error(errors)
            raise SandboxError(
                f"{python} cannot be started in the sandbox: {errors or 'no error message'}; "
                "`worldline sandbox check` shows which layers work on this machine"
            )
        self._launch.remove_staging_folder()
        self.version, self.backend, landlock_version = greeting.split()
        return int(landlock_version)

    @property
    def layers(self) -> frozenset[Layer]:
        """The layers of the sandbox that are in effect."""
        return self._launch.layers

    def _read_errors(self) -> str:
        """The error output of an interpreter that did not start."""
        assert self._process.stderr is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        self._process.kill()
        return self._process.stderr.read().strip()[-500:]

    @property
    def is_running(self) -> bool:
        """Whether the interpreter is running."""
        return self._process.poll() is None

    def record(
        self,
        request: dict[str, Any],
        limits: Limits,
        stdin: bytes,
        cancellation: Cancellation | None = None,
    ) -> RawRecording:
        """Execute one program and return what was recorded.

        Raises:
            SandboxError: The program could not be sandboxed and was not executed.
        """
        size = shared_memory_bytes(limits)
        with ExitStack() as files:
            memory, input_file, output_file = (_memory_file(files) for _ in range(3))
            os.truncate(memory, size)
            os.pwrite(input_file, stdin, 0)
            recording = self._exchange(
                {**request, "memory": size},
                (memory, input_file, output_file),
                limits.seconds,
                cancellation,
            )
            try:
                decode_shared_memory(memory, recording)
            except (InputError, ValueError, LookupError, TypeError):
                # Only complete rows count, so the recorder did not write this.
                recording.is_tampered = True
            recording.stdout = os.pread(output_file, os.fstat(output_file).st_size, 0)
        return recording

    def record_group(
        self,
        programs: Sequence[dict[str, Any]],
        limits: Limits,
        read: Callable[[bytes, bytes], T | None],
    ) -> GroupResults[T]:
        """Execute programs in one process, one after the other.

        Args:
            programs: The text and the entry point of each program, at most `MAX_GROUP` of them.
            limits: The limits of each program; that on elapsed time is for all of them.
            read: Called with the rows of a recording, and with what the program has printed.

        Returns:
            The results of the first programs: the process may have ended before the others.
        """
        request = {
            "group": list(programs),
            "limits": {name: getattr(limits, name) for name in limits.__slots__},
            "memory": shared_memory_bytes(limits),
        }
        with ExitStack() as stack:
            receiver = GroupReceiver(
                read,
                messages=len(programs),
                message_bytes=shared_memory_bytes(limits) + (limits.output_mb + 1) * 1_000_000,
            )
            stack.callback(receiver.close)
            files = receiver.remote.fileno(), _memory_file(stack)
            recording = self._exchange(request, files, limits.seconds, None, receiver)
            receiver.receive()
            return GroupResults([], False) if recording.is_dead else receiver.results()

    def _send(self, request: dict[str, Any], files: Sequence[int]) -> None:
        body = json.dumps(request).encode()
        socket.send_fds(self._requests, [len(body).to_bytes(8, "little")], files)
        self._requests.sendall(body)

    def _exchange(
        self,
        request: dict[str, Any],
        files: Sequence[int],
        seconds: float,
        cancellation: Cancellation | None,
        receiver: GroupReceiver[Any] | None = None,
    ) -> RawRecording:
        """Send one request and read the replies until its process has ended."""
        recording = RawRecording()
        # An unpredictable id: no program can forge a reply about another one.
        number = secrets.token_hex(8)
        try:
            self._send({**request, "number": number}, files)
        except OSError:
            recording.is_dead = True
            return recording
        for line in self._lines(recording, seconds, cancellation, receiver):
            try:
                row = json.loads(line)
                if row[:2] == ["started", number]:
                    recording.was_started = True
                    recording.pid = row[2] if len(row) > 2 else None
                elif row[:2] == ["begin", number]:
                    recording.has_begun = True
                elif row[:2] == ["exit", number]:
                    recording.status = row[2]
                    return recording
                elif row[:2] == ["failed", number]:
                    raise SandboxError(
                        f"the program could not be sandboxed and was not executed: {row[2]}; "
                        "`worldline sandbox check` shows which layers work on this machine"
                    )
                elif recording.has_begun and row[0] not in _PROCESS_ROWS:
                    decode_row(recording, row)
            except (InputError, ValueError, LookupError, TypeError):
                # The process was killed while it wrote a line; the lines before it are valid.
                if recording.has_begun:
                    recording.notes.append("a line of the recording was damaged and left out")
        recording.is_dead = True
        return recording

    def _lines(
        self,
        recording: RawRecording,
        seconds: float,
        cancellation: Cancellation | None,
        receiver: GroupReceiver[Any] | None,
    ) -> Iterator[bytes]:
        """The lines of the reply until the fork server has ended; kills a program that exceeds its
        time limit or is cancelled. Reads the messages of a group meanwhile."""
        pidfd, rest = -1, b""
        deadline = time.monotonic() + seconds + GRACE_SECONDS
        try:
            while True:
                timeout = max(0.0, deadline - time.monotonic())
                watched: list[socket.socket | Cancellation] = [self._replies]
                if cancellation is not None and not recording.was_cancelled:
                    watched.append(cancellation)
                if receiver is not None:
                    timeout = min(timeout, _GROUP_READ_SECONDS)
                ready = select.select(watched, [], [], timeout)[0]
                if receiver is not None:
                    receiver.receive()
                    if not ready and time.monotonic() < deadline:
                        continue
                if cancellation in ready:
                    recording.was_cancelled = True
                    _kill(pidfd, recording)
                    continue
                if not ready:
                    if recording.was_timed_out or (pidfd < 0 and recording.pid is None):
                        return
                    recording.was_timed_out = True
                    _kill(pidfd, recording)
                    deadline = time.monotonic() + GRACE_SECONDS
                    continue
                part, files, _, _ = socket.recv_fds(self._replies, 1 << 16, 1)
                if files and not recording.was_started:
                    # The last one before the "started" row is the pidfd: a program can send others.
                    files.insert(0, pidfd)
                    pidfd, deadline = files.pop(), time.monotonic() + seconds
                for file in files:
                    if file >= 0:
                        os.close(file)
                if not part:
                    return
                *lines, rest = (rest + part).split(b"\n")
                had_pid = recording.pid is not None
                yield from filter(None, lines)
                if recording.was_cancelled:
                    # It was cancelled before it was started.
                    _kill(pidfd, recording)
                if recording.pid is not None and not had_pid:
                    deadline = time.monotonic() + seconds
        finally:
            # Whatever happened above, the program must not continue.
            _kill(pidfd, recording)
            if pidfd >= 0:
                os.close(pidfd)

    def close(self) -> None:
        """Close the sockets, which ends the interpreter; kill it if it does not end."""
        self._replies.close()
        self._requests.close()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        if hasattr(self, "_at_exit"):
            self._at_exit.detach()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._launch.close()


def _end_interpreter(process: subprocess.Popen[str], launch: LaunchCommand, owner: int) -> None:
    """End an interpreter whose client was not closed, unless this is a fork of its owner."""
    if os.getpid() == owner:
        process.kill()
        process.wait()
        launch.close()


def _kill(pidfd: int, recording: RawRecording) -> None:
    """Kill a program, by its pidfd or, where there are none, by its process id."""
    with suppress(OSError):
        if pidfd >= 0:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        elif recording.pid is not None and recording.status is None:
            os.kill(recording.pid, signal.SIGKILL)


def _memory_file(files: ExitStack) -> int:
    """A new file in memory, or without a name where there are none; `files` closes it."""
    if not hasattr(os, "memfd_create"):  # macOS
        return files.enter_context(tempfile.TemporaryFile()).fileno()
    fd = os.memfd_create("worldline", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    files.callback(os.close, fd)
    return fd


def _environment(hash_seed: int) -> dict[str, str]:
    """A small, fixed environment, so that no program depends on the user's."""
    return {"PYTHONHASHSEED": str(hash_seed), "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"}
