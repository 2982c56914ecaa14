"""A run keeps what was asked, once, whatever happens to whoever asks."""

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

from tests.runs.samples import fill, is_expected, knowing_engine, manifest_of, questions
from worldline.errors import EngineError, InputError
from worldline.predict import Prediction, Settings
from worldline.recorders import PythonRecorder
from worldline.runs import (
    COLUMNS,
    Run,
    ask_into,
    is_run,
    query_runs,
    read_judged,
    read_manifest,
    read_predictions,
    read_run,
)
from worldline.runs import run as run_module
from worldline.store import part_files, place_of


def keys(address: str | Path) -> list[tuple[str, int]]:
    return [(row["sample"], row["repeat"]) for row in read_run(address)]


def test_a_run_holds_every_sample_with_its_verdict_and_facts(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    asked = questions(3)
    new = fill(tmp_path / "run", asked, knowing_engine(recorder, asked[:2]), recorder)
    assert sorted(new, key=lambda row: row.sample) == sorted(
        read_judged(tmp_path / "run"), key=lambda row: row.sample
    )
    found = {row["sample"]: row for row in read_run(tmp_path / "run")}
    assert [found[f"s{n}"]["verdict"] for n in range(3)] == ["right", "right", "no_answer"]
    row = found["s1"]
    assert (row["answer"], row["expected"], row["result"]) == ("2", "2", "2")
    assert (row["outcome"], row["true_steps"], row["matched_steps"]) == ("correct", 7, 7)
    assert json.loads(row["facets"]) == {"number": 1}
    assert len(row["prompt_ids"]) == row["prompt_tokens"] > 0
    assert len(row["ids"]) >= row["usage_written"] > 0
    assert (row["mode"], row["codec"], row["budget"]) == ("free", "cwm", 400)
    assert row["program_steps"] == 7
    assert set(row) == {column.name for column in COLUMNS}


def test_rows_have_no_name_that_is_no_column(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = questions(2)
    rows: list[dict[str, Any]] = []
    monkeypatch.setattr(Run, "add", lambda run, row: rows.append(row))
    fill(tmp_path / "run", asked, knowing_engine(recorder, asked[:1]), recorder)
    assert len(rows) == 2
    assert set().union(*rows) <= {column.name for column in COLUMNS}


def test_the_prediction_comes_back_whole(tmp_path: Path, recorder: PythonRecorder) -> None:
    asked = questions(3)
    settings = Settings(mode="force-actions", budget=400)
    kept: list[Prediction] = []
    with Run(tmp_path / "run") as run:
        make = knowing_engine(recorder, asked)
        rows = ask_into(
            run, asked, make, recorder, manifest_of(settings=settings), is_right=is_expected
        )
        assert len(list(rows)) == 3
    kept = sorted(read_predictions(tmp_path / "run"), key=lambda p: p.id)
    assert [p.id for p in kept] == ["s0", "s1", "s2"]
    assert all(p.asked is not None and p.asked.mode == "force-actions" for p in kept)
    assert kept[0].asked is not None
    assert kept[0].asked.given[0][0] == 0
    assert kept[0].text.endswith("<|end_of_text|>")
    assert kept[0].program == asked[0].program


def test_only_what_is_missing_is_asked_and_a_larger_question_set_goes_on(
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
    settings = Settings(budget=400, temperature=1.0, seed=7)
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


def test_fewer_repeats_take_none_away(tmp_path: Path, recorder: PythonRecorder) -> None:
    asked = questions(3)
    settings = Settings(budget=400, temperature=0.5)
    for some, repeats in ((asked[:2], 3), (asked, 1)):
        fill(
            tmp_path / "run", some, knowing_engine(recorder, asked), recorder,
            settings=settings, repeats=repeats,
        )  # fmt: skip
    assert len(keys(tmp_path / "run")) == 2 * 3 + 1
    assert read_manifest(tmp_path / "run").repeats == 3


def test_what_never_began_leaves_no_folder(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    for folder in (kept, tmp_path / "runs" / "new"):
        with pytest.raises(EngineError), Run(folder):
            raise EngineError("not there")
    assert kept.exists()
    assert not (tmp_path / "runs" / "new").exists()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"settings": Settings(budget=9)}, "with budget 400, not 9"),
        ({"benchmark": "others"}, "benchmark 'sums', not 'others'"),
        ({"options": {"n": 3}}, "options {}, not {'n': 3}"),
    ],
)
def test_another_way_of_asking_is_refused_before_anything_is_asked(
    tmp_path: Path, recorder: PythonRecorder, changed: dict[str, Any], said: str
) -> None:
    asked = questions(2)
    fill(tmp_path / "run", asked[:1], knowing_engine(recorder, asked), recorder)

    def refuse() -> Any:
        raise AssertionError("asked")

    with pytest.raises(InputError, match=said):
        fill(tmp_path / "run", asked, refuse, recorder, **changed)
    assert keys(tmp_path / "run") == [("s0", 0)]


