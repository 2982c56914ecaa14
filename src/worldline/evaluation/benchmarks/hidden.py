"""Hidden benchmark: games of which a player sees only a part.

A question asks for the next observation, or for the hidden variable, after some observations. It
is a program that plays the game and asserts the observations: only the executions count in which
the assertion holds. An answer is correct if one of them returns it. With repeats, the answers are
compared with the exact distribution: their shares are the belief of the model.
"""

from collections.abc import Sequence

from worldline.analysis.choices import (
    END,
    Belief,
    Play,
    belief_after,
    enumerate_plays,
    outcomes_to_text,
)
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.evaluation.benchmarks.benchmark import Benchmark, BenchmarkOptions
from worldline.evaluation.benchmarks.game_programs import GAMES, GameProgram
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question

ASKS = ("next", "belief")
_QUESTIONS = {
    "next": """

def next_observation(seen):
    shown = list({call})
    # Only the plays with these observations count.
    assert shown[:len(seen)] == seen
    return shown[len(seen)]
""",
    "belief": """

def hidden_state(seen):
    game = {call}
    # Only the plays with these observations count.
    assert [next(game) for _ in seen] == seen
    return game.gi_frame.f_locals[{hidden!r}]
""",
}
_CALLS = {"next": "next_observation", "belief": "hidden_state"}


def hidden(
    *,
    games: Sequence[str] = tuple(GAMES),
    per_game: int = 5,
    asks: Sequence[str] = ASKS,
    seed: int = 0,
) -> Benchmark:
    """Games with hidden state: the next observation, and the belief over the hidden variable.

    The distributions are found by executing all plays of each game. Ask with --repeats to compare
    the answers with them.

    Args:
        games: Names of the games.
        per_game: Games of each name, with different parameters and observations.
        asks: "next" for the next observation, "belief" for the hidden variable.
        seed: Seed of the random choices.
    """
    for name, values, known in (("games", games, tuple(GAMES)), ("asks", asks, ASKS)):
        if not values or not set(values) <= set(known) or len(set(values)) < len(values):
            raise InputError(
                f"hidden: {name}={','.join(values)} must be one or more different ones of "
                f"{', '.join(known)}"
            )
    if per_game < 1:
        raise InputError(f"hidden: per_game={per_game} is too few; give per_game=1 or more")
    with PythonRecorder() as recorder:
        questions = tuple(
            question
            for game in games
            for number in range(per_game)
            for question in _questions(game, number, asks, seed, recorder)
        )
    options: BenchmarkOptions = {
        "games": list(games),
        "per_game": per_game,
        "asks": list(asks),
        "seed": seed,
    }
    return Benchmark("hidden", questions, options)


def _questions(
    name: str, number: int, asks: Sequence[str], seed: int, recorder: PythonRecorder
) -> list[Question]:
    """The questions about one play of one game."""
    rng = SeededRandom("hidden", seed, name, number)
    game = GAMES[name](rng)
    plays = enumerate_plays(Program(game.source, game.call), recorder, hidden=[game.hidden])
    seen, belief = rng.pick(_positions(plays, game))
    return [_question(f"{name}_n{number}_{ask}", ask, name, game, seen, belief) for ask in asks]


def _positions(plays: Sequence[Play], game: GameProgram) -> list[tuple[tuple[str, ...], Belief]]:
    """Observations after which one hidden state is more probable than another.

    The game continues after them for certain.
    """
    beliefs = {
        seen: belief_after(plays, seen, hidden=(game.hidden,))
        for play in plays
        for seen in (play.observations[:n] for n in range(1, len(play.observations) - 1))
    }
    return [
        (seen, belief)
        for seen, belief in beliefs.items()
        if len(set(belief.state.probabilities.values())) > 1
        and END not in belief.next_observation.probabilities
    ]


def _question(
    id: str, ask: str, name: str, game: GameProgram, seen: tuple[str, ...], belief: Belief
) -> Question:
    text = _QUESTIONS[ask].format(call=game.call, hidden=game.hidden)
    call = f"{_CALLS[ask]}([{', '.join(seen)}])"
    exact = belief.next_observation if ask == "next" else belief.state
    facets: dict[str, str | int] = {"game": name, "ask": ask, "observations": len(seen)}
    program = Program(game.source + text, call)
    return Question(id, program, outcomes_to_text(exact), facets)
