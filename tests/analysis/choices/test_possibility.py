"""Predictions of programs with choices: possible, impossible at a step, or undecided."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.support.chance_programs import chance_program
from worldline import diagnose
from worldline.analysis.choices import Possibility, find_possibility
from worldline.core.trace import Limits, Program, Step, Trace
from worldline.interfaces.report import fact_texts
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import Prediction, make_prediction

CODEC = get_codec("cwm")


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def function(body: str) -> Program:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return Program(f"import random, time\n\ndef f():\n{lines}", "f()")


def predicted(trace: Trace) -> Prediction:
    """A prediction of exactly this trace."""
    return make_prediction("a", trace.program, "".join(CODEC.encode(trace)), CODEC)


def edited(trace: Trace, variable: str, value: str) -> Trace:
    """The trace with another value of a variable from its first change on."""
    steps: list[Step] = []
    for step in trace.steps:
        changed = dict(step.changed)
        if variable in changed:
            changed[variable] = value
        steps.append(replace(step, changed=changed))
    return replace(trace, steps=tuple(steps))


def check(recorder: PythonRecorder, body: str, variable: str, value: str) -> Possibility:
    """Whether an execution is possible in which a variable has this value."""
    trace = recorder.record(function(body))
    return find_possibility(predicted(edited(trace, variable, value)), recorder)


@pytest.mark.parametrize(
    ("statement", "value", "outcome"),
    [
        ("x = random.randint(1, 6)", "6", "possible"),
        ("x = random.randint(1, 6)", "7", "impossible"),
        ("x = random.randint(1, 10**15)", "123456789", "possible"),
        ("x = random.randint(1, 10**15)", "0", "impossible"),
        ("x = random.randrange(0, 10, 5)", "5", "possible"),
        ("x = random.randrange(0, 10, 5)", "4", "impossible"),
        ("x = random.random()", "0.125", "possible"),
        ("x = random.random()", "1.5", "impossible"),
        ("x = random.uniform(1, 2)", "1.75", "possible"),
        ("x = random.uniform(1, 2)", "2.75", "impossible"),
        ("x = random.gauss(0, 1)", "-3.5", "possible"),
        ("x = random.choice(['a', 'b'])", "'b'", "possible"),
        ("x = random.choice(['a', 'b'])", "'c'", "impossible"),
        ("x = random.sample(range(30), 3)", "[29, 0, 7]", "possible"),
        ("x = random.sample(range(30), 3)", "[29, 0, 0]", "impossible"),
        ("x = random.choices('ab', [1, 0], k=2)", "['a', 'a']", "possible"),
        ("x = random.choices('ab', [1, 0], k=2)", "['a', 'b']", "impossible"),
        ("x = random.randint(1, 6) + random.randint(1, 6)", "12", "possible"),
        ("x = random.randint(1, 6) + random.randint(1, 6)", "13", "impossible"),
        ("x = random.random() < 0.001", "True", "possible"),
        ("x = 0.2 <= random.random() <= 0.4", "True", "possible"),
        ("x = random.random() < 2", "False", "impossible"),
        ("x = time.time()", "12.5", "possible"),
        ("x = 4", "5", "impossible"),
    ],
)
def test_one_value(recorder: PythonRecorder, statement: str, value: str, outcome: str) -> None:
    result = check(recorder, f"{statement}\nreturn 0", "x", value)
    assert result.outcome == outcome, result
    if outcome == "possible":
        assert list(result.trace.states())[-2]["x"] == value
    else:
        # The step after the assignment is the first that shows the value.
        assert result.step == 4
        assert result.trace.steps[4].changed.keys() == {"x"}


def test_a_large_list_is_shuffled_as_predicted(recorder: PythonRecorder) -> None:
    body = "x = list(range(12))\nrandom.shuffle(x)\nreturn 0"
    trace = recorder.record(function(body))
    other = recorder.record(function(body))
    assert other.steps != trace.steps
    assert find_possibility(predicted(other), recorder).outcome == "possible"
    steps = [
        replace(step, changed={"x": "[0, 0]"}) if number == 5 else step
        for number, step in enumerate(trace.steps)
    ]
    result = find_possibility(predicted(replace(trace, steps=tuple(steps))), recorder)
    assert (result.outcome, result.step) == ("impossible", 5)


def test_values_that_cannot_be_inverted_are_undecided(recorder: PythonRecorder) -> None:
    result = check(recorder, "x = random.random() * 2\nreturn 0", "x", "1.25")
    assert result.outcome == "undecided"
    result = check(recorder, "x = hash(random.randint(0, 10**9)) % 3\nreturn 0", "x", "7")
    assert result.outcome == "undecided"


def test_the_number_of_executions_is_limited(recorder: PythonRecorder) -> None:
    body = "x = sum([random.randint(0, 9) for i in range(6)])\nreturn 0"
    trace = edited(recorder.record(function(body)), "x", "99")
    result = find_possibility(predicted(trace), recorder, max_executions=5)
    assert (result.outcome, result.executions) == ("undecided", 5)
    assert "not all values" in result.reason


def test_thresholds_behind_a_threshold(recorder: PythonRecorder) -> None:
    body = "r = 0\nif random.random() < 0.3: r = 1\nelif random.random() < 0.1: r = 2\nreturn r"
    for value in ("0", "1", "2"):
        program = function(body)
        answer = make_prediction("a", program, f"[ANSWER] {value} [/ANSWER]", get_codec("chat"))
        assert find_possibility(answer, recorder).outcome == "possible"
    answer = make_prediction("a", function(body), "[ANSWER] 3 [/ANSWER]", get_codec("chat"))
    result = find_possibility(answer, recorder)
    assert (result.outcome, result.step) == ("impossible", None)


def test_one_number_with_two_thresholds(recorder: PythonRecorder) -> None:
    body = "r = random.random()\nif r < 0.3: x = 1\nelif r < 0.6: x = 2\nelse: x = 3\nreturn x"
    for value, outcome in (("1", "possible"), ("2", "possible"), ("3", "possible")):
        answer = make_prediction(
            "a", function(body), f"[ANSWER] {value} [/ANSWER]", get_codec("chat")
        )
        assert find_possibility(answer, recorder).outcome == outcome


def test_diagnosis_of_a_program_with_choices() -> None:
    source = "import random\n\ndef f():\n    x = random.randint(1, 6)\n    return x + 1\n"
    right = diagnose(source, "f()", "[ANSWER] 7 [/ANSWER]", codec="chat")
    assert right.diagnosis.facts.outcome == "correct"
    assert right.possibility is not None
    assert right.possibility.outcome == "possible"
    assert right.actual.result == "7"
    assert dict(fact_texts(right))["choices"] == "random.randint(1, 6) = 6 (step 3)"
    wrong = diagnose(source, "f()", "[ANSWER] 8 [/ANSWER]", codec="chat")
    assert wrong.diagnosis.facts.outcome == "diverged"
    assert wrong.possibility is not None
    assert wrong.possibility.outcome == "impossible"
    assert wrong.diagnosis.facts.note.startswith("impossible: ")
    without = diagnose("def f():\n    return 1\n", "f()", "[ANSWER] 1 [/ANSWER]", codec="chat")
    assert without.possibility is None
    assert without.diagnosis.facts.note == ""


@pytest.mark.parametrize("seed", random.Random(1).sample(range(100_000), 20))
def test_other_executions_are_possible(recorder: PythonRecorder, seed: int) -> None:
    trace = recorder.record(chance_program(seed))
    result = find_possibility(predicted(trace), recorder)
    assert result.outcome == "possible", trace.program.source
    assert result.trace.steps == trace.steps


def test_steps_beyond_a_limit_are_undecided(recorder: PythonRecorder) -> None:
    trace = recorder.record(function("x = random.randint(1, 2)\ny = x + 1\nz = y + 1\nreturn z"))
    limits = Limits(steps=5)
    assert find_possibility(predicted(trace), recorder, limits=limits).outcome == "undecided"
    assert find_possibility(predicted(trace), recorder).outcome == "possible"