def test_another_program_of_the_same_name_is_refused(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    asked = questions(2)
    make = knowing_engine(recorder, asked)
    fill(tmp_path / "run", asked[:1], make, recorder)
    other = [type(asked[0])("s0", asked[1].program, "2")]
    with pytest.raises(InputError, match="another program by the name of 's0'"):
        fill(tmp_path / "run", other, make, recorder)


def test_failures_are_kept_until_they_are_asked_again(
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

    # Prompts are alike in length: make half of them one token longer.
    longer = [
        q if n % 2 else type(q)(q.id, type(q.program)(q.program.source, f"f( {n})"), q.expected)
        for n, q in enumerate(asked)
    ]
    make = knowing_engine(recorder, longer)
    fill(tmp_path / "run", longer, failing, recorder)
    judged = {row.sample: row.verdict for row in read_judged(tmp_path / "run")}
    assert sorted(judged.values()) == ["failed", "failed", "right", "right"]
    errors = query_runs(
        [tmp_path / "run"], "select distinct error from samples where verdict = 'failed'"
    )
    assert errors.rows == (("the server is gone",),)
    again = fill(tmp_path / "run", longer, make, recorder)
    assert {row.sample for row in again} == {s for s, v in judged.items() if v == "failed"}
    assert [row.verdict for row in read_judged(tmp_path / "run")] == ["right"] * 4


def test_parts_are_read_by_hugging_face_datasets(tmp_path: Path, recorder: PythonRecorder) -> None:
    datasets = pytest.importorskip("datasets")
    asked = questions(3)
    fill(tmp_path / "run", asked, knowing_engine(recorder, asked), recorder)
    parts = str(tmp_path / "run" / "parts" / "*.parquet")
    found = datasets.load_dataset(
        "parquet", data_files=parts, split="train", cache_dir=str(tmp_path / "cache")
    )
    assert found.column_names == [column.name for column in COLUMNS]
    rows = {row["sample"]: row for row in found}
    assert rows.keys() == {"s0", "s1", "s2"}
    assert (
        rows["s1"]["ids"] == {row["sample"]: row for row in read_run(tmp_path / "run")}["s1"]["ids"]
    )


def test_many_failures_do_not_make_small_parts(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "PART_ROWS", 3)
    with Run(tmp_path / "run") as run:
        run.begin(manifest_of())
        for n in range(10):
            run.add({"sample": f"f{n}", "repeat": 0, "program": "x", "finish": "error"})
        for n in range(7):
            run.add({"sample": f"s{n}", "repeat": 0, "program": "x", "finish": "stop"})
    assert len(part_files(place_of(tmp_path / "run"))) == 3
    assert len(keys(tmp_path / "run")) == 17


def test_a_kill_between_part_and_journal_counts_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path / "run")
    run.begin(manifest_of())
    run.add({"sample": "a", "repeat": 0, "program": "x", "finish": "stop"})
    monkeypatch.setattr(run._journal, "replace", lambda rows: None)
    run.close()
    assert (tmp_path / "run" / "open.jsonl").read_text().count('"a"') == 1
    assert keys(tmp_path / "run") == [("a", 0)]
    assert query_runs([tmp_path / "run"], "select count(*) from samples").rows == ((1,),)
    with Run(tmp_path / "run") as again:
        again.begin(manifest_of())
    assert keys(tmp_path / "run") == [("a", 0)]


def test_two_processes_do_not_write_one_run(tmp_path: Path) -> None:
    with Run(tmp_path / "run"), pytest.raises(InputError, match="another process"):
        Run(tmp_path / "run")


def test_a_folder_of_something_else_does_not_become_a_run(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    for is_restarted in (False, True):
        with pytest.raises(InputError, match=r"holds 'thesis\.tex' and is no run"):
            Run(tmp_path, is_restarted=is_restarted)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(InputError, match="is no run"):
        read_run(tmp_path)
    assert not is_run(tmp_path)


def test_restart_takes_the_runs_own_files_only(tmp_path: Path, recorder: PythonRecorder) -> None:
    asked = questions(2)
    make = knowing_engine(recorder, asked)
    fill(tmp_path / "run", asked, make, recorder)
    (tmp_path / "run" / "notes.md").write_text("mine")
    with Run(tmp_path / "run", is_restarted=True) as run:
        assert not run.has(asked[0], 0)
    assert (tmp_path / "run" / "notes.md").read_text() == "mine"
    assert not is_run(tmp_path / "run")


SCRIPT = """
import sys, time
from tests.runs.samples import *
from worldline.recorders import PythonRecorder
from worldline.runs import run as run_module
run_module.PART_ROWS = 5
with PythonRecorder() as recorder:
    asked = questions(24)
    fill(sys.argv[1], asked, knowing_engine(recorder, asked), recorder)
"""


def test_killed_again_and_again_nothing_is_lost_or_done_twice(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    root = Path(__file__).parent.parent.parent
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
    assert {row.verdict for row in read_judged(target)} == {"right"}
