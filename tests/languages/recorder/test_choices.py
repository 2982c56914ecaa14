"""Choices of programs: which values are recorded, and that replaying them gives the same trace."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.pythons import find_python
from worldline import PythonRecorder, record, replay
from worldline.core.trace import Choice, Program, Trace, difference, trace_from_json, trace_to_json
from worldline.evaluation.store import StoredTrace, row_to_trace, trace_to_row
from worldline.interfaces.cli.command_line import main

SOURCES = {
    "randint": ("random.randint(1, 6)", "random.randint(1, 6)", "range(1, 7)"),
    "randrange": ("random.randrange(0, 10, 3)", "random.randrange(0, 10, 3)", "range(0, 10, 3)"),
    "choice": ("random.choice('abc')", "random.choice('abc')", "range(0, 3)"),
    "sample": ("random.sample([1, 2, 3], 2)", "random.sample([1, 2, 3], 2)", "samples(3, 2)"),
    "weights": ("random.choices('ab', [1, 3], k=2)", None, "weights([1, 3], 2)"),
    "cumulative": ("random.choices('ab', cum_weights=[1, 4])", None, "weights([1, 3], 1)"),
    "random": ("random.random()", "random.random()", "unit"),
    "uniform": ("random.uniform(2, 1)", "random.uniform(2, 1)", "interval(1, 2)"),
    "gauss": ("random.gauss(0, 1)", "random.gauss(0, 1)", ""),
    "bits": ("random.getrandbits(8)", "random.getrandbits(8)", "bits(8)"),
    "bytes": ("random.randbytes(3)", "random.randbytes(3)", ""),
    "unseeded": ("random.Random().randint(1, 9)", "random.randint(1, 9)", "range(1, 10)"),
    "system": ("random.SystemRandom().randint(1, 9)", "random.randint(1, 9)", "range(1, 10)"),
    "secrets": ("secrets.randbelow(5)", "secrets.randbelow(5)", "range(0, 5)"),
    "token": ("secrets.token_hex(2)", "random.randbytes(2)", ""),
    "uuid": ("str(uuid.uuid4())", "uuid.uuid4()", ""),
    "urandom": ("os.urandom(2)", "os.urandom(2)", ""),
    "time": ("time.time()", "time.time()", "clock"),
    "nanoseconds": ("time.perf_counter_ns()", "time.perf_counter_ns()", "clock"),
    "localtime": ("time.localtime()[:6]", "time.localtime()", "clock"),
    "now": ("datetime.datetime.now()", "datetime.datetime.now()", "clock"),
    "today": ("datetime.date.today()", "datetime.date.today()", "clock"),
    "temporary": ("tempfile.mktemp(dir='/')", "random.choices", None),
}
IMPORTS = "import datetime, os, random, secrets, tempfile, time, uuid\n"


def function(body: str, imports: str = IMPORTS) -> Program:
    """A program whose function has this body."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return Program(f"{imports}\ndef f():\n{lines}", "f()")


@pytest.fixture(scope="module")
def recorder() -> PythonRecorder:
    return PythonRecorder()


def replayed(recorder: PythonRecorder, trace: Trace) -> Trace:
    return recorder.record_choosing(trace.program, trace.choices)[0]


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_one_choice_and_is_replayed(recorder: PythonRecorder, name: str) -> None:
    expression, called, domain = SOURCES[name]
    trace = recorder.record(function(f"x = {expression}\nreturn x"))
    assert trace.ending.reason == "finished", trace.ending
    (choice,) = trace.choices
    assert called is None or choice.expression.startswith(called)
    assert domain is None or choice.domain == domain
    assert trace.program.line(choice.line) == f"    x = {expression}"
    assert choice.step is not None
    assert trace.steps[choice.step].line == choice.line
    assert replayed(recorder, trace) == trace


@pytest.mark.parametrize(
    "body",
    [
        "return random.Random(3).random()",
        "random.seed(4)\nreturn random.random(), random.choice('abc')",
        "r = random.Random()\nr.seed('a')\nreturn r.sample(range(9), 3)",
        "return random.Random(1).choices([1, 2], k=9)",
        "return datetime.datetime(2020, 1, 1) + datetime.timedelta(1)",
        "return time.gmtime(0)[:3]",
    ],
)
def test_a_seeded_generator_has_no_choices(recorder: PythonRecorder, body: str) -> None:
    trace = recorder.record(function(body))
    assert trace.ending.reason == "finished"
    assert trace.choices == ()
    assert difference(trace, recorder.record(trace.program)) == ""


def test_a_generator_without_a_seed_is_a_choice_again(recorder: PythonRecorder) -> None:
    trace = recorder.record(function("random.seed(4)\nrandom.seed()\nreturn random.random()"))
    assert [choice.name for choice in trace.choices] == ["random.random"]


def test_the_state_of_a_generator_is_replayed(recorder: PythonRecorder) -> None:
    body = (
        "s = random.getstate()\na = random.random()\nrandom.setstate(s)\nreturn a, random.random()"
    )
    trace = recorder.record(function(body))
    first, second = trace.result.strip("()").split(", ") if trace.result else ("", "-")
    assert first == second
    assert replayed(recorder, trace) == trace


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("random.randint(2, 1)", "ValueError"),
        ("random.choice([])", "IndexError"),
        ("random.sample([1], 2)", "ValueError"),
        ("random.choices([1], [0])", "ValueError"),
        ("random.randrange(1, 2, 0)", "ValueError"),
        ("random.randint('a', 'b')", "TypeError"),
    ],
)
def test_errors_are_those_of_python(recorder: PythonRecorder, body: str, error: str) -> None:
    trace = recorder.record(function(body))
    assert trace.ending.reason == "raised"
    assert trace.ending.detail.startswith(error)


