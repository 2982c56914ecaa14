"""Distribution of the results of a program that uses chance."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.analysis.choices import (
    MAX_EXECUTIONS,
    MAX_TRACES,
    Distribution,
    enumerate_executions,
    result_distribution,
    state_distribution,
)
from worldline.core.errors import InputError
from worldline.interfaces.api.programs import ProgramLike, to_program
from worldline.languages.python.recorder import PythonRecorder


def distribution(
    program: ProgramLike,
    *arguments: Any,
    call: str | None = None,
    stdin: str = "",
    step: int | None = None,
    draws: int | None = None,
    seed: int = 0,
    max_executions: int | None = None,
    python: str | None = None,
    import_from: Sequence[Path] = (),
) -> Distribution:
    """Execute a program with all values of its random numbers, and add up the probabilities.

    Args:
        program: A function, source text, or a `Program`.
        arguments: For a function, its arguments; for source text, the call, as text.
        call: The call to execute, as an alternative to `arguments`. Without a call, the outcome is
            what the program prints.
        stdin: What the program reads from standard input.
        step: Return the distribution of the state at this step instead of the results.
        draws: Sample this many executions instead of enumerating all.
        seed: Seed of the samples.
        max_executions: Maximum number of executions to enumerate: by default 20,000, with a step
            2,000.
        python: The interpreter to use.
        import_from: Folders that the program may import from.

    Raises:
        NotFiniteError: The program cannot be enumerated; use `draws`.
        InputError: Both a step and draws are given, or the program is not in Python.

    Examples:
        >>> source = "import random\\n\\ndef f():\\n    return random.randint(1, 2) * 10\\n"
        >>> distribution(source, "f()").probabilities
        {'10': Fraction(1, 2), '20': Fraction(1, 2)}
    """
    chosen = to_program(program, *arguments, call=call, stdin=stdin)
    if not chosen.is_python:
        raise InputError("only programs in Python have choices that can be enumerated")
    if step is not None and draws is not None:
        raise InputError("the states at a step are enumerated; omit --draws or --step")
    with PythonRecorder(python=python, import_from=import_from) as recorder:
        if step is None:
            return result_distribution(
                chosen,
                recorder,
                draws=draws,
                seed=seed,
                max_executions=max_executions or MAX_EXECUTIONS,
            )
        leaves = enumerate_executions(chosen, recorder, max_executions=max_executions or MAX_TRACES)
        return state_distribution(chosen, leaves, recorder, step)
