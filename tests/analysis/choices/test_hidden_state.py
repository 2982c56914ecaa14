"""Beliefs over hidden states: exact, against formulas, and scores of stated probabilities."""

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline import belief, score_stated
from worldline.analysis.choices import (
    Belief,
    Distribution,
    ImpossibleObservationsError,
    NotFiniteError,
    Play,
    enumerate_plays,
    find_belief,
)
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.interfaces.cli.command_line import main
from worldline.languages.python.recorder import PythonRecorder

GAMES = Path(__file__).parents[3] / "examples" / "games"
COINS = str(GAMES / "coins.py")


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def known(recorder: PythonRecorder, call: str, *observed: object) -> Belief:
    """The belief in a game of the examples."""
    source = (GAMES / f"{call.partition('(')[0]}.py").read_text()
    return find_belief(Program(source, call), list(map(repr, observed)), recorder)


@pytest.mark.parametrize(("heads", "tails"), [(0, 0), (1, 0), (0, 2), (3, 1)])
def test_coins(recorder: PythonRecorder, heads: int, tails: int) -> None:
    result = known(recorder, "coins(5)", *["heads"] * heads, *["tails"] * tails)
    fair = Fraction(1, 2) ** (heads + tails) / 2
    biased = Fraction(3, 4) ** heads * Fraction(1, 4) ** tails / 2
    assert result.probability == fair + biased
    assert result.state.probabilities == {
        "'fair'": fair / (fair + biased),
        "'biased'": biased / (fair + biased),
    }
    expected = (fair / 2 + biased * 3 / 4) / (fair + biased)
    assert result.next_observation.probabilities["'heads'"] == expected


def test_kuhn_poker(recorder: PythonRecorder) -> None:
    call = "kuhn_poker(['pass', 'bet'])"
    # With a queen, a bet comes from a king, or from a third of the jacks.
    after_bet = known(recorder, call, "queen", "bet")
    assert after_bet.state.probabilities == {"'king'": Fraction(3, 4), "'jack'": Fraction(1, 4)}
    assert after_bet.next_observation.probabilities == {
        "'you lose'": Fraction(3, 4),
        "'you win'": Fraction(1, 4),
    }
    # A king always bets, so a pass shows a jack.
    after_pass = known(recorder, call, "queen", "pass")
    assert after_pass.state.probabilities == {"'jack'": Fraction(1)}
    over = known(recorder, call, "queen", "pass", "you win")
    assert over.next_observation.probabilities == {"end": Fraction(1)}


@pytest.mark.parametrize("failures", [0, 1, 2, 3])
def test_locked_door(recorder: PythonRecorder, failures: int) -> None:
    tries = [0, 0, 0, 1]
    result = known(recorder, f"locked_door(3, {tries})", *["stays locked"] * failures)
    jammed = Fraction(1, 4) ** failures
    assert result.state.probabilities["0"] == jammed / (jammed + 2)
    opens = result.state.probabilities[str(tries[failures])] * Fraction(3, 4)
    assert result.next_observation.probabilities["'opens'"] == opens


def test_a_state_that_changes() -> None:
    source = (
        "import random\n\nHIDDEN = ('place', 'heading')\n\ndef walk():\n"
        "    place, heading = 0, random.choice([-1, 1])\n    for _ in range(2):\n"
        "        place += heading\n        yield abs(place)\n"
    )
    first = belief(source, "walk()", observed=[1])
    assert first.hidden == ("place", "heading")
    assert set(first.state.probabilities) == {"(1, 1)", "(-1, -1)"}
    second = belief(source, "walk()", observed=[1, 2], hidden=["place"])
    assert second.state.probabilities == {"2": Fraction(1, 2), "-2": Fraction(1, 2)}
    assert second.next_observation.probabilities == {"end": Fraction(1)}


