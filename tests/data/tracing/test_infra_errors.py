"""Infrastructure errors: failing recorders, dying processes, mismatched machines."""

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

from tests.data.tracing.rows import ids, outcomes, row, trace, write
from worldline.core.errors import InputError, RecorderError, SandboxError
from worldline.core.trace import REDUCED_NOTE, Ending, Limits, Program, Trace
from worldline.data.tracing import (
    OutcomeCounts,
    ShardWorker,
    TraceFilters,
    make_job,
    make_shards,
    run_shard,
)
from worldline.evaluation.store import (
    StoredTrace,
    finished_shards,
    open_location,
    read_stored_traces,
    trace_to_row,
)
from worldline.languages.python.recorder import Cancellation, PythonRecorder
from worldline.languages.sandbox import Sandbox
from worldline.models.tokenizers import train_tokenizer


@pytest.fixture(autouse=True)
def without_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Computing the hashes of all benchmarks takes seconds."""
    monkeypatch.setattr("worldline.data.generation.decontamination.BENCHMARKS", {})


class FailingRecorder(PythonRecorder):
    """Fails on one program, or on all."""

    is_broken = False

    def record(
        self,
        program: Program,
        *,
        limits: Limits | None = None,
        cancellation: Cancellation | None = None,
    ) -> Trace:
        if self.is_broken:
            raise SandboxError("no room")
        if program.call == "f(2)":
            raise RecorderError("no such step")
        return super().record(program, limits=limits, cancellation=cancellation)


def test_failure_of_the_recorder_is_an_infra_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.data.tracing.shard_worker.ProgramRecorder", FailingRecorder)
    (shard,) = make_shards([[("", row(n), "") for n in range(4)]], "s", 10)
    worker = ShardWorker(make_job(), str(tmp_path / "s"))
    counts = worker.run(shard)
    assert counts.outcomes == {"kept": 3, "infra_error": 1}
    assert outcomes(tmp_path / "s")[2]["detail"] == "no such step"
    # If no program can be recorded, the machine is at fault, and nothing is written.
    monkeypatch.setattr(FailingRecorder, "is_broken", True)
    (other,) = make_shards([[("", row(n), "") for n in range(9)]], "s", 10)
    with pytest.raises(SandboxError, match="no room"):
        worker.run(other)
    worker.close()
    assert finished_shards(open_location(tmp_path / "s")) == [shard.name]


class DisturbedRecorder(PythonRecorder):
    """The first execution of one program is killed from outside, and that of another one stalls."""

    recorded: ClassVar[Counter[str]] = Counter()

    def record(
        self,
        program: Program,
        *,
        limits: Limits | None = None,
        cancellation: Cancellation | None = None,
    ) -> Trace:
        trace = super().record(program, limits=limits, cancellation=cancellation)
        self.recorded[program.call or ""] += 1
        ends = {"f(1)": Ending("killed", "SIGKILL"), "f(2)": Ending("time_limit", "more than 5 s")}
        is_first = self.recorded[program.call or ""] == 1
        return (
            replace(trace, ending=ends.get(program.call or "", trace.ending)) if is_first else trace
        )


def test_program_that_was_killed_or_stalled_is_executed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.data.tracing.shard_worker.ProgramRecorder", DisturbedRecorder)
    (shard,) = make_shards([[("", row(n), "") for n in range(4)]], "s", 10)
    worker = ShardWorker(
        make_job(filters=TraceFilters(skip_determinism_check=True)), str(tmp_path / "s")
    )
    assert worker.run(shard).outcomes == {"kept": 4}
    worker.close()
    assert DisturbedRecorder.recorded == {"f()": 1, "f(0)": 1, "f(1)": 2, "f(2)": 2, "f(3)": 1}


def test_unexpected_error_of_one_program_does_not_end_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(stored: StoredTrace) -> dict[str, Any]:
        if stored.id == "p1":
            raise ZeroDivisionError("unexpected")
        return trace_to_row(stored)

    monkeypatch.setattr("worldline.data.tracing.shard_worker.trace_to_row", failing)
    (shard,) = make_shards([[("", row(n), "") for n in range(3)]], "s", 10)
    worker = ShardWorker(
        make_job(filters=TraceFilters(skip_determinism_check=True)), str(tmp_path / "s")
    )
    assert worker.run(shard).outcomes == {"kept": 2, "infra_error": 1}
    worker.close()
    assert outcomes(tmp_path / "s")[1]["detail"] == "ZeroDivisionError('unexpected')"


# A Python whose first two processes kill themselves at startup.
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
import worldline.data.generation.decontamination as decontamination
from worldline.data.tracing import LocalRunner, TraceFilters, make_job, trace_programs
if __name__ == "__main__":
    multiprocessing.set_executable(sys.argv[1])
    decontamination.BENCHMARKS = {}
    job = make_job(filters=TraceFilters(skip_determinism_check=True))
    # Larger than the buffer of a pipe.
    hashes = {f"{n:0100}": "x" for n in range(5000)}
    job = replace(job, decontamination=decontamination.DecontaminationIndex(hashes))
    print(trace_programs(sys.argv[2], [sys.argv[3]], job, LocalRunner(2)).counts.programs)
"""


