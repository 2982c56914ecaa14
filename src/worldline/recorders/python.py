"""A Python program goes in, its trace comes out.

The events of the interpreter are written down in C where that part of worldline was built for the
interpreter, else by the reference recorder on `sys.settrace`; the traces are the same. The program
runs in a process of its own, held by a sandbox and the limits of `Limits`.
"""

import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_args

from worldline.errors import RecorderError
from worldline.recorders.asking import HASH_SEED, Answer, Method, Zygote
from worldline.sandbox import Layer, Sandbox, default_sandbox
from worldline.trace import (
    Ending,
    EndReason,
    Limits,
    Origin,
    Program,
    Scope,
    Trace,
)

# Read once: it takes longer than many a program.
_WORLDLINE = version("worldline")
# What a limit of processor time says, not of the clock.
OF_A_CPU = "of a CPU"


class PythonRecorder:
    """Records Python programs, each in a process of its own, one at a time; it may be shared
    between threads.

    with PythonRecorder() as recorder:
        trace = recorder.record(Program("def f(x): return x + 1", "f(1)"))
    """

    def __init__(
        self,
        *,
        python: str | None = None,
        import_from: Sequence[str | Path] = (),
        method: Method | None = None,
        has_threads: bool = False,
        hash_seed: int = HASH_SEED,
        sandbox: Sandbox | None = None,
    ) -> None:
        """`python`: the interpreter to run programs with, by default this one;
        `import_from`: folders that the programs may import from;
        `method`: "core" or "settrace", by default whichever is there, in this order;
        `has_threads`: record the threads that a program starts, too, each step marked with its
        own; which of them is at work when is another matter every time;
        `hash_seed`: PYTHONHASHSEED, which the order of sets of strings depends on;
        `sandbox`: what holds the programs, by default all there is."""
        self._method = method
        self._has_threads = has_threads
        self._hash_seed = hash_seed
        self._python = python or sys.executable
        self._import_from = [str(Path(path).resolve()) for path in import_from]
        self._sandbox = sandbox or default_sandbox()
        self._zygote: Zygote | None = None
        # While a model is asked, whoever reads its predictions often records as well.
        self._lock = threading.Lock()

    def __enter__(self) -> "PythonRecorder":
        # An interpreter that cannot be used is found here, not at the first program.
        self._zygote = self._zygote or self._start()
        return self

    @property
    def method(self) -> str:
        """How events are written down: "core", in C, or "settrace", in Python and slower."""
        self._zygote = self._zygote or self._start()
        return self._zygote.method

    @property
    def layers(self) -> frozenset[Layer]:
        """The layers of the sandbox that programs are held by."""
        self._zygote = self._zygote or self._start()
        return self._zygote.layers

    def _start(self) -> Zygote:
        return Zygote(
            self._python,
            self._method,
            sandbox=self._sandbox,
            folders=self._import_from,
            hash_seed=self._hash_seed,
        )

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the recorder's interpreter."""
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """Run the program and return the trace of what it did, however it ended."""
        with self._lock:
            return self._record(program, limits or Limits())

    def _record(self, program: Program, limits: Limits) -> Trace:
        stdin = program.stdin.encode("utf-8", "surrogateescape")
        request = {
            "text": program.text,
            "entry": program.entry,
            "path": self._import_from,
            "threads": self._has_threads,
            "limits": {name: getattr(limits, name) for name in limits.__slots__},
        }
        answer, zygote = self._ask(request, limits, stdin)
        if answer.is_dead:
            # No program can reach the interpreter that it came from: somebody killed that, or the
            # machine had no room for another process.
            answer, zygote = self._ask(request, limits, stdin)
        origin = Origin(zygote.method, zygote.version, _WORLDLINE, self._hash_seed)
        return Trace(
            program=program,
            steps=tuple(answer.steps),
            scopes=tuple(_with_variables(answer)),
            ending=_ending(answer, limits),
            limits=limits,
            origin=origin,
            stdout=answer.stdout.decode("utf-8", "surrogateescape"),
            notes=(*zygote.notes, *answer.notes),
        )

    def _ask(self, request: dict[str, Any], limits: Limits, stdin: bytes) -> tuple[Answer, Zygote]:
        """What is said about one program, and by whom; an interpreter that is gone is started
        anew."""
        if self._zygote is not None and not self._zygote.is_running:
            self._zygote.close()
            self._zygote = None
        if self._zygote is None:
            self._zygote = self._start()
        zygote = self._zygote
        answer = zygote.ask(request, limits, stdin)
        if answer.is_dead:
            zygote.close()
            self._zygote = None
        return answer, zygote


def _with_variables(answer: Answer) -> list[Scope]:
    """Scopes with their variables; where code names none (a module, a class body), as met."""
    met: list[dict[str, None]] = [{} for _ in answer.scopes]
    for step in answer.steps:
        met[step.scope].update(dict.fromkeys(step.changed))
    return [
        scope if scope.variables else Scope(scope.function, scope.line, tuple(names), 0)
        for scope, names in zip(answer.scopes, met, strict=True)
    ]


def _ending(answer: Answer, limits: Limits) -> Ending:
    """How the recording ended: the program's own word, else what the process died of."""
    if answer.is_tampered:
        return Ending("tampered", "the recording is not what its own last row says")
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
        return Ending("killed", "the recorder's interpreter died with it, twice")
    if answer.status is None:
        return Ending("killed", "from outside")
    status = os.waitstatus_to_exitcode(answer.status)
    if status == -signal.SIGXFSZ:
        return Ending("output_limit", f"more than {limits.output_mb:,} MB printed")
    if status == -signal.SIGXCPU:
        return Ending(
            "time_limit", f"more than {limits.cpu_seconds or limits.seconds:g} s {OF_A_CPU}"
        )
    if status == -signal.SIGSYS:
        return Ending("forbidden_call", "a call to the kernel that no program needs")
    if status < 0:
        return Ending("killed", _signal_name(-status))
    return Ending("killed", f"the process ended itself with status {status}")


def _signal_name(number: int) -> str:
    """9 -> "SIGKILL"; 40, which has no name of its own -> "signal 40" """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
