"""Record the execution of a program, or read a recorded one."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.trace import DEFAULT_LANGUAGE, Limits, Trace, trace_from_json
from worldline.interfaces.api.programs import ProgramLike, to_program
from worldline.languages.program_recorder import ProgramRecorder
from worldline.languages.python.recorder import Backend


def record(
    program: ProgramLike,
    *arguments: Any,
    call: str | None = None,
    stdin: str = "",
    language: str = DEFAULT_LANGUAGE,
    limits: Limits | None = None,
    python: str | None = None,
    import_from: Sequence[Path] = (),
    backend: Backend | None = None,
    threads: bool = False,
    schedule: Sequence[int] | None = None,
    schedule_seed: int | None = None,
) -> Trace:
    """Execute a program in the sandbox and return its trace.

    Args:
        program: A function, source text, or a `Program`. Only the function's own source text is
            executed: other names of its module are not defined.
        arguments: For a function, its arguments; for source text, the call, as text.
        call: The call to execute, as an alternative to `arguments`.
        stdin: What the program reads from standard input.
        language: The language of source text: `python`, `javascript`, `java`, …
        limits: Limits on steps, time, memory and output.
        python: The interpreter to use (CPython 3.10 or later).
        import_from: Folders that the program may import from.
        backend: `core` (C) or `settrace` (Python, slower); by default `core` if it is available.
        threads: Also record the threads that a Python program starts. One runs at a time, until it
            waits or ends. Tasks of `asyncio` have numbers like threads, and virtual time.
        schedule: Also record the threads; at each of the first choices between threads, the one
            that runs next, and at each choice of a delay of `asyncio`, 0 or 1. Random numbers
            have the first value of their domain, as in `schedules`.
        schedule_seed: Also record the threads, in a random order with this seed.

    Returns:
        The trace: every step, and how the execution ended.

    Raises:
        ProgramError: The program or the call is not valid.
        InputError: The program has a schedule and is not in Python.
        SandboxError: The sandbox is not available on this machine.

    Examples:
        >>> trace = record("def f(x):\\n    y = x * 2\\n    return y + 1\\n", "f(3)")
        >>> trace.result
        '7'
        >>> [step.event for step in trace.steps]
        ['call', 'line', 'call', 'line', 'line', 'return', 'return']
    """
    chosen = to_program(program, *arguments, call=call, stdin=stdin, language=language)
    has_order = schedule is not None or schedule_seed is not None
    if has_order and not chosen.is_python:
        raise InputError("only the threads of programs in Python have schedules")
    with ProgramRecorder(
        python=python, import_from=import_from, backend=backend, has_threads=threads
    ) as recorder:
        if has_order:
            return recorder.record_scheduled(
                chosen, schedule or (), seed=schedule_seed, limits=limits or Limits()
            )
        return recorder.record(chosen, limits=limits or Limits())


def read_trace_file(path: str | Path) -> Trace:
    """Read the trace that `worldline record --format json` or `worldline run` has written.

    Raises:
        InputError: The file cannot be read, or has no trace.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the trace {path}: {error}") from error
    if not isinstance(data, dict):
        raise InputError(f"{path} has no trace; write one with: worldline record --format json")
    return trace_from_json(data)
