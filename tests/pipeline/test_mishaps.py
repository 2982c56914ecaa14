"""What goes wrong on our side is no outcome of a program, and ends no job."""

import subprocess
import sys
from collections import Counter
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pebble
import pytest

from tests.pipeline.rows import ids, outcomes, row, trace, write
from worldline.errors import InputError, RecorderError, SandboxError
from worldline.pipeline import Counts, Filters, Worker, cut_into_shards, make_job, run_shard
from worldline.recorders import PythonRecorder
from worldline.sandbox import Sandbox
from worldline.store import StoredTrace, finished_shards, place_of, read_stored_traces, trace_to_row
from worldline.tokens import make_tokenizer
from worldline.trace import REDUCED_NOTE, Ending, Limits, Program, Trace


@pytest.fixture(autouse=True)
def without_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their keys take seconds."""
    monkeypatch.setattr("worldline.generate.excluded.BENCHMARKS", {})


class Failing(PythonRecorder):
    """Fails on one program, or on all."""

    is_broken = False

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        if self.is_broken:
            raise SandboxError("no room")
        if program.call == "f(2)":
            raise RecorderError("no such step")
        return super().record(program, limits=limits)


def test_what_the_recorder_fails_on_is_no_outcome_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.pipeline.work.PythonRecorder", Failing)
    (shard,) = cut_into_shards([[("", row(n), "") for n in range(4)]], "s", 10)
    worker = Worker(make_job(), str(tmp_path / "s"))
    counts = worker.run(shard)
    assert counts.outcomes == {"kept": 3, "failed": 1}
    assert outcomes(tmp_path / "s")[2]["detail"] == "no such step"
    # Where nothing can be recorded, nothing is known of these programs, and nothing is written.
    monkeypatch.setattr(Failing, "is_broken", True)
    (other,) = cut_into_shards([[("", row(n), "") for n in range(9)]], "s", 10)
    with pytest.raises(SandboxError, match="no room"):
        worker.run(other)
    worker.close()
    assert finished_shards(place_of(tmp_path / "s")) == [shard.name]


class Disturbed(PythonRecorder):
    """Somebody kills the first program from outside, and the machine stalls at the second."""

    recorded: ClassVar[Counter[str]] = Counter()

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        trace = super().record(program, limits=limits)
        self.recorded[program.call or ""] += 1
        ends = {"f(1)": Ending("killed", "SIGKILL"), "f(2)": Ending("time_limit", "more than 5 s")}
        is_first = self.recorded[program.call or ""] == 1
        return (
            replace(trace, ending=ends.get(program.call or "", trace.ending)) if is_first else trace
        )


def test_what_others_have_ended_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.pipeline.work.PythonRecorder", Disturbed)
    (shard,) = cut_into_shards([[("", row(n), "") for n in range(4)]], "s", 10)
    worker = Worker(make_job(filters=Filters(is_once=True)), str(tmp_path / "s"))
    assert worker.run(shard).outcomes == {"kept": 4}
    worker.close()
    assert Disturbed.recorded == {"f()": 1, "f(0)": 1, "f(1)": 2, "f(2)": 2, "f(3)": 1}


def test_one_program_that_nobody_has_thought_of_ends_no_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(stored: StoredTrace) -> dict[str, Any]:
        if stored.id == "p1":
            raise ZeroDivisionError("nobody has thought of it")
        return trace_to_row(stored)

    monkeypatch.setattr("worldline.pipeline.work.trace_to_row", odd)
    (shard,) = cut_into_shards([[("", row(n), "") for n in range(3)]], "s", 10)
    worker = Worker(make_job(filters=Filters(is_once=True)), str(tmp_path / "s"))
    assert worker.run(shard).outcomes == {"kept": 2, "failed": 1}
    worker.close()
    assert outcomes(tmp_path / "s")[1]["detail"] == "ZeroDivisionError('nobody has thought of it')"


# A Python whose first two processes are killed before they have read anything.
SHORT_LIVED = """#!/bin/sh
case "$*" in
*spawn_main*)
    if [ "$(ls '{folder}' | wc -l)" -lt 2 ]; then
        touch "{folder}/$$"
        kill -9 $$
    fi ;;
