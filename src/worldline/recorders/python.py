"""A Python program goes in, its trace comes out.

The events of the interpreter are written down in C where that part of worldline was built for the
interpreter, else by the reference recorder on `sys.settrace`; the traces are the same. The program
runs in a process of its own; it has the limits of `Limits`, but the rights of whoever calls this.
"""

import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_args

from worldline.errors import RecorderError
from worldline.recorders.asking import HASH_SEED, Answer, Method, Zygote
from worldline.trace import (
    Ending,
    EndReason,
    Limits,
    Origin,
    Program,
    Scope,
    Trace,
)


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
    ) -> None:
        """`python`: the interpreter to run programs with, by default this one;
        `import_from`: folders that the programs may import from;
        `method`: "core" or "settrace", by default whichever is there, in this order;
        `has_threads`: record the threads that a program starts, too, each step marked with its
        own; which of them is at work when is another matter every time."""
        self._method = method
        self._has_threads = has_threads
        self._python = python or sys.executable
        self._import_from = [str(path) for path in import_from]
        self._folder = tempfile.TemporaryDirectory(prefix="worldline-")
        self._zygote: Zygote | None = None
        # While a model is asked, whoever reads its predictions often records as well.
        self._lock = threading.Lock()

    def __enter__(self) -> "PythonRecorder":
        # An interpreter that cannot be used is found here, not at the first program.
        self._zygote = self._zygote or Zygote(self._python, self._method)
        return self

    @property
    def method(self) -> str:
        """How events are written down: "core", in C, or "settrace", in Python and slower."""
        self._zygote = self._zygote or Zygote(self._python, self._method)
        return self._zygote.method

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
            "threads": self._has_threads,
            "limits": {name: getattr(limits, name) for name in limits.__slots__},
        }
        answer, zygote = self._ask(request, limits)
        if answer.is_dead and answer.pid is None:
            # The interpreter died before there was a program that could have had a part in it:
            # somebody killed it, or the machine had no room for another process.
            answer, zygote = self._ask(request, limits)
        origin = Origin(zygote.method, zygote.version, version("worldline"), HASH_SEED)
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

    def _ask(self, request: dict[str, Any], limits: Limits) -> tuple[Answer, Zygote]:
        """What is said about one program, and by whom; an interpreter that is gone is started
        anew."""
        if self._zygote is not None and not self._zygote.is_running:
            self._zygote.close()
            self._zygote = None
        if self._zygote is None:
            self._zygote = Zygote(self._python, self._method)
        zygote = self._zygote
        answer = zygote.ask(request, limits)
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
