"""Commands and functions with C++ programs, from a file to a report."""

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
from worldline.languages.cpp.cpp_compiler import find_compiler
from worldline.languages.native.gdb_runtime import find_gdb
from worldline.models.engines import ScriptedEngine

SOURCE = (
    "#include <vector>\nint twice(int n) {\n  return n * 2;\n}\n"
    "std::vector<int> f(int n) {\n  int x = twice(n);\n  x += 1;\n  return {x, n};\n}\n"
)
PROGRAM = wl.Program(SOURCE, "f(3)", language="cpp")


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    try:
        find_gdb()
        find_compiler()
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))


@pytest.fixture(scope="module")
def trace() -> wl.Trace:
    return wl.record(SOURCE, "f(3)", language="cpp")


def scripted(text: str) -> Callable[[], ScriptedEngine]:
    """An engine that always answers the same."""
    return lambda: ScriptedEngine(lambda prompt: text)


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def test_a_trace_has_its_language(trace: wl.Trace) -> None:
    assert (trace.result, trace.program) == ("{7, 3}", PROGRAM)
    assert repr(trace).endswith(f"cpp {find_compiler().version})")


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
        assert "C++" in text
        assert "Python" not in text
        assert "int twice(int n) {" in text


def test_commands(tmp_path: Path, trace: wl.Trace) -> None:
    file = tmp_path / "f.cpp"
    file.write_text(SOURCE)
    listing = run("record", file, "--call", "f(3)").output
    assert "finished: {7, 3}" in listing
    assert f"g++ {find_compiler().version}" in listing
    wrong = "".join(wl.get_codec("cwm").encode(trace)).replace('"x": "7"', '"x": "8"')
    row = {"id": "a", "code": SOURCE, "call": "f(3)", "language": "cpp", "output": wrong}
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text(json.dumps(row) + "\n")
    folder = tmp_path / "run"
    assert "diverged" in run("diagnose", predictions, "-o", folder).output
    shown = run("show", folder, "a").output
    assert "return {x, n};" in shown
    assert "no operations of lines for C++" in shown
    assert "1 of 1 samples" in run("report", folder).output
    (sample,) = wl.read_scored_samples(str(folder))
    assert (sample.sample, sample.outcome) == ("a", "diverged")


def test_a_file_of_calls_is_a_benchmark(tmp_path: Path) -> None:
    file = tmp_path / "sums.cpp"
    file.write_text("int f(int x) { return x + 1; }\n\n// call: f(1)\n// expected: 2\n")
    (question,) = wl.load_benchmark(str(file)).questions
    assert (question.id, question.program.language, question.expected) == ("sums_tc0", "cpp", "2")


def test_rows_of_cruxeval_x(tmp_path: Path) -> None:
    code = (
        "#include<assert.h>\n#include<bits/stdc++.h>\nlong f(long a) {\n    return a == 1;\n}\n"
        "int main() {\n    auto candidate = f;\n    assert(candidate((1)) == (1));\n}\n"
    )
    rows = [{"id": 7, "code": code}, {"id": 8, "code": code.replace(" == (1)", "")}]
    (tmp_path / "cpp.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    benchmark = cruxeval_x(tmp_path, language="cpp")
    (question,) = benchmark.questions
    assert (question.id, question.program.call, question.expected) == ("sample_7", "f((1))", "(1)")
    assert question.program.source.endswith("return a == 1;\n}\n")
    assert [item.id for item in benchmark.skipped] == ["sample_8"]
