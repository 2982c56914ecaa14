"""Edge cases of runs: changed questions, unusual names, unexpected files."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.runs.samples import fill, is_expected, knowing_engine, manifest_of, questions
from tests.support.predictions import predict, text_of
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.evaluation.runs import (
    RunWriter,
    import_predictions,
    is_run,
    query_runs,
    read_manifest,
    read_run,
)
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Prediction, PredictionSettings, Question

ROW = {"sample": "a", "repeat": 0, "program": "x", "finish": "stop"}
LOOP = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"


def keep(
    target: Path, predictions: list[Prediction], recorder: PythonRecorder
) -> list[dict[str, Any]]:
    with RunWriter(target) as run:
        list(import_predictions(run, predictions, recorder, manifest_of(), is_correct=is_expected))
    return read_run(target)


def test_a_different_expected_value_is_rejected(tmp_path: Path, recorder: PythonRecorder) -> None:
    asked = questions(2)
    make = knowing_engine(recorder, asked)
    fill(tmp_path / "run", asked[:1], make, recorder)
    other = [replace(asked[0], expected="7"), asked[1]]
    with pytest.raises(InputError, match="'s0' with the expected value 1, not 7"):
        fill(tmp_path / "run", other, make, recorder)
    assert len(fill(tmp_path / "run", asked, make, recorder)) == 1


def test_different_facets_are_rejected(tmp_path: Path, recorder: PythonRecorder) -> None:
    """Otherwise samples would be grouped by outdated facets."""
    asked = questions(2)
    make = knowing_engine(recorder, asked)
    fill(tmp_path / "run", asked[:1], make, recorder)
    other = [replace(asked[0], facets={"number": 0, "topic": "sums"}), asked[1]]
    message = r"""'s0' with the facets {"number": 0}, not {"number": 0, "topic": "sums"}; choose"""
    with pytest.raises(InputError, match=message):
        fill(tmp_path / "run", other, make, recorder)
    assert len(fill(tmp_path / "run", asked, make, recorder)) == 1


def test_a_name_that_is_stored_differently_is_predicted_once(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    odd = [Question("a\ud800", questions(1)[0].program, "1")]
    make = knowing_engine(recorder, odd)
    assert len(fill(tmp_path / "run", odd, make, recorder)) == 1
    assert fill(tmp_path / "run", odd, make, recorder) == []
    assert [row["sample"] for row in read_run(tmp_path / "run")] == ["a\\ud800"]


@pytest.mark.parametrize("name", ["a/b", "a'b", 'a"b', "a b\n", "é", "a#1", "", "../x", "a\x00"])
def test_a_question_may_have_any_name(tmp_path: Path, recorder: PythonRecorder, name: str) -> None:
    odd = [replace(questions(1)[0], id=name)]
    make = knowing_engine(recorder, odd)
    fill(tmp_path / "run", odd, make, recorder)
    assert fill(tmp_path / "run", odd, make, recorder) == []
    assert [row["sample"] for row in read_run(tmp_path / "run")] == [name]


def test_a_number_that_cannot_be_stored_does_not_change_the_run(tmp_path: Path) -> None:
    with RunWriter(tmp_path / "run") as run:
        run.begin(manifest_of())
        run.add(ROW)
        with pytest.raises(InputError, match="b: the number in `seed` is too large to store"):
            run.add({**ROW, "sample": "b", "seed": 2**64})
    assert [row["sample"] for row in read_run(tmp_path / "run")] == ["a"]


def test_samples_without_a_manifest_are_rejected(tmp_path: Path) -> None:
    target = tmp_path / "run"
    with RunWriter(target) as run:
        run.begin(manifest_of())
        run.add(ROW)
    (target / "manifest.json").unlink()
    for restart in (False, True):
        with pytest.raises(InputError, match=r"holds samples and no manifest\.json"):
            RunWriter(target, restart=restart)
    assert len(list((target / "parts").iterdir())) == 1


def test_the_journal_of_a_deleted_run_is_ignored(tmp_path: Path) -> None:
    target = tmp_path / "run"
    target.mkdir()
    (target / "open.jsonl").write_text(json.dumps(ROW) + "\n")
    with RunWriter(target) as run:
        run.begin(manifest_of())
    assert read_run(target) == []


def test_files_left_by_a_killed_process_are_not_foreign(tmp_path: Path) -> None:
    for name in (".open.jsonl.new", ".open.jsonl.lock", "manifest.json.unfinished"):
        (tmp_path / name).write_text("{")
    (tmp_path / "parts").mkdir()
    with RunWriter(tmp_path) as run:
        run.begin(manifest_of())
        run.add(ROW)
    assert [row["sample"] for row in read_run(tmp_path)] == ["a"]


def test_a_path_with_a_tilde_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with RunWriter("~/run") as run:
        run.begin(manifest_of())
    assert is_run("~/run")
    assert is_run(tmp_path / "run")


def test_two_predictions_of_the_same_name_are_rejected(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    program = Program(LOOP, "f(2)")
    prediction = predict(program, text_of(recorder.record(program)), expected="1")
    with pytest.raises(InputError, match="two predictions are named 'edited'"):
        keep(tmp_path / "run", [prediction, prediction], recorder)
    assert not is_run(tmp_path / "run")
    failed = replace(prediction, finish="infra_error", error="gone")
    assert [row["verdict"] for row in keep(tmp_path / "run", [failed, prediction], recorder)] == [
        "correct"
    ]


def test_truncation_does_not_change_the_difficulty(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    program = Program(LOOP, "f(1500)")
    actual = recorder.record(program)
    text = text_of(actual)
    whole = replace(predict(program, text, expected="1124250"), id="whole")
    cut = replace(predict(program, text[:2000], finish="truncated", expected="1124250"), id="cut")
    rows = {row["sample"]: row for row in keep(tmp_path / "run", [whole, cut], recorder)}
    for name in (
        "program_steps",
        "program_iterations",
        "program_is_complete",
        "actual_steps",
        "result",
    ):
        assert rows["cut"][name] == rows["whole"][name]
    assert rows["cut"]["program_steps"] == len(actual.steps)
    assert (rows["cut"]["verdict"], rows["cut"]["outcome"]) == ("truncated", "truncated")


def test_a_resumed_run_keeps_its_facets_and_repeats(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    target, asked = tmp_path / "run", questions(2)
    make = knowing_engine(recorder, asked)
    sampled = {"settings": PredictionSettings(max_tokens=400, temperature=1.0)}
    worded = [replace(asked[0], facets={"number": "none", "topic": "sums"})]
    kinds = {"number": "text", "topic": "text"}
    fill(target, worded, make, recorder, repeats=3, facets=kinds, **sampled)
    fill(target, asked[1:], make, recorder, repeats=1, facets={"number": "int"}, **sampled)
    manifest = read_manifest(target)
    assert (manifest.repeats, manifest.facets, len(manifest.sessions)) == (3, kinds, 2)
    result = query_runs([target], "select distinct number, topic from samples order by all")
    assert result.rows == (("1", None), ("none", "sums"))
