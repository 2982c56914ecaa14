"""Runs whose questions, names or folders are not what one expects."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.predictions import predict, text_of
from tests.runs.samples import fill, is_expected, knowing_engine, manifest_of, questions
from worldline.errors import InputError
from worldline.predict import Prediction, Question, Settings
from worldline.recorders import PythonRecorder
from worldline.runs import Run, is_run, keep_recorded, query_runs, read_manifest, read_run
from worldline.trace import Program

ROW = {"sample": "a", "repeat": 0, "program": "x", "finish": "stop"}
LOOP = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"


def keep(
    target: Path, predictions: list[Prediction], recorder: PythonRecorder
) -> list[dict[str, Any]]:
    with Run(target) as run:
        list(keep_recorded(run, predictions, recorder, manifest_of(), is_right=is_expected))
    return read_run(target)


def test_another_expected_value_is_refused(tmp_path: Path, recorder: PythonRecorder) -> None:
    asked = questions(2)
    make = knowing_engine(recorder, asked)
    fill(tmp_path / "run", asked[:1], make, recorder)
    other = [replace(asked[0], expected="7"), asked[1]]
    with pytest.raises(InputError, match="'s0' with the expected value 1, not 7"):
        fill(tmp_path / "run", other, make, recorder)
    assert len(fill(tmp_path / "run", asked, make, recorder)) == 1


def test_other_facets_are_refused(tmp_path: Path, recorder: PythonRecorder) -> None:
    """Else samples would be counted by what the benchmark no longer says of them."""
    asked = questions(2)
    make = knowing_engine(recorder, asked)
    fill(tmp_path / "run", asked[:1], make, recorder)
    other = [replace(asked[0], facets={"number": 0, "topic": "sums"}), asked[1]]
    said = (
        r"""'s0' with the facets {"number": 0}, not {"number": 0, "topic": "sums"}; name another"""
    )
    with pytest.raises(InputError, match=said):
        fill(tmp_path / "run", other, make, recorder)
    assert len(fill(tmp_path / "run", asked, make, recorder)) == 1


def test_a_name_that_cannot_be_stored_is_asked_about_once(
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


def test_a_number_that_cannot_be_stored_leaves_the_run_as_it_was(tmp_path: Path) -> None:
    with Run(tmp_path / "run") as run:
        run.begin(manifest_of())
        run.add(ROW)
        with pytest.raises(InputError, match="b: its seed is too large"):
            run.add({**ROW, "sample": "b", "seed": 2**64})
    assert [row["sample"] for row in read_run(tmp_path / "run")] == ["a"]


def test_samples_without_a_manifest_do_not_become_another_run(tmp_path: Path) -> None:
    target = tmp_path / "run"
    with Run(target) as run:
        run.begin(manifest_of())
        run.add(ROW)
    (target / "manifest.json").unlink()
    for is_restarted in (False, True):
        with pytest.raises(InputError, match=r"holds samples and no manifest\.json"):
            Run(target, is_restarted=is_restarted)
    assert len(list((target / "parts").iterdir())) == 1


def test_open_rows_of_a_run_that_is_gone_are_not_the_next_ones(tmp_path: Path) -> None:
    target = tmp_path / "run"
    target.mkdir()
    (target / "open.jsonl").write_text(json.dumps(ROW) + "\n")
    with Run(target) as run:
        run.begin(manifest_of())
    assert read_run(target) == []


def test_what_a_kill_leaves_is_no_stranger(tmp_path: Path) -> None:
    for name in (".open.jsonl.new", ".open.jsonl.lock", "manifest.json.unfinished"):
        (tmp_path / name).write_text("{")
    (tmp_path / "parts").mkdir()
    with Run(tmp_path) as run:
        run.begin(manifest_of())
        run.add(ROW)
    assert [row["sample"] for row in read_run(tmp_path)] == ["a"]


def test_a_run_is_known_by_a_path_from_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Run("~/run") as run:
        run.begin(manifest_of())
    assert is_run("~/run")
    assert is_run(tmp_path / "run")


def test_two_predictions_by_one_name_are_refused(tmp_path: Path, recorder: PythonRecorder) -> None:
    program = Program(LOOP, "f(2)")
    said = predict(program, text_of(recorder.record(program)), expected="1")
    with pytest.raises(InputError, match="two predictions by the name of 'made'"):
        keep(tmp_path / "run", [said, said], recorder)
    assert not is_run(tmp_path / "run")
    failed = replace(said, finish="error", error="gone")
    assert [row["verdict"] for row in keep(tmp_path / "run", [failed, said], recorder)] == ["right"]


def test_a_cut_sample_is_as_difficult_as_one_that_is_not(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    program = Program(LOOP, "f(1500)")
    truth = recorder.record(program)
    text = text_of(truth)
    whole = replace(predict(program, text, expected="1124250"), id="whole")
    cut = replace(predict(program, text[:2000], finish="length", expected="1124250"), id="cut")
    rows = {row["sample"]: row for row in keep(tmp_path / "run", [whole, cut], recorder)}
    for name in ("program_steps", "program_iterations", "program_is_whole", "true_steps", "result"):
        assert rows["cut"][name] == rows["whole"][name]
    assert rows["cut"]["program_steps"] == len(truth.steps)
    assert (rows["cut"]["verdict"], rows["cut"]["outcome"]) == ("cut", "truncated")


def test_a_run_that_is_gone_on_with_is_still_of_what_it_holds(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    target, asked = tmp_path / "run", questions(2)
    make = knowing_engine(recorder, asked)
    sampled = {"settings": Settings(budget=400, temperature=1.0)}
    worded = [replace(asked[0], facets={"number": "none", "topic": "sums"})]
    kinds = {"number": "text", "topic": "text"}
    fill(target, worded, make, recorder, repeats=3, facets=kinds, **sampled)
    fill(target, asked[1:], make, recorder, repeats=1, facets={"number": "int"}, **sampled)
    manifest = read_manifest(target)
    assert (manifest.repeats, manifest.facets, len(manifest.sessions)) == (3, kinds, 2)
    found = query_runs([target], "select distinct number, topic from samples order by all")
    assert found.rows == (("1", None), ("none", "sums"))
