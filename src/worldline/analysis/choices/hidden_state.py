"""Hidden state of a game: its exact belief after observations, and the next observation.

A game is a generator function that yields what an observer sees. Its local variables are hidden;
`HIDDEN = "coin"` in the module, or `HIDDEN = ("card", "coin")`, names those that a belief is about.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from worldline.analysis.choices.choice_tree import (
    MAX_EXECUTIONS,
    Leaf,
    ResultRecorder,
    enumerate_executions,
)
from worldline.analysis.choices.distribution import Distribution, make_distribution
from worldline.core.errors import InputError
from worldline.core.trace import Limits, Program, parse_source
from worldline.languages.python.recorder import parse_literal

# What follows the last observation, in place of another one.
END = "end"
_DECLARATION = "HIDDEN"
_LIMITS = Limits(seconds=60.0, cpu_seconds=60, value_chars=1_000_000)
# Appended to the program. It stops where another observation shows that the play does not count.
_DRIVER = """

def _worldline_play(game, names, observed):
    if not hasattr(game, "gi_frame"):
        return None
    code = game.gi_frame.f_code
    known = (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
    missing = [name for name in names if name not in known]
    if missing:
        return f"{missing[0]}; {code.co_name} has the variables {', '.join(known)}"
    shown, ending = [], "end"
    try:
        for value in game:
            variables = game.gi_frame.f_locals
            state = [repr(variables[name]) if name in variables else "unset" for name in names]
            shown.append((repr(value), state))
            number = len(shown)
            if observed is not None:
                if number > len(observed) or repr(value) != observed[number - 1]:
                    break
    except Exception as error:
        ending = f"raises {type(error).__name__}: {error}"
    return shown, ending
"""


class ImpossibleObservationsError(InputError):
    """No play of the game shows these observations."""


@dataclass(frozen=True, slots=True)
class Play:
    """One execution of a game.

    Attributes:
        observations: What it yields, as text; the last one is "end", or "raises …".
        states: The hidden state at each observation, as text; that of the end is "end".
        probability: Its probability.
    """

    observations: tuple[str, ...]
    states: tuple[str, ...]
    probability: Fraction


@dataclass(frozen=True, slots=True)
class Belief:
    """What an observer knows after some observations.

    Attributes:
        hidden: The names of the hidden variables.
        state: The distribution of their values at the last observation; without observations, at
            the first. Of several variables, the value is a tuple.
        next_observation: The distribution of the next observation; "end" if the game is over.
        probability: The probability of the observations.
    """

    hidden: tuple[str, ...]
    state: Distribution
    next_observation: Distribution
    probability: Fraction

    def __repr__(self) -> str:
        return f"Belief({', '.join(self.hidden)}: {self.state!r}, probability {self.probability})"


def find_belief(
    program: Program,
    observed: Sequence[str],
    recorder: ResultRecorder,
    *,
    hidden: Sequence[str] | None = None,
    max_executions: int = MAX_EXECUTIONS,
) -> Belief:
    """The exact belief after observations, by enumeration of the plays that agree with them.

    Args:
        program: The program; its call is one of a generator function.
        observed: The observations so far, each as `repr` writes it.
        recorder: Executes the program.
        hidden: The names of the hidden variables; by default, those that the program declares.
        max_executions: Maximum number of plays.

    Raises:
        ImpossibleObservationsError: No play shows these observations.
        NotFiniteError: The plays cannot be enumerated.
        InputError: The call does not return a generator, or no hidden variable is declared, or it
            has no such variable.
    """
    names = tuple(hidden or declared_hidden(program))
    plays = enumerate_plays(
        program, recorder, hidden=names, observed=observed, max_executions=max_executions
    )
    return belief_after(plays, observed, hidden=names)


def belief_after(
    plays: Sequence[Play], observed: Sequence[str], *, hidden: tuple[str, ...]
) -> Belief:
    """The belief after observations, from all plays that agree with them.

    Args:
        plays: The plays, from `enumerate_plays`.
        observed: The observations so far.
        hidden: The names of the hidden variables.

    Raises:
        ImpossibleObservationsError: No play shows these observations.
    """
    count = len(observed)
    agreeing = [
        play
        for play in plays
        if play.observations[:count] == tuple(observed) and len(play.observations) > count
    ]
    if not agreeing:
        raise _impossible(plays, observed)
    total = sum((play.probability for play in agreeing), start=Fraction(0))
    last = max(0, count - 1)
    state, following = (
        make_distribution(
            [(text, play.probability / total) for text, play in zip(texts, agreeing, strict=True)],
            executions=len(agreeing),
            is_exact=True,
        )
        for texts in (
            [play.states[last] for play in agreeing],
            [play.observations[count] for play in agreeing],
        )
    )
    return Belief(hidden, state, following, total)


def enumerate_plays(
    program: Program,
    recorder: ResultRecorder,
    *,
    hidden: Sequence[str] | None = None,
    observed: Sequence[str] | None = None,
    max_executions: int = MAX_EXECUTIONS,
) -> list[Play]:
    """All plays of a game.

    Args:
        program: The program; its call is one of a generator function.
        recorder: Executes the program.
        hidden: The names of the hidden variables; by default, those that the program declares.
        observed: A play stops at the first observation that differs from these, and at the one
            after them. By default, every play is executed to its end.
        max_executions: Maximum number of plays.
    """
    names = tuple(hidden or declared_hidden(program))
    parts = program.split_entry()
    if parts is None:
        raise InputError("a game needs a call of a generator function; give --call 'game()'")
    source, call = parts
    arguments = f"{names!r}, {None if observed is None else list(observed)!r}"
    driven = replace(
        program, source=source.rstrip() + _DRIVER, call=f"_worldline_play({call}, {arguments})"
    )
    leaves = enumerate_executions(driven, recorder, max_executions=max_executions, limits=_LIMITS)
    return [_play(leaf, call) for leaf in leaves]


def declared_hidden(program: Program) -> tuple[str, ...]:
    """The names of the hidden variables that a program declares.

    'HIDDEN = "coin"' -> ("coin",)

    Raises:
        InputError: It declares none.
    """
    tree = parse_source(program.source)
    for node in [] if tree is None else tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == _DECLARATION:
                items = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
                names = [item.value for item in items if isinstance(item, ast.Constant)]
                if names and len(names) == len(items) and all(type(n) is str for n in names):
                    return tuple(map(str, names))
    raise InputError(
        f'the program declares no hidden variables; write {_DECLARATION} = "name" in it, or give '
        "--hidden name"
    )


def _play(leaf: Leaf, call: str) -> Play:
    if leaf.execution.ending != "finished":
        raise InputError(f"{call} cannot be played: {leaf.execution.result}")
    played = parse_literal(leaf.execution.result)
    if played is None:
        raise InputError(f"{call} returns no generator; a game is a function that yields")
    if isinstance(played, str):
        raise InputError(f"the game has no variable {played}")
    shown, ending = played
    states = [state[0] if len(state) == 1 else f"({', '.join(state)})" for _, state in shown]
    return Play((*(text for text, _ in shown), ending), (*states, END), leaf.probability)


def _impossible(plays: Sequence[Play], observed: Sequence[str]) -> ImpossibleObservationsError:
    """The error that names the first observation that no play shows."""
    agreeing = list(plays)
    for number, text in enumerate(observed):
        agreeing = [play for play in agreeing if len(play.observations) > number]
        if not agreeing:
            break
        possible = sorted({play.observations[number] for play in agreeing})
        agreeing = [play for play in agreeing if play.observations[number] == text]
        if not agreeing or text == END:
            return ImpossibleObservationsError(
                f"observation {number + 1} cannot be {text}; it can be {', '.join(possible[:10])}"
            )
    return ImpossibleObservationsError("the game ends before the last observation")
