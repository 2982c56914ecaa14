"""Execute a program in which a model provides the values of some calls."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.trace import AssumedCall, Limits, Trace
from worldline.interfaces.api.engine_handle import EngineLike, borrowed_engine, engine_opener
from worldline.interfaces.api.programs import ProgramLike, to_program
from worldline.languages.python.recorder import Backend, PythonRecorder
from worldline.models.hybrid import (
    HybridExecution,
    HybridSettings,
    execute_hybrid,
    parse_assumed_names,
    replay_execution,
)


def run_with_assumptions(
    program: ProgramLike,
    *arguments: Any,
    assume: str | Iterable[str],
    engine: EngineLike,
    call: str | None = None,
    stdin: str = "",
    settings: HybridSettings | None = None,
    limits: Limits | None = None,
    python: str | None = None,
    import_from: Sequence[Path] = (),
    backend: Backend | None = None,
    on_call: Callable[[AssumedCall], None] | None = None,
) -> HybridExecution:
    """Execute a program; a model provides the values of calls that cannot be executed here.

    The program runs in the sandbox as with `record`. Calls of the assumed modules and functions
    are not executed: the model is asked for the value of each, and nothing that it writes is
    executed. The trace says which steps have assumed calls.

    Args:
        program: A function, source text, or a `Program`.
        arguments: For a function, its arguments; for source text, the call, as text.
        assume: Names of modules (`requests`) and functions (`time.time`, `input`); `missing` for
            all modules that are not installed, `forbidden` for what the sandbox forbids.
        engine: The engine, or its name.
        call: The call to execute, as an alternative to `arguments`.
        stdin: What the program reads from standard input.
        settings: Limits on the assumed calls, and sampling.
        limits: Limits of each execution.
        python: The interpreter to use.
        import_from: Folders that the program may import from.
        backend: `core` (C) or `settrace` (Python, slower); by default `core` if it is available.
        on_call: Called for every assumed call.

    Returns:
        The trace, and the model's usage. An answer that cannot be read is the trace's ending
        `assumption_failed`.

    Raises:
        InputError: A name cannot be assumed.
        EngineError: The engine failed.

    Examples:
        >>> from worldline.models.engines import ScriptedEngine
        >>> engine = lambda: ScriptedEngine(lambda prompt: "'Ada'\\n>>>")
        >>> source = "def greet():\\n    return 'Hello ' + input('Name? ')\\n"
        >>> execution = run_with_assumptions(source, "greet()", assume="input", engine=engine)
        >>> execution.result
        "'Hello Ada'"
        >>> execution.trace.assumptions.calls[0].expression
        "input('Name? ')"
    """
    chosen = to_program(program, *arguments, call=call, stdin=stdin)
    names = parse_assumed_names([assume] if isinstance(assume, str) else assume)

    async def execute(recorder: PythonRecorder, opener: Callable[[], Any]) -> HybridExecution:
        opened = opener()
        try:
            return await execute_hybrid(
                chosen,
                names,
                opened,
                recorder,
                settings=settings,
                limits=limits,
                on_call=on_call,
            )
        finally:
            await opened.close()

    with (
        PythonRecorder(python=python, import_from=import_from, backend=backend) as recorder,
        borrowed_engine(engine) as borrowed,
    ):
        return asyncio.run(execute(recorder, engine_opener(borrowed)))


def replay_assumptions(
    trace: Trace,
    *,
    limits: Limits | None = None,
    python: str | None = None,
    import_from: Sequence[Path] = (),
    backend: Backend | None = None,
) -> Trace:
    """Execute the program of a trace again, with its assumed values and without a model.

    Args:
        trace: A trace of `run_with_assumptions`.
        limits: Limits of the execution; by default those of the trace.
        python: The interpreter to use.
        import_from: Folders that the program may import from.
        backend: `core` (C) or `settrace` (Python, slower); by default `core` if it is available.

    Raises:
        InputError: The trace has no assumptions.
    """
    if trace.assumptions is None:
        raise InputError(
            "the trace has no assumed calls to replay; record it with run_with_assumptions, or "
            "with: worldline run FILE --assume NAMES --format json"
        )
    with PythonRecorder(python=python, import_from=import_from, backend=backend) as recorder:
        return replay_execution(trace, recorder, limits=limits)
