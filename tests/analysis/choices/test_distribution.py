"""Distributions of results against exact formulas, and scores of predictions."""

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline import distribution
from worldline.analysis.choices import (
    Distribution,
    NotFiniteError,
    jensen_shannon,
    result_distribution,
    score_predictions,
    total_variation,
)
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.interfaces.cli.command_line import main
from worldline.languages.python.recorder import PythonRecorder


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def function(body: str) -> Program:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return Program(f"import random\n\ndef f():\n{lines}", "f()")


def exact(recorder: PythonRecorder, body: str) -> dict[str, Fraction]:
    return dict(result_distribution(function(body), recorder).probabilities)


@pytest.mark.parametrize("dice", [1, 2, 3])
def test_sums_of_dice(recorder: PythonRecorder, dice: int) -> None:
    result = exact(recorder, f"return sum(random.randint(1, 6) for _ in range({dice}))")
    sums = [sum(faces) for faces in product(range(1, 7), repeat=dice)]
    assert result == {str(n): Fraction(sums.count(n), 6**dice) for n in set(sums)}


@pytest.mark.parametrize(("kinds", "draws"), [(3, 4), (4, 5)])
def test_coupons(recorder: PythonRecorder, kinds: int, draws: int) -> None:
    body = f"return len({{random.randrange({kinds}) for _ in range({draws})}}) == {kinds}"
    complete = sum(
        (-1) ** missing * math.comb(kinds, missing) * Fraction(kinds - missing, kinds) ** draws
        for missing in range(kinds + 1)
    )
    assert exact(recorder, body)["True"] == complete


def test_birthdays(recorder: PythonRecorder) -> None:
    body = "days = random.choices(range(10), k=4)\nreturn len(set(days)) < 4"
    assert exact(recorder, body)["True"] == 1 - Fraction(math.perm(10, 4), 10**4)


def test_random_walk(recorder: PythonRecorder) -> None:
    body = "x = 0\nfor _ in range(8):\n    x += 1 if random.random() < 0.5 else -1\nreturn x"
    expected = {str(8 - 2 * down): Fraction(math.comb(8, down), 2**8) for down in range(9)}
    assert exact(recorder, body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return random.choice('aab')", {"'a'": Fraction(2, 3), "'b'": Fraction(1, 3)}),
        (
            "x = [1, 1, 2]\nrandom.shuffle(x)\nreturn x[0]",
            {"1": Fraction(2, 3), "2": Fraction(1, 3)},
        ),
        (
            "return random.choices('ab', [0.1, 0.3])[0]",
            {"'b'": Fraction(3, 4), "'a'": Fraction(1, 4)},
        ),
        (
            "return sum(random.sample(range(3), 2)) > 2",
            {"False": Fraction(2, 3), "True": Fraction(1, 3)},
        ),
        ("return random.getrandbits(2) == 3", {"False": Fraction(3, 4), "True": Fraction(1, 4)}),
        (
            "r = random.random()\nreturn 0 if r < 0.1 else 1 if r <= 0.4 else 2",
            {"2": Fraction(3, 5), "1": Fraction(3, 10), "0": Fraction(1, 10)},
        ),
        (
            "return 1 // random.randint(0, 1)",
            {
                "1": Fraction(1, 2),
                "raises ZeroDivisionError: integer division or modulo by zero": Fraction(1, 2),
            },
        ),
        ("return 3", {"3": Fraction(1)}),
    ],
)
def test_probabilities(recorder: PythonRecorder, body: str, expected: dict[str, Fraction]) -> None:
    assert exact(recorder, body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "return random.gauss(0, 1) > 0",
        "return int(random.random() * 2)",
        "return (random.random() - 0.5).hex() > ''",
        "import math\nreturn math.floor(math.sqrt(random.random()) * 2)",
        "return random.randint(1, 10**9) % 2",
        "n = 0\nwhile random.random() < 0.5:\n    n += 1\nreturn n",
        "return sum(random.randint(1, 6) for _ in range(20))",
    ],
)
def test_programs_that_cannot_be_enumerated(recorder: PythonRecorder, body: str) -> None:
    with pytest.raises(NotFiniteError, match="--draws"):
        result_distribution(function(body), recorder, max_executions=500)
    sampled = result_distribution(function(body), recorder, draws=50)
    assert sum(sampled.probabilities.values()) == 1


def test_draws_can_be_repeated_and_agree(recorder: PythonRecorder) -> None:
    program = function("return random.randint(1, 3) + random.Random().randint(0, 1)")
    first = result_distribution(program, recorder, draws=4000, seed=1)
    assert first == result_distribution(program, recorder, draws=4000, seed=1)
    assert first != result_distribution(program, recorder, draws=4000, seed=2)
    for text, probability in result_distribution(program, recorder).probabilities.items():
        deviation = math.sqrt(probability * (1 - probability) / 4000)
        assert abs(first.probabilities[text] - probability) < 5 * deviation


def test_states_at_a_step() -> None:
    source = (
        "import random\n\ndef f():\n    x = random.randint(1, 2)\n    y = x * 2\n    return y\n"
    )
    at_step = distribution(source, "f()", step=5)
    assert at_step.probabilities == {
        "line 6: x=1, y=2": Fraction(1, 2),
        "line 6: x=2, y=4": Fraction(1, 2),
    }
    with pytest.raises(InputError, match="omit"):
        distribution(source, "f()", step=5, draws=5)


def test_distances() -> None:
    assert total_variation([0.5, 0.5], [1.0, 0.0]) == 0.5
    assert jensen_shannon([1.0, 0.0], [0.0, 1.0]) == 1.0
    assert jensen_shannon([0.3, 0.7], [0.3, 0.7]) == 0.0
    fair = Distribution({"0": Fraction(1, 2), "1": Fraction(1, 2)}, 2, is_exact=True)
    good = score_predictions(fair, ["0", "1"] * 50)
    assert good.total_variation.value == 0.0
    assert good.log_score == good.best_log_score == -1.0
    biased = score_predictions(fair, ["0"] * 80 + ["1"] * 20)
    assert biased.total_variation.value == pytest.approx(0.3)
    assert biased.total_variation.value > biased.total_variation.chance
    assert biased.total_variation.low < 0.3 < biased.total_variation.high
    assert biased.log_score < -1
    wrong = score_predictions(fair, ["0", "2"])
    assert wrong.impossible == 1


def test_command(tmp_path: Path) -> None:
    code = "import random\n\ndef coin():\n    return random.choice('ht')\n"
    (tmp_path / "coin.py").write_text(code)
    row = {"code": code, "call": "coin()", "codec": "chat"}
    rows = [
        {**row, "id": str(n), "output": f"[ANSWER] {answer} [/ANSWER]"}
        for n, answer in enumerate(['"h"', "'t'", "'x'"])
    ]
    predictions = tmp_path / "p.jsonl"
    predictions.write_text("".join(json.dumps(each) + "\n" for each in rows))
    command = ["distribution", str(tmp_path / "coin.py"), "--call", "coin()"]
    result = CliRunner().invoke(main, [*command, "--predictions", str(predictions)])
    assert result.exit_code == 0, result.output
    assert "50.00%  1/2" in result.output
    assert "3 predictions, 1 impossible" in result.output
    data = json.loads(CliRunner().invoke(main, [*command, "--format", "json"]).output)
    assert data["probabilities"] == {"'h'": [1, 2], "'t'": [1, 2]}