def test_replaced_functions_look_like_the_original(recorder: PythonRecorder) -> None:
    body = (
        "a = random.randint\nb = random.random\nc = time.time\nd = random.Random.randint\nreturn 0"
    )
    state = list(recorder.record(function(body)).states())[-2]
    assert state["a"] == "<bound method Random.randint of <random.Random object>>"
    assert state["b"] == "<built-in method random of Random object>"
    assert state["c"] == "<built-in function time>"
    assert state["d"] == "<function Random.randint>"


def test_a_generator_of_the_program_is_its_own_code(recorder: PythonRecorder) -> None:
    body = """
class Fixed(random.Random):
    def random(self):
        return 0.25
class Same(random.Random):
    pass
return Fixed().uniform(0, 4), Same().randint(1, 6)"""
    trace = recorder.record(function(body))
    assert trace.result is not None
    assert trace.result.startswith("(1.0, ")
    # The bits of the second one are choices; a step of the first one's method is in the trace.
    assert {choice.name for choice in trace.choices} == {"random.getrandbits"}
    assert any(scope.function.endswith("Fixed.random") for scope in trace.scopes)
    assert replayed(recorder, trace) == trace


def test_a_program_that_replaces_random_itself(recorder: PythonRecorder) -> None:
    trace = recorder.record(function("random.random = lambda: 0.5\nreturn random.random()"))
    assert trace.result == "0.5"
    assert trace.choices == ()


def test_items_are_chosen_by_position(recorder: PythonRecorder) -> None:
    body = "a, b = [], []\nc = random.choice([a, b])\nc.append(1)\nreturn a, b"
    program = function(body)
    trace = recorder.record(program)
    (choice,) = trace.choices
    results = []
    for value in ("0", "1"):
        one = Choice(choice.name, choice.arguments, value, choice.domain, choice.line)
        results.append(recorder.record_choosing(program, [one])[0].result)
    assert results == ["([1], [])", "([], [1])"]


def test_other_choices_than_the_given_ones_are_noted(recorder: PythonRecorder) -> None:
    program = function("return random.randint(1, 6)")
    trace, _ = recorder.record_choosing(program, [Choice("random.random", "", "0.5", "unit", 0)])
    assert len(trace.choices) == 1
    assert trace.choices[0].name == "random.randint"
    assert any(note.startswith("replay: choice 0 is random.randint") for note in trace.notes)


def test_systematic_executions_have_first_values_and_thresholds(recorder: PythonRecorder) -> None:
    body = "a = random.randint(3, 6)\nif random.random() < 0.25: a += 1\nreturn a"
    trace, thresholds = recorder.record_choosing(function(body), (), is_systematic=True)
    assert [choice.value for choice in trace.choices] == ["3", "0.0"]
    assert thresholds[1].starts == (("0.25", "0.25"),)
    assert not thresholds[1].is_used
    body = "return int(random.random() * 6)"
    assert recorder.record_choosing(function(body), (), is_systematic=True)[1][0].is_used


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_replay_on_other_versions(version: str) -> None:
    python = find_python(version)
    if python is None:
        pytest.skip(f"no Python {version}")
    body = "\n".join(f"x{n} = {source[0]}" for n, source in enumerate(SOURCES.values()))
    trace = record(function(f"c = list('abcde')\nrandom.shuffle(c)\n{body}\nreturn c"))
    assert trace.ending.reason == "finished", trace.ending
    second = replay(trace, python=python)
    assert second.origin.python.startswith(version)
    assert difference(trace, second) == ""
    assert second.choices == trace.choices
    third = replay(trace, python=python, backend="settrace")
    assert difference(trace, third) == ""


def test_choices_are_stored(recorder: PythonRecorder) -> None:
    trace = recorder.record(function("return random.sample('abc', 2)"))
    data = json.loads(json.dumps(trace_to_json(trace)))
    assert trace_from_json(data) == trace
    assert row_to_trace(trace_to_row(StoredTrace("a", trace))).trace == trace
    without = recorder.record(function("return 1", imports=""))
    assert "choices" not in trace_to_json(without)
    row = trace_to_row(StoredTrace("a", without))
    del row["choices"]
    assert row_to_trace(row).trace == without


def test_replay_command(tmp_path: Path) -> None:
    (tmp_path / "dice.py").write_text(
        "import random\n\ndef roll(n):\n    return [random.randint(1, 6) for _ in range(n)]\n"
    )
    file = str(tmp_path / "trace.json")
    run = CliRunner().invoke
    command = ["record", str(tmp_path / "dice.py"), "--call", "roll(3)", "--format", "json"]
    assert run(main, [*command, "-o", file]).exit_code == 0
    result = run(main, ["replay", file])
    assert result.exit_code == 0, result.output
    assert "the same execution" in result.output
    assert result.output.count("choice: random.randint(1, 6) = ") == 3
    trace = trace_to_json(trace_from_json(json.loads(Path(file).read_text())))
    trace["choices"][0][2] = "7" if trace["choices"][0][2] == "6" else "6"
    Path(file).write_text(json.dumps(trace))
    assert run(main, ["replay", file]).exit_code == 1
    trace["choices"][0][2] = "open('x')"
    Path(file).write_text(json.dumps(trace))
    assert "no valid value" in run(main, ["replay", file]).output