esac
exec {python} "$@"
"""
JOB = """
import multiprocessing, sys
from dataclasses import replace
import worldline.generate.excluded as excluded
from worldline.pipeline import Filters, LocalRunner, make_job, trace_into
if __name__ == "__main__":
    multiprocessing.set_executable(sys.argv[1])
    excluded.BENCHMARKS = {}
    job = make_job(filters=Filters(is_once=True))
    # More than a pipe holds.
    keys = {f"{n:0100}": "x" for n in range(5000)}
    job = replace(job, excluded=excluded.Excluded(keys))
    print(trace_into(sys.argv[2], [sys.argv[3]], job, LocalRunner(2)).counts.programs)
"""


def test_a_process_that_is_killed_as_it_starts_holds_up_nobody(tmp_path: Path) -> None:
    (tmp_path / "killed").mkdir()
    python, program = tmp_path / "python", tmp_path / "job.py"
    python.write_text(
        SHORT_LIVED.format(folder=tmp_path / "killed", python=sys.executable), encoding="utf-8"
    )
    python.chmod(0o755)
    program.write_text(JOB, encoding="utf-8")
    path = write(tmp_path / "a.jsonl", map(row, range(4)))
    done = subprocess.run(
        [sys.executable, program, python, tmp_path / "s", path],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, len(list((tmp_path / "killed").iterdir()))) == ("4\n", 2), done.stderr


def test_where_no_process_can_be_kept_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pebble.ProcessPool, "schedule", no_room)
    monkeypatch.setattr("worldline.pipeline.runners.local._PAUSE", 0.0)
    found = trace(write(tmp_path / "a.jsonl", [row(1)]), "-o", tmp_path / "s")
    assert found.exit_code == 2
    assert "no process can be kept here, 20 times in a row (no room)" in found.output


def no_room(*_: Any, **__: Any) -> None:
    raise RuntimeError("no room")


@pytest.mark.parametrize("error", [BrokenProcessPool("all expired"), CancelledError()])
def test_a_pool_that_gives_up_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    schedule = pebble.ProcessPool.schedule
    scheduled: list[Any] = []

    def fails_first(pool: Any, *words: Any, **named: Any) -> Any:
        scheduled.append(schedule(pool, *words, **named))
        if len(scheduled) > 1:
            return scheduled[-1]
        lost: Future[Counts] = Future()
        lost.set_exception(error)
        return lost

    monkeypatch.setattr(pebble.ProcessPool, "schedule", fails_first)
    found = trace(
        write(tmp_path / "a.jsonl", map(row, range(4))), "-o", tmp_path / "s", "--shard", 2
    )
    assert found.exit_code == 0, found.output
    assert ids(tmp_path / "s") == ["p0", "p1", "p2", "p3"]


def test_a_vocabulary_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    paths = [
        make_tokenizer(["some text"] * 9, tmp_path / name, size=size, specials=("<s>", "</s>"))
        for name, size in (("one", 259), ("same", 259), ("other", 260))
    ]
    one, same, other = (make_job(tokenizer=str(path)) for path in paths)
    assert one.hash == same.hash != other.hash
    paths[0].write_bytes(paths[2].read_bytes())
    with pytest.raises(InputError, match="not the vocabulary that the job was begun with"):
        Worker(one, str(tmp_path / "s"))


def test_a_process_that_works_for_two_stores_keeps_them_apart(tmp_path: Path) -> None:
    job = make_job()
    (shard,) = cut_into_shards([[("", row(1), "")]], job.hash, 10)
    for name in ("s", "t"):
        run_shard(job, str(tmp_path / name), shard)
    assert ids(tmp_path / "s") == ids(tmp_path / "t") == ["p1"]


def test_a_worker_of_another_version_refuses(tmp_path: Path) -> None:
    job = replace(make_job(), version="3.10.1")
    with pytest.raises(RecorderError, match="install the same on every machine"):
        Worker(job, str(tmp_path / "s"))


def test_a_reduced_sandbox_is_stamped_and_its_traces_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = make_job(filters=Filters(is_once=True))
    job = replace(full, sandbox=Sandbox(is_reduced=True))
    assert job.hash != full.hash
    # As on a machine without bubblewrap.
    monkeypatch.setenv("PATH", "/nowhere")
    (shard,) = cut_into_shards([[("", row(1), "")]], job.hash, 10)
    worker = Worker(job, str(tmp_path / "s"))
    assert worker.run(shard).outcomes == {"kept": 1}
    worker.close()
    (kept,) = read_stored_traces(tmp_path / "s")
    assert any(note.startswith(REDUCED_NOTE) for note in kept.trace.notes)
