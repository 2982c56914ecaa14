"""Execute the program of a trace again, with the same random numbers and other choices."""

from collections.abc import Sequence
from pathlib import Path

from worldline.core.errors import InputError
from worldline.core.trace import Limits, Trace, schedule_choices
from worldline.languages.python.recorder import Backend, PythonRecorder


def replay(
    trace: Trace,
    *,
    limits: Limits | None = None,
    python: str | None = None,
    import_from: Sequence[Path] = (),
    backend: Backend | None = None,
) -> Trace:
    """Execute the program of a trace again, with the choices of the trace.

    Random numbers, readings of the clock, the order of threads and that of sets are as in the
    trace. If the program makes other choices than the trace has, these are drawn, and the new trace
    has a note.

    Args:
        trace: A trace of a Python program.
        limits: Limits of the execution; by default those of the trace.
        python: The interpreter to use, perhaps of another version.
        import_from: Folders that the program may import from.
        backend: `core` (C) or `settrace` (Python, slower); by default `core` if it is available.

    Raises:
        InputError: The trace is not one of a Python program, or has assumed calls.

    Examples:
        >>> from worldline.interfaces.api.recording import record
        >>> trace = record("import random\\n\\ndef f():\\n    return random.random()\\n", "f()")
        >>> replay(trace).result == trace.result
        True
    """
    if not trace.program.is_python or trace.assumptions is not None:
        raise InputError(
            "only traces of Python programs without assumed calls can be replayed; for assumed "
            "calls, use: worldline run FILE --replay TRACE"
        )
    with PythonRecorder(
        python=python,
        import_from=import_from,
        backend=backend,
        hash_seed=trace.origin.hash_seed,
        has_threads=trace.has_threads or bool(schedule_choices(trace.choices)),
    ) as recorder:
        try:
            return recorder.record_choosing(
                trace.program, trace.choices, limits=limits or trace.limits
            )[0]
        except ValueError as error:
            raise InputError(
                f"a choice of the trace has no valid value: {error}; record the program again"
            ) from error
