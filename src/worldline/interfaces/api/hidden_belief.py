"""Belief over the hidden state of a game, after observations."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.analysis.choices import MAX_EXECUTIONS, Belief, find_belief
from worldline.core.errors import InputError
from worldline.interfaces.api.programs import ProgramLike, to_program
from worldline.languages.python.recorder import PythonRecorder


def belief(
    program: ProgramLike,
    *arguments: Any,
    observed: Sequence[Any] = (),
    hidden: Sequence[str] | None = None,
    call: str | None = None,
    stdin: str = "",
    max_executions: int | None = None,
    python: str | None = None,
    import_from: Sequence[Path] = (),
) -> Belief:
    """Compute what an observer knows about the hidden state of a game.

    A game is a generator function that yields its observations. All its plays are executed that
    agree with the observations, and their probabilities are added up.

    Args:
        program: A generator function, source text, or a `Program`.
        arguments: For a function, its arguments; for source text, the call, as text.
        observed: The observations so far.
        hidden: The names of the hidden variables; by default, the program declares them:
            `HIDDEN = "coin"`.
        call: The call to execute, as an alternative to `arguments`.
        stdin: What the program reads from standard input.
        max_executions: Maximum number of plays; by default 20,000.
        python: The interpreter to use.
        import_from: Folders that the program may import from.

    Raises:
        ImpossibleObservationsError: No play shows these observations.
        NotFiniteError: The plays cannot be enumerated.
        InputError: The call does not return a generator, no hidden variable is declared, or the
            program is not in Python.

    Examples:
        >>> source = '''
        ... import random
        ... HIDDEN = "coin"
        ... def toss(n):
        ...     coin = random.choice(["fair", "two heads"])
        ...     for _ in range(n):
        ...         yield "heads" if coin == "two heads" else random.choice(["heads", "tails"])
        ... '''
        >>> known = belief(source, "toss(3)", observed=["heads"])
        >>> known.state.probabilities
        {"'two heads'": Fraction(2, 3), "'fair'": Fraction(1, 3)}
        >>> known.next_observation.probabilities
        {"'heads'": Fraction(5, 6), "'tails'": Fraction(1, 6)}
    """
    chosen = to_program(program, *arguments, call=call, stdin=stdin)
    if not chosen.is_python:
        raise InputError("only games in Python can be enumerated")
    with PythonRecorder(python=python, import_from=import_from) as recorder:
        return find_belief(
            chosen,
            [repr(each) for each in observed],
            recorder,
            hidden=hidden,
            max_executions=max_executions or MAX_EXECUTIONS,
        )
