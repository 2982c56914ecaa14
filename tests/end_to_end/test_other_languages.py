"""Commands and functions with JavaScript programs, from a file to a report."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import worldline as wl
from worldline.core.errors import RecorderError
from worldline.core.language import LANGUAGES, get_language
from worldline.interfaces.cli import main
from worldline.languages.javascript.node_runtime import find_node
from worldline.models.engines import ScriptedEngine

SOURCE = (
    "function double(n) {\n  return n * 2;\n}\n"
    "function f(n) {\n  let x = double(n);\n  x += 1;\n  return [x, n];\n}\n"
)
PROGRAM = wl.Program(SOURCE, "f(3)", language="javascript")


@pytest.fixture(scope="module", autouse=True)
def node() -> None:
    try:
        find_node()
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))


@pytest.fixture(scope="module")
def trace() -> wl.Trace:
    return wl.record(SOURCE, "f(3)", language="javascript")


def scripted(text: str) -> Callable[[], ScriptedEngine]:
    """An engine that always answers the same."""
    return lambda: ScriptedEngine(lambda prompt: text)


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def test_a_trace_has_its_language(trace: wl.Trace) -> None:
    assert (trace.result, trace.program) == ("[7, 3]", PROGRAM)
    assert repr(trace).endswith(f"javascript {find_node().version})")


@pytest.mark.parametrize("codec", ["chat", "chat-trace"])
def test_a_prediction_is_asked_for_and_diagnosed(trace: wl.Trace, codec: str) -> None:
    right = "".join(wl.get_codec(codec).encode(trace))
    for text, outcome in ((right, "correct"), (right.replace("[7, 3]", "[7, 4]"), "diverged")):
        prediction = wl.predict(PROGRAM, engine=scripted(text), codec=codec)
        diagnosis = wl.diagnose(prediction).diagnosis
        assert diagnosis.facts.outcome == outcome
    assert (diagnosis.where, diagnosis.kind) == ("return", "list")


@pytest.mark.parametrize(
    ("language", "title", "source"),
    [
        ("cpp", "C++", "int f() { return 1; }"),
        ("rust", "Rust", "fn f() -> i32 { 1 }"),
        ("go", "Go", "func f() int { return 1 }"),
    ],
)
def test_guided_says_what_is_missing(language: str, title: str, source: str) -> None:
    program = wl.Program(source, "f()", language=language)
    prediction = wl.predict(program, engine=scripted(""), codec="chat-trace", mode="guided")
    assert prediction.finish == "infra_error"
    assert prediction.error is not None
    assert f"guided: no control-flow graph for {title}" in prediction.error


def test_an_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    language = replace(get_language("javascript"), features=frozenset())
    monkeypatch.setitem(LANGUAGES._items, "javascript", language)
    prediction = wl.predict(PROGRAM, engine=scripted(""), codec="chat-trace", mode="guided")
    assert prediction.error is not None
    assert "no control-flow graph for JavaScript without an extra" in prediction.error
    assert "pip install 'worldline[cfg]'" in prediction.error


def test_on_demand_needs_operations() -> None:
    engine = scripted("")
    prediction = wl.predict(PROGRAM, engine=engine, codec="chat-trace", mode="on-demand")
    assert prediction.error is not None
    assert "no operations of lines for JavaScript" in prediction.error


def test_prompts_name_the_language() -> None:
    for name in ("chat", "chat-trace", "chat-trace-states", "chat-trace-json"):
        text = "".join(wl.get_codec(name).prompt(PROGRAM))
        assert "JavaScript" in text
        assert "Python" not in text
        assert "function f(n) {" in text


def test_commands(tmp_path: Path, trace: wl.Trace) -> None:
    file = tmp_path / "f.js"
    file.write_text(SOURCE)
    listing = run("record", file, "--call", "f(3)").output
    assert "finished: [7, 3]" in listing
    assert f"Node.js {find_node().version}" in listing
    wrong = "".join(wl.get_codec("cwm").encode(trace)).replace('"x": "7"', '"x": "8"')
    row = {"id": "a", "code": SOURCE, "call": "f(3)", "language": "javascript", "output": wrong}
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text(json.dumps(row) + "\n")
    folder = tmp_path / "run"
    assert "diverged" in run("diagnose", predictions, "-o", folder).output
    shown = run("show", folder, "a").output
    assert "return [x, n];" in shown
    assert "no operations of lines for JavaScript" in shown
    assert "1 of 1 samples" in run("report", folder).output
    (sample,) = wl.read_scored_samples(str(folder))
    assert (sample.sample, sample.outcome) == ("a", "diverged")


def test_a_file_of_calls_is_a_benchmark(tmp_path: Path) -> None:
    file = tmp_path / "sums.ts"
    file.write_text("const f = (x: number) => x + 1;\n\n// call: f(1)\n// expected: 2\n")
    (question,) = wl.load_benchmark(str(file)).questions
    assert (question.id, question.program.language) == ("sums_tc0", "typescript")
    assert question.expected == "2"