def test_a_game_without_an_end_and_one_that_raises(recorder: PythonRecorder) -> None:
    source = (
        "import random\n\ndef f():\n    while True:\n        x = random.randint(0, 1)\n"
        "        yield 1 // x\n    y = 1\n"
    )
    program = Program(source, "f()")
    result = find_belief(program, ["1", "1"], recorder, hidden=["x", "y"])
    error = "raises ZeroDivisionError: integer division or modulo by zero"
    assert result.next_observation.probabilities == {"1": Fraction(1, 2), error: Fraction(1, 2)}
    assert result.state.probabilities == {"(1, unset)": Fraction(1)}
    assert result.probability == Fraction(1, 4)
    with pytest.raises(NotFiniteError):
        enumerate_plays(program, recorder, hidden=["x"], max_executions=50)


def test_plays_add_up(recorder: PythonRecorder) -> None:
    source = (GAMES / "kuhn_poker.py").read_text()
    plays = enumerate_plays(Program(source, "kuhn_poker(['bet'])"), recorder)
    assert sum(play.probability for play in plays) == 1
    assert (
        Play(
            ("'jack'", "'bet'", "'you lose'", "end"),
            ("'king'", "'king'", "'king'", "end"),
            Fraction(1, 6),
        )
        in plays
    )


@pytest.mark.parametrize(
    ("source", "call", "observed", "message"),
    [
        ("HIDDEN = 'a'\ndef f():\n    return 3", "f()", [], "no generator"),
        ("HIDDEN = 'a'\ndef f():\n    yield 3", "f(1)", [], "cannot be played: TypeError"),
        ("def f():\n    yield 3", "f()", [], "declares no hidden variables"),
        ("HIDDEN = 3\ndef f():\n    yield 3", "f()", [], "declares no hidden variables"),
        ("HIDDEN = 'a'\ndef f():\n    yield 3", None, [], "needs a call"),
        (
            "HIDDEN = 'a'\ndef f():\n    a = 1\n    yield 3",
            "f()",
            [4],
            "observation 1 cannot be 4; it can be 3",
        ),
        ("HIDDEN = 'a'\ndef f(a=1):\n    yield 3", "f()", [3, 3], "cannot be 3; it can be end"),
        (
            "HIDDEN = 'a'\ndef f(n):\n    yield 3",
            "f(1)",
            [],
            "no variable a; f has the variables n",
        ),
    ],
)
def test_errors(source: str, call: str | None, observed: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        belief(source, call=call, observed=observed)
    assert isinstance(error.value, ImpossibleObservationsError) == bool(observed)


def test_scores_of_stated_probabilities() -> None:
    exact = Distribution({"1": Fraction(3, 4), "2": Fraction(1, 4)}, 4, is_exact=True)
    perfect = score_stated(exact, {"1": 0.75, "2": 0.25})
    assert (perfect.total_variation, perfect.impossible) == (0, 0)
    assert perfect.log_score == pytest.approx(perfect.best_log_score)
    assert perfect.best_log_score == pytest.approx(-0.811278, abs=1e-6)
    even = score_stated(exact, {"1": 0.5, "2": 0.5})
    assert (even.total_variation, even.log_score) == (0.25, -1.0)
    sure = score_stated(exact, {"1": 0.5, "3": 0.5})
    assert (sure.total_variation, sure.impossible) == (0.5, 0.5)
    assert sure.log_score == pytest.approx(-0.75 + 0.25 * math.log2(0.001))
    for wrong in ({"1": 0.5}, {"1": 1.5, "2": -0.5}, {"1": math.nan}):
        with pytest.raises(InputError, match="add up to 1"):
            score_stated(exact, wrong)


def test_command() -> None:
    command = ["belief", COINS, "--call", "coins(3)", "--observed", "'heads', 'heads'"]
    stated = ["--stated", "{'fair': 0.5, 'biased': 0.5}"]
    result = CliRunner().invoke(main, [*command, *stated])
    assert result.exit_code == 0, result.output
    assert "69.23%  9/13              'biased'" in result.output
    assert "67.31%  35/52             'heads'" in result.output
    assert "total variation 0.192" in result.output
    data = json.loads(CliRunner().invoke(main, [*command, "--format", "json"]).output)
    assert data["state"] == {"'biased'": [9, 13], "'fair'": [4, 13]}
    assert data["probability"] == [13, 32]
    result = CliRunner().invoke(
        main, ["belief", COINS, "--call", "coins(3)", "--observed", "heads"]
    )
    assert result.exit_code != 0
    assert "strings need quotes" in result.output
