"""The Python API: one call each to record, predict, diagnose, evaluate and compare."""

import subprocess
import sys
from pathlib import Path

import pytest

import worldline as wl
from tests.support.scripted_models import continue_actual_trace, engine_of
from worldline.interfaces.api.evaluating import setting_differences
from worldline.interfaces.api.predicting import predict_into_file
from worldline.interfaces.api.run import check_html_output
from worldline.interfaces.api.sources import load_predictions, load_questions
from worldline.interfaces.viewer.html_shell import data_script
from worldline.models.engines import ScriptedEngine

SOURCE = "def double(x):\n    y = x * 2\n    return y\n"


def double(x: int) -> int:
    return x * 2


def test_record_takes_a_function_and_its_arguments() -> None:
    assert wl.record(double, 4).result == "8"
    assert wl.record(double, call="double(x=5)").result == "10"


def test_record_takes_source_text_and_a_call() -> None:
    trace = wl.record(SOURCE, "double(4)")
    assert trace.result == "8"
    assert trace.program == wl.Program(SOURCE, "double(4)")


@pytest.mark.parametrize(
    ("program", "arguments", "message"),
    [
        (lambda x: x, (1,), "source text and a call"),
        (len, ((),), "source text of len is not available"),
        (3, (), "cannot make a program of int"),
        (SOURCE, (4,), "the call must be text"),
        (SOURCE, ("double(",), "not one Python expression"),
        (wl.Program(SOURCE, "double(1)"), ("double(2)",), "has its own call"),
    ],
)
def test_record_refuses_other_objects(
    program: object, arguments: tuple[object, ...], message: str
) -> None:
    with pytest.raises(wl.ProgramError, match=message):
        wl.record(program, *arguments)  # type: ignore[arg-type]


def test_diagnose_finds_the_first_wrong_step() -> None:
    trace = wl.record(SOURCE, "double(4)")
    output = "".join(wl.get_codec("cwm").encode(trace))
    assert wl.diagnose(SOURCE, "double(4)", output).diagnosis.facts.outcome == "correct"
    wrong = wl.diagnose(SOURCE, "double(4)", output.replace('"y": "8"', '"y": "6"'))
    divergence = wrong.diagnosis.facts.divergence
    assert divergence is not None
    assert (divergence.variable, divergence.actual, divergence.predicted) == ("y", "8", "6")


def test_diagnose_needs_a_call_and_an_output() -> None:
    with pytest.raises(wl.InputError, match="a program, a call and the model's output"):
        wl.diagnose(SOURCE)  # type: ignore[call-overload]


def test_a_prediction_is_diagnosed_as_it_is() -> None:
    engine = lambda: ScriptedEngine(lambda prompt: "[ANSWER] 8 [/ANSWER]")  # noqa: E731
    prediction = wl.predict(SOURCE, "double(4)", engine=engine, codec="chat")
    assert prediction.answer == "8"
    assert wl.diagnose(prediction).diagnosis.facts.outcome == "correct"


def test_evaluate_stores_a_run_and_resumes_it(tmp_path: Path) -> None:
    asked: list[wl.ScoredSample] = []
    engine = lambda: ScriptedEngine(lambda prompt: "[ANSWER] 1 [/ANSWER]")  # noqa: E731
    options = {"codec": "chat", "output": tmp_path / "run", "first": 3, "on_sample": asked.append}
    run = wl.evaluate("permutation", engine, **options)  # type: ignore[arg-type]
    assert (len(run), len(asked), len(run.samples)) == (3, 3, 3)
    assert len(wl.evaluate("permutation", engine, **options)) == 3  # type: ignore[arg-type]
    assert len(asked) == 3
    assert run.accuracy().samples == 3
    assert run[run.samples[0].sample].diagnosis.facts.outcome in ("correct", "diverged")
    with pytest.raises(wl.InputError, match="no sample 'nothing'"):
        run["nothing"]


