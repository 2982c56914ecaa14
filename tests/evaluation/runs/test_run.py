"""Runs store every sample once, also after errors, kills and resumes."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.runs.samples import fill, is_expected, knowing_engine, manifest_of, questions
from tests.support.paths import PROJECT_ROOT
from worldline.analysis.diagnosis import Diagnosis, diagnose_prediction
from worldline.core.errors import EngineError, InputError
from worldline.core.trace import Trace
from worldline.evaluation.runs import (
    COLUMNS,
    RunWriter,
    evaluate_into_run,
    is_run,
    query_runs,
    read_manifest,
    read_predictions,
    read_run,
    read_scored_samples,
)
from worldline.evaluation.runs import diagnose_predictions as diagnose_module
from worldline.evaluation.runs import run_writer as run_module
from worldline.evaluation.store import open_location, part_files
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Prediction, PredictionSettings


def keys(address: str | Path) -> list[tuple[str, int]]:
    return [(row["sample"], row["repeat"]) for row in read_run(address)]


def test_a_run_contains_every_sample_with_its_verdict_and_facts(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    asked = questions(3)
    new = fill(tmp_path / "run", asked, knowing_engine(recorder, asked[:2]), recorder)
    assert sorted(new, key=lambda row: row.sample) == sorted(
        read_scored_samples(tmp_path / "run"), key=lambda row: row.sample
    )
    rows = {row["sample"]: row for row in read_run(tmp_path / "run")}
    assert [rows[f"s{n}"]["verdict"] for n in range(3)] == ["correct", "correct", "no_answer"]
    row = rows["s1"]
    assert (row["answer"], row["expected"], row["result"]) == ("2", "2", "2")
    assert (row["outcome"], row["actual_steps"], row["matched_steps"]) == ("correct", 7, 7)
    assert json.loads(row["facets"]) == {"number": 1}
    assert len(row["prompt_ids"]) == row["prompt_tokens"] > 0
    assert len(row["completion_ids"]) >= row["usage_completion"] > 0
    assert (row["mode"], row["codec"], row["max_tokens"]) == ("free", "cwm", 400)
    assert row["program_steps"] == 7
    assert set(row) == {column.name for column in COLUMNS}


def test_an_error_in_a_diagnosis_does_not_end_the_run(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = questions(3)

    def fail_once(actual: Trace, prediction: Prediction, **options: Any) -> Diagnosis:
        if prediction.id == "s1" and prediction.finish != "infra_error":
            raise ZeroDivisionError("a bug")
        return diagnose_prediction(actual, prediction, **options)

    monkeypatch.setattr(diagnose_module, "diagnose_prediction", fail_once)
    fill(tmp_path / "run", asked, knowing_engine(recorder, asked), recorder)
    rows = {row["sample"]: row for row in read_run(tmp_path / "run")}
    assert [rows[f"s{n}"]["verdict"] for n in range(3)] == ["correct", "infra_error", "correct"]
    assert "ZeroDivisionError('a bug')" in rows["s1"]["error"]
    monkeypatch.undo()
    again = fill(tmp_path / "run", asked, knowing_engine(recorder, asked), recorder)
    assert [(sample.sample, sample.verdict) for sample in again] == [("s1", "correct")]


def test_rows_contain_only_known_columns(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = questions(2)
    rows: list[dict[str, Any]] = []
    monkeypatch.setattr(RunWriter, "add", lambda run, row: rows.append(row))
    fill(tmp_path / "run", asked, knowing_engine(recorder, asked[:1]), recorder)
    assert len(rows) == 2
    assert set().union(*rows) <= {column.name for column in COLUMNS}


def test_a_prediction_is_read_back_completely(tmp_path: Path, recorder: PythonRecorder) -> None:
    asked = questions(3)
    settings = PredictionSettings(mode="force-actions", max_tokens=400)
    kept: list[Prediction] = []
    with RunWriter(tmp_path / "run") as run:
        make = knowing_engine(recorder, asked)
        rows = evaluate_into_run(
            run, asked, make, recorder, manifest_of(settings=settings), is_correct=is_expected
        )
        assert len(list(rows)) == 3
    kept = sorted(read_predictions(tmp_path / "run"), key=lambda p: p.id)
    assert [p.id for p in kept] == ["s0", "s1", "s2"]
    assert all(p.generation is not None and p.generation.mode == "force-actions" for p in kept)
    assert kept[0].generation is not None
    assert kept[0].generation.forced_spans[0][0] == 0
    assert kept[0].text.endswith("<|end_of_text|>")
    assert kept[0].program == asked[0].program


def test_only_missing_samples_are_predicted_and_questions_may_be_added(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    asked = questions(5)
    make = knowing_engine(recorder, asked)
    assert len(fill(tmp_path / "run", asked[:2], make, recorder)) == 2
    assert len(fill(tmp_path / "run", asked, make, recorder)) == 3
    assert fill(tmp_path / "run", asked, make, recorder) == []
    assert sorted(keys(tmp_path / "run")) == [(f"s{n}", 0) for n in range(5)]
    assert len(read_manifest(tmp_path / "run").sessions) == 2


def test_repeats_are_rows_of_one_sample(tmp_path: Path, recorder: PythonRecorder) -> None:
    asked = questions(2)
    settings = PredictionSettings(max_tokens=400, temperature=1.0, seed=7)
    fill(
        tmp_path / "run", asked, knowing_engine(recorder, asked), recorder,
        settings=settings, repeats=3,
    )  # fmt: skip
    rows = read_run(tmp_path / "run", columns=["seed"])
    assert sorted((row["sample"], row["repeat"], row["seed"]) for row in rows) == [
        (f"s{n}", repeat, 7 + repeat) for n in range(2) for repeat in range(3)
    ]
    assert {p.id for p in read_predictions(tmp_path / "run")} == {
        "s0", "s0#1", "s0#2", "s1", "s1#1", "s1#2",
    }  # fmt: skip


def test_resuming_with_fewer_repeats_keeps_all_rows(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    asked = questions(3)
    settings = PredictionSettings(max_tokens=400, temperature=0.5)
    for some, repeats in ((asked[:2], 3), (asked, 1)):
        fill(
            tmp_path / "run", some, knowing_engine(recorder, asked), recorder,
            settings=settings, repeats=repeats,
        )  # fmt: skip
    assert len(keys(tmp_path / "run")) == 2 * 3 + 1
    assert read_manifest(tmp_path / "run").repeats == 3


def test_a_run_that_never_began_leaves_no_folder(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    for folder in (kept, tmp_path / "runs" / "new"):
        with pytest.raises(EngineError), RunWriter(folder):
            raise EngineError("not there")
    assert kept.exists()
    assert not (tmp_path / "runs" / "new").exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"settings": PredictionSettings(max_tokens=9)}, "with max_tokens 400, not 9"),
        ({"benchmark": "others"}, "benchmark 'sums', not 'others'"),
        ({"options": {"n": 3}}, "options {}, not {'n': 3}"),
    ],
)
def test_different_settings_are_rejected_before_the_first_prediction(
    tmp_path: Path, recorder: PythonRecorder, changed: dict[str, Any], message: str
) -> None:
    asked = questions(2)
    fill(tmp_path / "run", asked[:1], knowing_engine(recorder, asked), recorder)

    def refuse() -> Any:
        raise AssertionError("asked")

    with pytest.raises(InputError, match=message):
        fill(tmp_path / "run", asked, refuse, recorder, **changed)
    assert keys(tmp_path / "run") == [("s0", 0)]


def test_a_different_program_of_the_same_name_is_rejected(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    asked = questions(2)
    make = knowing_engine(recorder, asked)
    fill(tmp_path / "run", asked[:1], make, recorder)
    other = [type(asked[0])("s0", asked[1].program, "2")]
    with pytest.raises(InputError, match="'s0' with a different program"):
        fill(tmp_path / "run", other, make, recorder)


def test_infrastructure_errors_are_stored_until_they_are_retried(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    asked = questions(4)
    make = knowing_engine(recorder, asked)

    def failing() -> Any:
        engine = make()
        generate = engine.generate

        async def fail(request: Any) -> Any:
            if len(request.prompt) % 2:
                raise EngineError("the server is gone")
            return await generate(request)

        object.__setattr__(engine, "generate", fail)
        return engine

    # All prompts have the same length: make half of them one token longer.
    longer = [
        q if n % 2 else type(q)(q.id, type(q.program)(q.program.source, f"f( {n})"), q.expected)
        for n, q in enumerate(asked)
    ]
    make = knowing_engine(recorder, longer)
    fill(tmp_path / "run", longer, failing, recorder)
    make_scored_sample = {row.sample: row.verdict for row in read_scored_samples(tmp_path / "run")}
    assert sorted(make_scored_sample.values()) == [
        "correct",
        "correct",
        "infra_error",
        "infra_error",
    ]
    errors = query_runs(
        [tmp_path / "run"], "select distinct error from samples where verdict = 'infra_error'"
    )
    assert errors.rows == (("the server is gone",),)
    again = fill(tmp_path / "run", longer, make, recorder)
    assert {row.sample for row in again} == {
        s for s, v in make_scored_sample.items() if v == "infra_error"
    }
    assert [row.verdict for row in read_scored_samples(tmp_path / "run")] == ["correct"] * 4


def test_parts_can_be_read_by_hugging_face_datasets(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    datasets = pytest.importorskip("datasets")
    asked = questions(3)
    fill(tmp_path / "run", asked, knowing_engine(recorder, asked), recorder)
    parts = str(tmp_path / "run" / "parts" / "*.parquet")
    rows = datasets.load_dataset(
        "parquet", data_files=parts, split="train", cache_dir=str(tmp_path / "cache")
    )
    assert rows.column_names == [column.name for column in COLUMNS]
    rows = {row["sample"]: row for row in rows}
    assert rows.keys() == {"s0", "s1", "s2"}
    assert (
        rows["s1"]["completion_ids"]
        == {row["sample"]: row for row in read_run(tmp_path / "run")}["s1"]["completion_ids"]
    )


def test_many_infrastructure_errors_do_not_make_small_parts(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "PART_ROWS", 3)
    with RunWriter(tmp_path / "run") as run:
        run.begin(manifest_of())
        for n in range(10):
            run.add({"sample": f"f{n}", "repeat": 0, "program": "x", "finish": "infra_error"})
        for n in range(7):
            run.add({"sample": f"s{n}", "repeat": 0, "program": "x", "finish": "stop"})
    assert len(part_files(open_location(tmp_path / "run"))) == 3
    assert len(keys(tmp_path / "run")) == 17


def test_a_kill_between_part_and_journal_duplicates_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunWriter(tmp_path / "run")
    run.begin(manifest_of())
    run.add({"sample": "a", "repeat": 0, "program": "x", "finish": "stop"})
    monkeypatch.setattr(run._journal, "replace", lambda rows: None)
    run.close()
    assert (tmp_path / "run" / "open.jsonl").read_text().count('"a"') == 1
    assert keys(tmp_path / "run") == [("a", 0)]
    assert query_runs([tmp_path / "run"], "select count(*) from samples").rows == ((1,),)
    with RunWriter(tmp_path / "run") as again:
        again.begin(manifest_of())
    assert keys(tmp_path / "run") == [("a", 0)]


def test_two_processes_cannot_write_the_same_run(tmp_path: Path) -> None:
    with RunWriter(tmp_path / "run"), pytest.raises(InputError, match="another process"):
        RunWriter(tmp_path / "run")


def test_a_folder_with_foreign_files_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    for restart in (False, True):
        with pytest.raises(InputError, match=r"holds 'thesis\.tex' and is not a run"):
            RunWriter(tmp_path, restart=restart)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(InputError, match="is not a run"):
        read_run(tmp_path)
    assert not is_run(tmp_path)


def test_restart_deletes_only_the_runs_own_files(tmp_path: Path, recorder: PythonRecorder) -> None:
    asked = questions(2)
    make = knowing_engine(recorder, asked)
    fill(tmp_path / "run", asked, make, recorder)
    (tmp_path / "run" / "notes.md").write_text("mine")
    with RunWriter(tmp_path / "run", restart=True) as run:
        assert not run.has(asked[0], 0)
    assert (tmp_path / "run" / "notes.md").read_text() == "mine"
    assert not is_run(tmp_path / "run")


SCRIPT = """
import sys, time
from tests.evaluation.runs.samples import *
from worldline.languages.python.recorder import PythonRecorder
from worldline.evaluation.runs import diagnose_predictions as diagnose_module
from worldline.evaluation.runs import run_writer as run_module
run_module.PART_ROWS = 5
with PythonRecorder() as recorder:
    asked = questions(24)
    fill(sys.argv[1], asked, knowing_engine(recorder, asked), recorder)
"""


def test_repeated_kills_lose_and_duplicate_nothing(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    root = PROJECT_ROOT
    target, chance = tmp_path / "run", random.Random(4)
    kills = 0
    before: set[tuple[str, int]] = set()
    for _ in range(200):
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(target)],
            cwd=root,
            env={**os.environ, "PYTHONPATH": f"{root}:{root / 'src'}"},
        )
        has_grown = False
        while process.poll() is None and not has_grown:
            time.sleep(0.01)
            has_grown = is_run(target) and len(keys(target)) > len(before)
        if process.poll() is not None:
            break
        time.sleep(chance.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
        after = keys(target)
        assert len(after) == len(set(after))
        assert before <= set(after)
        before = set(after)
    assert process.returncode == 0
    assert kills >= 3
    assert sorted(keys(target)) == sorted((f"s{n}", 0) for n in range(24))
    assert query_runs([target], "select count(*), count(distinct sample) from samples").rows == (
        (24, 24),
    )
    assert {row.verdict for row in read_scored_samples(target)} == {"correct"}
