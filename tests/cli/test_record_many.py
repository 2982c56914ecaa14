"""`worldline record PROGRAMS.jsonl`: all programs are recorded once, in order, and counted."""

import gzip
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from worldline.cli import main
from worldline.errors import RecorderError
from worldline.predict import read_questions
from worldline.recorders import PythonRecorder
from worldline.runs import RecordingSummary, recorder_pool
from worldline.store import (
    part_files,
    place_of,
    read_stored_traces,
    trace_to_row,
    write_trace_rows,
)
from worldline.trace import Limits, Program, Trace

CODE = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"


def row(number: int, **fields: Any) -> dict[str, Any]:
    expected = str(sum(range(number % 7)))
    return {
        "id": f"p{number}",
        "code": CODE,
        "call": f"f({number % 7})",
        "expected": expected,
    } | fields


def write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(item) + "\n" for item in rows), encoding="utf-8")
    return path


def record(*words: object) -> Result:
    return CliRunner().invoke(main, ["record", *map(str, words)])


def ids(folder: Path) -> list[str]:
    return [stored.id for stored in read_stored_traces(folder)]


def test_every_program_is_a_row_in_the_order_of_the_file(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    rows = [
        *(row(n, facets={"depth": n}) for n in range(120)),
        {"id": "raises", "code": "def f():\n    return 1 // 0\n", "call": "f()"},
        {"id": "broken", "code": "def f(:\n", "call": "f()"},
        {"id": "endless", "code": "def f():\n    while True:\n        pass\n", "call": "f()"},
        {"id": "dies", "code": "import os\ndef f():\n    os._exit(3)\n", "call": "f()"},
        row(3, id="wrong", expected="99"),
    ]
    found = record(
        write(tmp_path / "a.jsonl", rows), "-o", tmp_path / "t", "--workers", 2, "--steps", 500
    )
    assert found.exit_code == 0, found.output
    assert ids(tmp_path / "t") == [item["id"] for item in rows]
    assert len(part_files(place_of(tmp_path / "t"))) > 1
    counts = dict(re.findall(r"(?m)^ +([\d,]+) ([a-z ]+)$", found.output))
    assert counts == {"121": "finished", "1": counts["1"]}
    assert sum(int(n) for n, _ in re.findall(r"(?m)^ +([\d,]+) ([a-z ]+)$", found.output)) == 125
    assert "120 of 121 results are the expected ones\nnot as expected: wrong" in found.output
    stored = {item.id: item for item in read_stored_traces(tmp_path / "t")}
    assert stored["p5"].facets == {"depth": 5}
    assert stored["p5"].trace.steps == recorder.record(Program(CODE, "f(5)")).steps
    endings = {name: stored[name].trace.ending.reason for name in ("raises", "endless", "dies")}
    assert endings == {"raises": "raised", "endless": "step_limit", "dies": "killed"}
    assert stored["broken"].trace.ending.reason == "not_loaded"


def test_a_rerun_records_only_what_is_missing(tmp_path: Path) -> None:
    rows = [row(n) for n in range(60)]
    write(tmp_path / "a.jsonl", rows[:20])
    record(tmp_path / "a.jsonl", "-o", tmp_path / "t")
    before = {path: os.stat(path).st_mtime_ns for path in part_files(place_of(tmp_path / "t"))}
    write(tmp_path / "a.jsonl", rows)
    found = record(tmp_path / "a.jsonl", "-o", tmp_path / "t")
    assert "60 programs" in found.output
    assert "20 were there already" in found.output
    assert ids(tmp_path / "t") == [item["id"] for item in rows]
    again = record(tmp_path / "a.jsonl", "-o", tmp_path / "t")
    assert "60 were there already" in again.output
    assert {path: os.stat(path).st_mtime_ns for path in before} == before


def test_packed_files_and_cruxeval_rows(tmp_path: Path) -> None:
    line = json.dumps({"id": "a", "code": CODE, "input": "4", "output": "6"})
    with gzip.open(tmp_path / "a.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(line)
    found = record(tmp_path / "a.jsonl.gz", "-o", tmp_path / "t")
    assert "1 of 1 results are the expected ones" in found.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--steps", "9"], r"were recorded with limits .*; name another folder with -o, or begin"),
        (["--call", "f(1)"], "--call is for one program"),
        (["--format", "json"], "--format is for one program; .* with worldline export"),
    ],
)
def test_other_settings_are_refused(tmp_path: Path, words: list[str], message: str) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    record(tmp_path / "a.jsonl", "-o", tmp_path / "t")
    found = record(tmp_path / "a.jsonl", "-o", tmp_path / "t", *words)
    assert found.exit_code == 2
    assert re.search(message, found.output)
    if "--steps" in words:
        again = record(tmp_path / "a.jsonl", "-o", tmp_path / "t", *words, "--restart")
        assert again.exit_code == 0
        assert "already" not in again.output


