"""Benchmarks `chance` and `hidden`: exact distributions, and graded and compared answers."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from tests.interfaces.cli.commands import ok
from tests.support.recorded_answers import write_answers
from worldline.analysis.choices import outcomes_from_text, outcomes_to_text, result_distribution
from worldline.analysis.choices.distribution import Distribution
from worldline.core.errors import InputError
from worldline.core.util.seeded_random import SeededRandom
from worldline.evaluation.benchmarks.chance import chance
from worldline.evaluation.benchmarks.chance_programs import KINDS
from worldline.evaluation.benchmarks.hidden import hidden
from worldline.evaluation.metrics import measure_answer_distributions
from worldline.evaluation.runs import is_expected
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def expected(question: Question) -> dict[str, Fraction]:
    outcomes = outcomes_from_text(question.expected)
    assert outcomes is not None
    assert sum(outcomes.values()) == 1
    return dict(outcomes)


def shares(values: list[object]) -> dict[str, Fraction]:
    return {str(value): Fraction(n, len(values)) for value, n in Counter(values).items()}


def by_hand(question: Question) -> dict[str, Fraction]:
    """The distribution of a question's results, without execution of its program."""
    program = question.program
    arguments = [int(text) for text in program.call[2:-1].split(",")] if program.call else []
    match question.facets["kind"]:
        case "coupons":
            kinds, draws = arguments
            return shares([len(set(drawn)) for drawn in product(range(kinds), repeat=draws)])
        case "birthdays":
            people, days = arguments
            different = Fraction(math.perm(days, people), days**people)
            return {"False": different, "True": 1 - different}
        case _:
            number, sides = arguments
            bonus = int(program.source.rsplit("+", 1)[1])
            lowest = "remove" in program.source
            rolls = product(range(1, sides + 1), repeat=number)
            return shares([sum(each) - lowest * min(each) + bonus for each in rolls])


def test_chance_has_the_distributions_of_the_formulas() -> None:
    result = chance(kinds=["dice", "coupons", "birthdays"], per_kind=2, seed=3)
    assert len({question.program.hash for question in result.questions}) == 6
    for question in result.questions:
        assert expected(question) == by_hand(question), question.program.source
        assert question.facets["outcomes"] == len(expected(question))


def test_a_random_walk_is_binomial(recorder: PythonRecorder) -> None:
    programs = (KINDS["walk"](SeededRandom(seed)) for seed in range(100))
    program = next(each for each in programs if "max" not in each.source and "0.25" in each.source)
    assert program.call is not None
    steps = int(program.call[2:-1])
    up = Fraction(1, 4)
    assert result_distribution(program, recorder).probabilities == {
        str(2 * n - steps): math.comb(steps, n) * up**n * (1 - up) ** (steps - n)
        for n in range(steps + 1)
    }


@pytest.mark.parametrize("kind", KINDS)
def test_draws_are_among_the_outcomes(recorder: PythonRecorder, kind: str) -> None:
    program = KINDS[kind](SeededRandom("draws", kind))
    exact = result_distribution(program, recorder)
    sampled = result_distribution(program, recorder, draws=300, seed=1)
    assert sampled.probabilities.keys() <= exact.probabilities.keys()
    assert exact.executions <= 5_000


def test_hidden_agrees_with_the_executions_of_its_programs(recorder: PythonRecorder) -> None:
    result = hidden(per_game=1, seed=2)
    assert [question.facets["ask"] for question in result.questions] == ["next", "belief"] * 3
    for question in result.questions:
        all_plays = result_distribution(question.program, recorder).probabilities
        kept = {text: p for text, p in all_plays.items() if not text.startswith("raises ")}
        total = sum(kept.values())
        assert expected(question) == {text: p / total for text, p in kept.items()}


def test_a_seed_gives_the_same_questions() -> None:
    first = chance(kinds=["urn"], per_kind=2, seed=1)
    assert first.hash == chance(kinds=["urn"], per_kind=2, seed=1).hash
    assert first.hash != chance(kinds=["urn"], per_kind=2, seed=2).hash
    few = chance(kinds=["birthdays"], per_kind=8)
    assert (len(few.questions), len(few.skipped)) == (6, 2)


def test_wrong_options() -> None:
    cases: tuple[tuple[str, Callable[[], object]], ...] = (
        ("kinds=darts must be", lambda: chance(kinds=["darts"])),
        ("per_kind=0 is too few", lambda: chance(per_kind=0)),
        ("games=go must be", lambda: hidden(games=["go"])),
        ("asks= must be", lambda: hidden(asks=[])),
        ("per_game=0 is too few", lambda: hidden(per_game=0)),
    )
    for message, create in cases:
        with pytest.raises(InputError, match=message):
            create()


def test_every_outcome_is_correct() -> None:
    exact = Distribution({"'a'": Fraction(1, 3), "2": Fraction(2, 3)}, 3, is_exact=True)
    text = outcomes_to_text(exact)
    assert outcomes_from_text(text) == exact.probabilities
    question = Question("q", chance(kinds=["dice"], per_kind=1).questions[0].program, text)
    assert [is_expected(question, answer) for answer in ('"a"', "2.0", "3")] == [True, True, False]
    for other in ("one of them", "'x'", 'one of {"a": "1/0"}', 'one of {"a": Infinity}'):
        assert outcomes_from_text(other) is None


def test_answers_are_compared_with_distributions() -> None:
    text = 'one of {"1": "1/2", "2": "1/2"}'
    fair = [("a", str(1 + n % 2), text) for n in range(40)]
    biased = [("b", "1.0", text)] * 39 + [("b", "7", text), ("b", None, text)]
    result = measure_answer_distributions([*fair, *biased, ("c", "1", "1"), ("c", "1", "1")])
    assert result is not None
    assert (result.questions, result.impossible.correct, result.impossible.of) == (2, 1, 80)
    assert result.total_variation == pytest.approx(0.25)
    assert result.beyond_chance.correct == 1
    assert result.log_score < result.best_log_score == -1
    assert measure_answer_distributions([("a", "1", text)]) is None


@pytest.mark.parametrize("name", ["chance", "hidden"])
def test_bench_grades_and_compares(name: str, tmp_path: Path) -> None:
    options = {"chance": ["kinds=birthdays", "per_kind=1"], "hidden": ["games=coins", "per_game=1"]}
    benchmark = {
        "chance": chance(kinds=["birthdays"], per_kind=1),
        "hidden": hidden(games=["coins"], per_game=1),
    }[name]
    answers = tmp_path / "answers.jsonl"
    likely = [next(iter(expected(question))) for question in benchmark.questions]
    write_answers(
        answers,
        [
            (question, [[0], *[each] * 3])
            for question, each in zip(benchmark.questions, likely, strict=True)
        ],
    )
    command = ["bench", name, *(f"--set={each}" for each in options[name])]
    command += ["--engine", f"recorded:{answers}", "--codec", "chat", "--temperature", "1"]
    printed = ok(*command, "--repeats", "4", "-o", str(tmp_path / "run"), "--format", "json")
    report = json.loads(printed.stdout)
    count = len(benchmark.questions)
    assert report["accuracy"]["of_all"]["correct"] == 3 * count
    assert report["distributions"]["questions"] == count
    assert report["distributions"]["impossible"]["correct"] == count
    shown = ok("report", str(tmp_path / "run")).stdout
    assert f"impossible answers {count} of {4 * count}: 25.0%" in shown
