"""Commands and functions with Rust programs, from a file to a report."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import worldline as wl
from worldline.core.errors import RecorderError
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.interfaces.cli import main
from worldline.languages.rust.rust_compiler import find_compiler
from worldline.languages.rust.rust_recorder import RustRecorder
from worldline.models.engines import ScriptedEngine

SOURCE = (
    "fn twice(n: i32) -> i32 {\n    n * 2\n}\n"
    "fn f(n: i32) -> Vec<i32> {\n    let mut x = twice(n);\n    x += 1;\n    vec![x, n]\n}\n"
)
PROGRAM = wl.Program(SOURCE, "f(3)", language="rust")


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    try:
        RustRecorder()._find_gdb()
        find_compiler()
    except RecorderError as error:
        # Debian 12 has an older version, so that CI may have none.
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def trace() -> wl.Trace:
    return wl.record(SOURCE, "f(3)", language="rust")


def scripted(text: str) -> Callable[[], ScriptedEngine]:
    """An engine that always answers the same."""
    return lambda: ScriptedEngine(lambda prompt: text)


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def test_a_trace_has_its_language(trace: wl.Trace) -> None:
    assert (trace.result, trace.program) == ("[7, 3]", PROGRAM)
    assert repr(trace).endswith(f"rust {find_compiler().version})")


@pytest.mark.parametrize("codec", ["chat", "chat-trace"])
def test_a_prediction_is_asked_for_and_diagnosed(trace: wl.Trace, codec: str) -> None:
    right = "".join(wl.get_codec(codec).encode(trace))
    for text, outcome in ((right, "correct"), (right.replace("[7, 3]", "[7, 4]"), "diverged")):
        prediction = wl.predict(PROGRAM, engine=scripted(text), codec=codec)
        diagnosis = wl.diagnose(prediction).diagnosis
        assert diagnosis.facts.outcome == outcome
    assert (diagnosis.where, diagnosis.kind) == ("return", "list")


def test_prompts_name_the_language() -> None:
    for name in ("chat", "chat-trace", "chat-trace-states", "chat-trace-json"):
        text = "".join(wl.get_codec(name).prompt(PROGRAM))
        assert "Rust" in text
        assert "Python" not in text
        assert "fn twice(n: i32) -> i32 {" in text


def test_commands(tmp_path: Path, trace: wl.Trace) -> None:
    file = tmp_path / "f.rs"
    file.write_text(SOURCE)
    listing = run("record", file, "--call", "f(3)").output
    assert "finished: [7, 3]" in listing
    assert f"rustc {find_compiler().version}" in listing
    wrong = "".join(wl.get_codec("cwm").encode(trace)).replace('"x": "7"', '"x": "8"')
    row = {"id": "a", "code": SOURCE, "call": "f(3)", "language": "rust", "output": wrong}
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text(json.dumps(row) + "\n")
    folder = tmp_path / "run"
    assert "diverged" in run("diagnose", predictions, "-o", folder).output
    shown = run("show", folder, "a").output
    assert "vec![x, n]" in shown
    assert "no operations of lines for Rust" in shown
    (sample,) = wl.read_scored_samples(str(folder))
    assert (sample.sample, sample.outcome) == ("a", "diverged")


def test_a_file_of_calls_is_a_benchmark(tmp_path: Path) -> None:
    file = tmp_path / "sums.rs"
    file.write_text("fn f(x: i32) -> i32 { x + 1 }\n\n// call: f(1)\n// expected: 2\n")
    (question,) = wl.load_benchmark(str(file)).questions
    assert (question.id, question.program.language, question.expected) == ("sums_tc0", "rust", "2")


def test_rows_of_cruxeval_x(tmp_path: Path) -> None:
    code = (
        "fn f(a: isize) -> bool {\n    a == 1\n}\n\nfn main() {\n    let candidate = f;\n"
        "    assert_eq!(candidate(1), true);\n}\n"
    )
    rows = [{"id": 7, "code": code}, {"id": 8, "code": code.replace("assert_eq!", "assert_ne!")}]
    (tmp_path / "rs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    benchmark = cruxeval_x(tmp_path, language="rust")
    (question,) = benchmark.questions
    assert (question.id, question.program.call, question.expected) == ("sample_7", "f(1)", "true")
    assert question.program.source.endswith("a == 1\n}\n")
    assert [item.id for item in benchmark.skipped] == ["sample_8"]
