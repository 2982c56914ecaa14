"""Search of the schedules of a program with threads: all results that it can have."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.trace import Limits
from worldline.interfaces.api.programs import ProgramLike, to_program
from worldline.languages.python.recorder import PythonRecorder, ScheduleBounds, ScheduleSearch

_LIMITS = Limits(seconds=120.0, cpu_seconds=120)


def schedules(
    program: ProgramLike,
    *arguments: Any,
    call: str | None = None,
    stdin: str = "",
    preemptions: int = 2,
    draws: int = 0,
    seed: int = 0,
    max_executions: int = 20_000,
    python: str | None = None,
    import_from: Sequence[Path] = (),
    limits: Limits | None = None,
) -> ScheduleSearch:
    """Execute a program with all schedules of its threads, up to a number of preemptions.

    A thread can be switched before each line of the program, and when it waits. A preemption is a
    switch from a thread that could continue, or a delay of tasks of `asyncio`. Random numbers have
    the first value of their domain.

    Args:
        program: A function, source text, or a `Program`.
        arguments: For a function, its arguments; for source text, the call, as text.
        call: The call to execute, as an alternative to `arguments`. Without a call, the outcome is
            what the program prints.
        stdin: What the program reads from standard input.
        preemptions: Maximum number of preemptions of a schedule.
        draws: Also execute this many random schedules.
        seed: Seed of the random schedules.
        max_executions: Maximum number of schedules to enumerate.
        python: The interpreter to use.
        import_from: Folders that the program may import from.
        limits: Limits of all executions together; by default 120 seconds.

    Returns:
        The outcomes, each with its shortest schedule, and whether the search was complete.

    Raises:
        InputError: The program is not in Python, or a bound is negative.
        RecorderError: The executions did not end.

    Examples:
        >>> source = '''
        ... import threading
        ...
        ... def f():
        ...     out = []
        ...     threads = [threading.Thread(target=out.append, args=(n,)) for n in (1, 2)]
        ...     for thread in threads:
        ...         thread.start()
        ...     for thread in threads:
        ...         thread.join()
        ...     return out
        ... '''
        >>> [outcome.text for outcome in schedules(source, "f()", preemptions=0).outcomes]
        ['[1, 2]', '[2, 1]']
    """
    chosen = to_program(program, *arguments, call=call, stdin=stdin)
    if not chosen.is_python:
        raise InputError("only the threads of programs in Python have schedules")
    for name, value in (("preemptions", preemptions), ("draws", draws)):
        if value < 0:
            raise InputError(f"{name}={value}: give 0 or more")
    bounds = ScheduleBounds(preemptions, max_executions, draws=draws, seed=seed)
    with PythonRecorder(python=python, import_from=import_from) as recorder:
        return recorder.search_schedules(chosen, bounds, limits=limits or _LIMITS)
