"""Commands and functions with Java programs, from a file to a report."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import worldline as wl
from worldline.core.errors import RecorderError
from worldline.interfaces.cli import main
from worldline.languages.java.jvm_recorder import JavaRecorder
from worldline.languages.java.jvm_runtime import find_java
from worldline.models.codecs.chat import EXAMPLES
from worldline.models.codecs.example_traces import MAX_SHOTS, example_traces
from worldline.models.engines import ScriptedEngine

SOURCE = (
    "class F {\n    static int twice(int n) {\n        return n * 2;\n    }\n\n"
    "    static int[] f(int n) {\n        int x = twice(n);\n        x += 1;\n"
    "        return new int[] {x, n};\n    }\n}\n"
)
PROGRAM = wl.Program(SOURCE, "f(3)", language="java")


@pytest.fixture(scope="module", autouse=True)
def jdk() -> None:
    try:
        find_java()
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))


@pytest.fixture(scope="module")
def trace() -> wl.Trace:
    return wl.record(SOURCE, "f(3)", language="java")


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def test_a_trace_has_its_language(trace: wl.Trace) -> None:
    assert (trace.result, trace.program) == ("[7, 3]", PROGRAM)
    assert repr(trace).endswith(f"java {find_java().version})")


@pytest.mark.parametrize("codec", ["chat", "chat-trace", "chat-trace-states"])
def test_a_prediction_is_asked_for_and_read(trace: wl.Trace, codec: str) -> None:
    text = "".join(wl.get_codec(codec).encode(trace))
    engine = ScriptedEngine(lambda prompt: text)
    prediction = wl.predict(PROGRAM, engine=lambda: engine, codec=codec)
    assert prediction.answer is not None
    assert trace.program.values.results_equal("[7, 3]", prediction.answer)
    prompt = "".join(wl.get_codec(codec).prompt(PROGRAM))
    assert "Java program" in prompt
    assert "Python" not in prompt
    assert "static int[] f(int n) {" in prompt


def test_worked_examples_are_what_is_recorded() -> None:
    stored = example_traces(MAX_SHOTS, "java")
    example, worked = EXAMPLES["java"]
    with JavaRecorder() as recorder:
        for trace in stored:
            again = recorder.record(trace.program)
            assert (again.steps, again.scopes) == (trace.steps, trace.scopes)
        result = recorder.record(example).result
    assert result == '["HELLO"]'
    assert f"assertEquals({result}, {example.call});" in worked


def test_commands(tmp_path: Path, trace: wl.Trace) -> None:
    file = tmp_path / "F.java"
    file.write_text(SOURCE)
    listing = run("record", file, "--call", "f(3)").output
    assert "finished: [7, 3]" in listing
    assert f"Java {find_java().version}" in listing
    wrong = "".join(wl.get_codec("cwm").encode(trace)).replace('"x": "7"', '"x": "8"')
    row = {"id": "a", "code": SOURCE, "call": "f(3)", "language": "java", "output": wrong}
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text(json.dumps(row) + "\n")
    folder = tmp_path / "run"
    assert "diverged" in run("diagnose", predictions, "-o", folder).output
    shown = run("show", folder, "a").output
    assert "return new int[] {x, n};" in shown
    assert "no operations of lines for Java" in shown
    assert "1 of 1 samples" in run("report", folder).output
    (sample,) = wl.read_scored_samples(str(folder))
    assert (sample.sample, sample.outcome) == ("a", "diverged")


def test_a_class_of_the_folder_can_be_used(tmp_path: Path) -> None:
    # Another module of the JDK, which is loaded because the program names it.
    source = (
        "import java.util.logging.*;\nclass G {\n    static String f() {\n"
        "        return Logger.getLogger(Level.INFO.getName()).getName();\n    }\n}\n"
    )
    file = tmp_path / "G.java"
    file.write_text(source)
    assert 'finished: "INFO"' in run("record", file, "--call", "f()").output


def test_cruxeval_x_in_java(tmp_path: Path) -> None:
    code = (
        "import java.util.*;\nimport org.javatuples.*;\nclass Problem {\n"
        "    public static long f(ArrayList<Long> xs) {\n        return xs.size();\n    }\n"
        "    public static void main(String[] args) {\n"
        "    assert(f((new ArrayList<Long>(Arrays.asList((long)1l)))) == (1l));\n    }\n\n}\n"
    )
    (tmp_path / "java.jsonl").write_text(json.dumps({"id": 7, "code": code}) + "\n")
    benchmark = wl.load_benchmark("cruxeval-x", data=str(tmp_path), options={"language": "java"})
    (question,) = benchmark.questions
    assert (benchmark.name, question.id, question.expected) == ("cruxeval-x-java", "sample_7", "1l")
    assert question.program.call == "f((new ArrayList<Long>(Arrays.asList((long)1l))))"
    # The library is not used.
    assert "javatuples" not in question.program.text
    assert "main(String[] args)" not in question.program.text
    pair = code.replace("xs.size()", "Pair.with(1l, 2l).getValue0()")
    (tmp_path / "java.jsonl").write_text(json.dumps({"id": 7, "code": pair}) + "\n")
    benchmark = wl.load_benchmark("cruxeval-x", data=str(tmp_path), options={"language": "java"})
    assert "javatuples" in benchmark.questions[0].program.text
