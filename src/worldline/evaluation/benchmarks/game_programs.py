"""Games of the benchmark `hidden`: source text and call, from a seeded generator."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from worldline.core.util.seeded_random import SeededRandom


@dataclass(frozen=True, slots=True)
class GameProgram:
    """A game: its source, the call that plays it, and its hidden variable."""

    source: str
    call: str
    hidden: str


def coins(rng: SeededRandom) -> GameProgram:
    """One of some coins is tossed; which one cannot be seen."""
    chances = rng.shuffled([1, 2, 3, 4])[: rng.between(2, 3)]
    tosses = rng.between(3, 4)
    lines = [
        "def coins(n):",
        f"    coin = random.choice({chances})",
        "    for _ in range(n):",
        "        yield random.choices(['heads', 'tails'], [coin, 5 - coin])[0]",
    ]
    return _game(lines, f"coins({tosses})", "coin")


def kuhn_poker(rng: SeededRandom) -> GameProgram:
    """Kuhn poker against an opponent with a fixed strategy."""
    bluff, call = rng.between(1, 3), rng.between(1, 3)
    moves = rng.pick([["pass", "bet"], ["pass", "pass"], ["bet"]])
    lines = [
        "# The weights with which the opponent bets or passes, by its card.",
        f"AFTER_PASS = {{'jack': [1, {bluff}], 'queen': [0, 1], 'king': [1, 0]}}",
        f"AFTER_BET = {{'jack': [0, 1], 'queen': [1, {call}], 'king': [1, 0]}}",
        "ORDER = ['jack', 'queen', 'king']",
        "",
        "",
        "def kuhn_poker(moves):",
        "    mine, card = random.sample(ORDER, 2)",
        "    yield mine",
        "    weights = AFTER_PASS[card] if moves[0] == 'pass' else AFTER_BET[card]",
        "    answer = random.choices(['bet', 'pass'], weights)[0]",
        "    yield answer",
        "    if answer == 'bet' and moves[-1] == 'pass':",
        "        yield 'you fold'",
        "    elif answer == 'pass' and moves[0] == 'bet':",
        "        yield 'the opponent folds'",
        "    else:",
        "        yield 'you win' if ORDER.index(mine) > ORDER.index(card) else 'you lose'",
    ]
    return _game(lines, f"kuhn_poker({moves})", "card")


def locked_door(rng: SeededRandom) -> GameProgram:
    """One of some keys opens a door whose lock jams."""
    keys, jams = rng.between(2, 4), rng.pick([0.1, 0.25, 0.5])
    tries = [rng.below(keys) for _ in range(rng.between(3, 5))]
    lines = [
        "def locked_door(keys, tries):",
        "    key = random.randrange(keys)",
        "    for tried in tries:",
        f"        is_jammed = random.random() < {jams}",
        "        if tried == key and not is_jammed:",
        "            yield 'opens'",
        "            return",
        "        yield 'stays locked'",
    ]
    return _game(lines, f"locked_door({keys}, {tries})", "key")


GAMES: Mapping[str, Callable[[SeededRandom], GameProgram]] = {
    function.__name__: function for function in (coins, kuhn_poker, locked_door)
}


def _game(lines: list[str], call: str, hidden: str) -> GameProgram:
    return GameProgram("\n".join(["import random", "", "", *lines, ""]), call, hidden)