def test_another_program_of_the_same_name_is_refused(tmp_path: Path) -> None:
    record(write(tmp_path / "a.jsonl", [row(1)]), "-o", tmp_path / "t")
    found = record(write(tmp_path / "a.jsonl", [row(1, call="f(5)")]), "-o", tmp_path / "t")
    assert found.exit_code == 2
    assert "another program by the name of 'p1'" in found.output


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "mine.txt").write_text("mine", encoding="utf-8")
    for words in ([], ["--restart"]):
        found = record(tmp_path / "a.jsonl", "-o", tmp_path / "t", *words)
        assert found.exit_code == 2
        assert "holds 'mine.txt' and no traces.json" in found.output
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["mine.txt"]


def test_without_a_folder_it_says_how_to_name_one(tmp_path: Path) -> None:
    found = record(write(tmp_path / "a.jsonl", [row(1)]))
    assert found.exit_code == 2
    assert "name a folder for their traces with -o" in found.output


def start(tmp_path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "worldline", "record", "a.jsonl", "-o", "t", "--workers", "2"]
    return subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever started the tests in the background had them ignore ctrl-c, and so would this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return [int(word) for word in text.split()]


def recording_processes(pid: int) -> list[int]:
    """Those of the pool that have a program's interpreter of their own."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = [child for child in children(pid) if children(child)]
        if len(found) >= 2:
            return found
        time.sleep(0.02)
    raise AssertionError("no process began to record")


def slow_rows(count: int, seconds: float) -> list[dict[str, Any]]:
    """Programs that take their time."""
    known = {"code": f"import time\ndef f(n):\n    time.sleep({seconds})\n    return n\n"}
    return [known | {"id": f"p{n}", "call": f"f({n})", "expected": str(n)} for n in range(count)]


def test_ctrl_c_keeps_what_is_recorded_and_the_same_command_goes_on(tmp_path: Path) -> None:
    rows = slow_rows(400, 0.1)
    write(tmp_path / "a.jsonl", rows)
    process = start(tmp_path)
    recording_processes(process.pid)
    time.sleep(8)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    kept = ids(tmp_path / "t")
    assert 6 <= len(kept) < 400
    assert f"stopped: {400 - len(kept)} are left; the same command goes on" in err
    found = record(tmp_path / "a.jsonl", "-o", tmp_path / "t", "--workers", 2)
    assert f"{len(kept)} were there already" in found.output
    assert "400 of 400 results are the expected ones" in found.output
    assert ids(tmp_path / "t") == [item["id"] for item in rows]


def test_stopped_after_a_restart_the_command_without_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> RecordingSummary:
        return RecordingSummary(1, 0, left=1)

    monkeypatch.setattr("worldline.cli.many.record_into", stopped)
    command = (write(tmp_path / "a.jsonl", [row(1)]), "-o", tmp_path / "t")
    assert "1 are left; the same command goes on\n" in record(*command).output
    anew = record(*command, "--restart")
    assert anew.exit_code == 130
    assert "1 are left; the same command without --restart goes on\n" in anew.output


def test_a_process_that_is_killed_takes_no_program_along(tmp_path: Path) -> None:
    rows = slow_rows(120, 0.02)
    write(tmp_path / "a.jsonl", rows)
    process = start(tmp_path)
    os.kill(recording_processes(process.pid)[0], signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "120 of 120 results are the expected ones" in out
    assert sorted(ids(tmp_path / "t")) == sorted(item["id"] for item in rows)


def test_killed_whole_it_is_gone_on_with_and_nothing_is_there_twice(tmp_path: Path) -> None:
    rows = slow_rows(120, 0.02)
    write(tmp_path / "a.jsonl", rows)
    process = start(tmp_path)
    recording_processes(process.pid)
    process.kill()
    # The pipes close when the last process that has them is gone: no orphan is left.
    process.communicate(timeout=30)
    found = record(tmp_path / "a.jsonl", "-o", tmp_path / "t", "--workers", 2)
    assert "120 of 120 results are the expected ones" in found.output
    assert ids(tmp_path / "t") == [item["id"] for item in rows]


def test_a_damaged_folder_can_be_begun_anew(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    record(tmp_path / "a.jsonl", "-o", tmp_path / "t")
    (tmp_path / "t" / "traces.json").write_text('{"format": 99}', encoding="utf-8")
    found = record(tmp_path / "a.jsonl", "-o", tmp_path / "t")
    assert found.exit_code == 2
    assert "another version of worldline wrote it; name another folder" in found.output
    again = record(tmp_path / "a.jsonl", "-o", tmp_path / "t", "--restart")
    assert again.exit_code == 0
    assert ids(tmp_path / "t") == ["p1"]


def test_what_the_recorder_fails_on_is_counted_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a pool of processes nothing can be patched, so the batch is recorded here."""

    class Failing(PythonRecorder):
        def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
            if program.call == "f(2)":
                raise RecorderError("no room")
            return super().record(program, limits=limits)

    questions = list(read_questions(write(tmp_path / "a.jsonl", [row(n) for n in range(4)])))
    with Failing() as failing:
        for name, value in (
            ("_recorder", failing),
            ("_limits", Limits()),
            ("_count", multiprocessing.Value("q", 0)),
            ("_is_stopped", multiprocessing.Event()),
        ):
            monkeypatch.setattr(recorder_pool, name, value, raising=False)
        batch = recorder_pool.Batch(str(tmp_path / "t"), tuple(enumerate(questions)))
        done = recorder_pool._record_batch(batch)
        assert (done.failed, done.first_failure) == (1, "p2: no room")
        assert ids(tmp_path / "t") == ["p0", "p1", "p3"]
        monkeypatch.setattr(recorder_pool, "_recorder", PythonRecorder())
        again = recorder_pool.Batch(str(tmp_path / "t"), ((2, questions[2]),))
        assert recorder_pool._record_batch(again).failed == 0
        recorder_pool._recorder.close()
    assert ids(tmp_path / "t") == ["p0", "p1", "p2", "p3"]


def test_gaps_are_filled_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Two processes that were stopped leave two gaps, which one process fills."""
    rows = [row(n) for n in range(120)]
    place = place_of(tmp_path / "t")
    record(write(tmp_path / "a.jsonl", rows), "-o", tmp_path / "t", "--workers", 1)
    stored = [trace_to_row(each) for each in read_stored_traces(tmp_path / "t")]
    for path in part_files(place):
        place.remove(path)
    write_trace_rows(place, 0, stored[:20])
    write_trace_rows(place, 60, stored[60:70])
    found = record(tmp_path / "a.jsonl", "-o", tmp_path / "t", "--workers", 1)
    assert "30 were there already" in found.output
    assert ids(tmp_path / "t") == [item["id"] for item in rows]