def test_process_killed_at_startup_does_not_block_the_job(tmp_path: Path) -> None:
    (tmp_path / "killed").mkdir()
    python, program = tmp_path / "python", tmp_path / "job.py"
    python.write_text(
        SHORT_LIVED.format(folder=tmp_path / "killed", python=sys.executable), encoding="utf-8"
    )
    python.chmod(0o755)
    program.write_text(JOB, encoding="utf-8")
    path = write(tmp_path / "a.jsonl", map(row, range(4)))
    result = subprocess.run(
        [sys.executable, program, python, tmp_path / "s", path],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    killed = len(list((tmp_path / "killed").iterdir()))
    assert (result.stdout, killed) == ("4\n", 2), result.stderr


def test_job_ends_if_the_pool_breaks_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pebble.ProcessPool, "schedule", no_room)
    monkeypatch.setattr("worldline.data.tracing.runners.local_runner._RESTART_PAUSE", 0.0)
    result = trace(write(tmp_path / "a.jsonl", [row(1)]), "-o", tmp_path / "s")
    assert result.exit_code == 2
    assert "the pool of processes broke 20 times in a row (no room)" in result.output


def no_room(*_: Any, **__: Any) -> None:
    raise RuntimeError("no room")


@pytest.mark.parametrize("error", [BrokenProcessPool("all expired"), CancelledError()])
def test_broken_pool_is_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    schedule = pebble.ProcessPool.schedule
    scheduled: list[Any] = []

    def fails_first(pool: Any, *words: Any, **named: Any) -> Any:
        scheduled.append(schedule(pool, *words, **named))
        if len(scheduled) > 1:
            return scheduled[-1]
        lost: Future[OutcomeCounts] = Future()
        lost.set_exception(error)
        return lost

    monkeypatch.setattr(pebble.ProcessPool, "schedule", fails_first)
    result = trace(
        write(tmp_path / "a.jsonl", map(row, range(4))), "-o", tmp_path / "s", "--shard", 2
    )
    assert result.exit_code == 0, result.output
    assert ids(tmp_path / "s") == ["p0", "p1", "p2", "p3"]


def test_tokenizer_is_identified_by_its_content(tmp_path: Path) -> None:
    paths = [
        train_tokenizer(
            ["some text"] * 9, tmp_path / name, size=size, special_tokens=("<s>", "</s>")
        )
        for name, size in (("one", 259), ("same", 259), ("other", 260))
    ]
    one, same, other = (make_job(tokenizer=str(path)) for path in paths)
    assert one.hash == same.hash != other.hash
    paths[0].write_bytes(paths[2].read_bytes())
    with pytest.raises(InputError, match="not the tokenizer with which the job was begun"):
        ShardWorker(one, str(tmp_path / "s"))


def test_one_process_can_work_for_two_stores(tmp_path: Path) -> None:
    job = make_job()
    (shard,) = make_shards([[("", row(1), "")]], job.hash, 10)
    for name in ("s", "t"):
        run_shard(job, str(tmp_path / name), shard)
    assert ids(tmp_path / "s") == ids(tmp_path / "t") == ["p1"]


def test_worker_with_a_different_version_is_refused(tmp_path: Path) -> None:
    job = replace(make_job(), python_version="3.10.1")
    with pytest.raises(RecorderError, match="install the same versions on every machine"):
        ShardWorker(job, str(tmp_path / "s"))


def test_traces_from_a_reduced_sandbox_are_kept_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = make_job(filters=TraceFilters(skip_determinism_check=True))
    job = replace(full, sandbox=Sandbox(allow_reduced=True))
    assert job.hash != full.hash
    # As on a machine without bubblewrap.
    monkeypatch.setenv("PATH", "/nowhere")
    (shard,) = make_shards([[("", row(1), "")]], job.hash, 10)
    worker = ShardWorker(job, str(tmp_path / "s"))
    assert worker.run(shard).outcomes == {"kept": 1}
    worker.close()
    (kept,) = read_stored_traces(tmp_path / "s")
    assert any(note.startswith(REDUCED_NOTE) for note in kept.trace.notes)
