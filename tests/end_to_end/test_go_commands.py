"""Commands and functions with Go programs, from a file to a report."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import worldline as wl
from worldline.core.errors import RecorderError
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.interfaces.cli import main
from worldline.languages.go.go_runtime import find_go
from worldline.models.codecs.example_traces import example_traces
from worldline.models.engines import ScriptedEngine

SOURCE = (
    "package main\n\nfunc twice(n int) int {\n\treturn n * 2\n}\n\n"
    "func f(n int) []int {\n\tx := twice(n)\n\tx += 1\n\treturn []int{x, n}\n}\n"
)
PROGRAM = wl.Program(SOURCE, "f(3)", language="go")


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    try:
        find_go()
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))


@pytest.fixture(scope="module")
def trace() -> wl.Trace:
    return wl.record(SOURCE, "f(3)", language="go")


def scripted(text: str) -> Callable[[], ScriptedEngine]:
    """An engine that always answers the same."""
    return lambda: ScriptedEngine(lambda prompt: text)


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def test_a_trace_has_its_language(trace: wl.Trace) -> None:
    assert (trace.result, trace.program) == ("[]int{7, 3}", PROGRAM)
    assert repr(trace).endswith(f"go {find_go().version})")


@pytest.mark.parametrize("codec", ["chat", "chat-trace"])
def test_a_prediction_is_asked_for_and_diagnosed(trace: wl.Trace, codec: str) -> None:
    right = "".join(wl.get_codec(codec).encode(trace))
    for text, outcome in ((right, "correct"), (right.replace("{7, 3}", "{7, 4}"), "diverged")):
        prediction = wl.predict(PROGRAM, engine=scripted(text), codec=codec)
        diagnosis = wl.diagnose(prediction).diagnosis
        assert diagnosis.facts.outcome == outcome
    assert (diagnosis.where, diagnosis.kind) == ("return", "list")


def test_prompts_name_the_language() -> None:
    for name in ("chat", "chat-trace", "chat-trace-states", "chat-trace-json"):
        text = "".join(wl.get_codec(name).prompt(PROGRAM))
        assert "Go" in text
        assert "Python" not in text
        assert "func twice(n int) int {" in text


def test_worked_examples_are_what_is_recorded() -> None:
    for example in example_traces(3, "go"):
        recorded = wl.record(example.program)
        assert (recorded.steps, recorded.scopes) == (example.steps, example.scopes)


def test_commands(tmp_path: Path, trace: wl.Trace) -> None:
    file = tmp_path / "f.go"
    file.write_text(SOURCE)
    listing = run("record", file, "--call", "f(3)").output
    assert "finished: []int{7, 3}" in listing
    assert f"Go {find_go().version}" in listing
    # Tabs are spaces.
    assert "    return n * 2" in listing
    assert "\\t" not in listing
    wrong = "".join(wl.get_codec("cwm").encode(trace)).replace('"x": "7"', '"x": "8"')
    row = {"id": "a", "code": SOURCE, "call": "f(3)", "language": "go", "output": wrong}
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text(json.dumps(row) + "\n")
    folder = tmp_path / "run"
    assert "diverged" in run("diagnose", predictions, "-o", folder).output
    shown = run("show", folder, "a").output
    assert "return []int{x, n}" in shown
    assert "\\t" not in shown
    assert "no operations of lines for Go" in shown
    assert "1 of 1 samples" in run("report", folder).output
    (sample,) = wl.read_scored_samples(str(folder))
    assert (sample.sample, sample.outcome) == ("a", "diverged")


def test_a_file_of_calls_is_a_benchmark(tmp_path: Path) -> None:
    file = tmp_path / "sums.go"
    file.write_text("func f(x int) int { return x + 1 }\n\n// call: f(1)\n// expected: 2\n")
    (question,) = wl.load_benchmark(str(file)).questions
    assert (question.id, question.program.language, question.expected) == ("sums_tc0", "go", "2")


def test_rows_of_cruxeval_x(tmp_path: Path) -> None:
    code = (
        'package f_test\n\nimport (\n    "testing"\n    "fmt"\n    "strings"\n)\n\n'
        "func f(a string) string {\n    return strings.ToUpper(a)\n}\n"
        "func TestF(t *testing.T) {\n  candidate := f\n\ttype test struct {\n"
        "\t\tactual   interface{}\n\t\texpected interface{}\n\t}\n   tests := []test{\n"
        '     { actual: candidate("a, b"), expected: "A, B" },\n   }\n}\n'
    )
    rows = [
        {"id": 7, "code": code},
        {"id": 8, "code": "The error is in `func TestF(t *testing.T) {\n"},
    ]
    (tmp_path / "go.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    benchmark = cruxeval_x(tmp_path, language="go")
    (question,) = benchmark.questions
    assert (question.id, question.program.call) == ("sample_7", 'f("a, b")')
    assert question.expected == '"A, B"'
    # Packages that only the test uses are not imported.
    assert 'import (\n    "strings"\n)' in question.program.source
    assert [item.id for item in benchmark.skipped] == ["sample_8"]