def test_a_run_becomes_a_table(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    engine = lambda: ScriptedEngine(lambda prompt: "[ANSWER] 1 [/ANSWER]")  # noqa: E731
    run = wl.evaluate("permutation", engine, codec="chat", output=tmp_path / "run", first=2)
    names = [sample.sample for sample in run]
    assert run.to_arrow().column("sample").to_pylist() == names
    assert list(run.to_pandas()["sample"]) == names
    assert run.to_polars()["sample"].to_list() == names
    assert run.sql("select count(*) from samples").rows == ((2,),)


def test_a_run_prints_its_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = lambda: ScriptedEngine(lambda prompt: "[ANSWER] 1 [/ANSWER]")  # noqa: E731
    run = wl.evaluate("permutation", engine, codec="chat", output=tmp_path / "run", first=2)
    run.show()
    text = capsys.readouterr().out
    assert "2 of 80 samples in" in text
    assert "correct of all       0 of 2" in text
    html = run._repr_html_()
    assert html.startswith("<pre>permutation ")
    assert "correct of all       0 of 2" in html
    assert html.endswith("</pre>")


def test_predictions_of_many_questions_are_appended_to_a_file(tmp_path: Path) -> None:
    engine = lambda: ScriptedEngine(lambda prompt: "[ANSWER] 1 [/ANSWER]")  # noqa: E731
    questions = load_questions("permutation")[:3]
    settings, output = wl.PredictionSettings(codec="chat"), tmp_path / "p.jsonl"
    started: list[tuple[int, int]] = []

    def start(pending: int, total: int) -> None:
        started.append((pending, total))

    first = predict_into_file(questions[:2], engine, output, settings=settings, on_start=start)
    second = predict_into_file(questions, engine, output, settings=settings, on_start=start)
    assert started == [(2, 2), (1, 3)]
    assert (first.finishes.total(), second.finishes.total(), second.skipped) == (2, 1, 2)
    assert [p.id for p in load_predictions(output)] == [question.id for question in questions]


def test_a_report_replaces_reports_only(tmp_path: Path) -> None:
    check_html_output(tmp_path / "new.html")
    old = tmp_path / "old.html"
    old.write_text(f"<!doctype html>{data_script('report', {})}", encoding="utf-8")
    check_html_output(old)
    for text in ("notes", "<!DOCTYPE html><title>My page</title>"):
        old.write_text(text, encoding="utf-8")
        with pytest.raises(wl.InputError, match="is not a report of worldline"):
            check_html_output(old)
    with pytest.raises(wl.InputError, match=r"name it report\.html"):
        check_html_output(tmp_path / "report.pdf")


def test_differing_settings_of_two_runs(tmp_path: Path) -> None:
    engine = lambda: ScriptedEngine(lambda prompt: "")  # noqa: E731
    for name, tokens in (("a", 10), ("b", 20)):
        settings = wl.PredictionSettings(codec="chat", max_tokens=tokens)
        wl.evaluate("permutation", engine, output=tmp_path / name, first=1, settings=settings)
    assert setting_differences(tmp_path / "a", tmp_path / "b") == {"max_tokens": (10, 20)}


def test_compare_takes_runs_and_locations(tmp_path: Path) -> None:
    wrong = lambda: ScriptedEngine(lambda prompt: "[ANSWER] 1 [/ANSWER]")  # noqa: E731
    silent = lambda: ScriptedEngine(lambda prompt: "")  # noqa: E731
    first = wl.evaluate("permutation", wrong, codec="chat", output=tmp_path / "a", first=4)
    wl.evaluate(
        "permutation", silent, codec="chat", output=tmp_path / "b", first=4, max_malformed=0
    )
    assert wl.compare(first, tmp_path / "b").overall.samples == 4


def test_an_unknown_engine_is_refused() -> None:
    assert repr(wl.load_engine("http://127.0.0.1:1/v1")) == "EngineHandle('http://127.0.0.1:1/v1')"
    with pytest.raises(wl.EngineError, match="no engine"):
        wl.load_engine("nonsense")


def test_a_model_that_knows_the_trace_is_correct_in_free_mode() -> None:
    answer = continue_actual_trace(wl.record(SOURCE, "double(4)"))
    prediction = wl.predict(SOURCE, "double(4)", engine=lambda: engine_of(answer))
    assert wl.diagnose(prediction).diagnosis.facts.outcome == "correct"


@pytest.mark.parametrize(
    ("code", "seconds"),
    [("import worldline", 0.1), ("import worldline; worldline.__version__", 0.15)],
)
def test_importing_is_fast(code: str, seconds: float) -> None:
    script = f"import time; t = time.process_time(); {code}; print(time.process_time() - t)"
    times = [
        float(subprocess.check_output([sys.executable, "-c", script], text=True)) for _ in range(5)
    ]
    assert min(times) < seconds


def test_importing_loads_only_the_registry_of_displays() -> None:
    script = "import sys, worldline; print([m for m in sys.modules if m.startswith('worldline.')])"
    modules = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert modules == "['worldline.core', 'worldline.core.display']\n"
