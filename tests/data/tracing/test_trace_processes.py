"""Processes of `worldline trace`: interruptions, progress, waiting shards and what is left."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.data.tracing.rows import ids, row, slow_rows, trace, write
from tests.support.processes import process_tree
from worldline.data.tracing import (
    LocalRunner,
    Shard,
    TraceFilters,
    make_job,
    make_shards,
)
from worldline.evaluation.store import (
    finished_shards,
    open_location,
)

COMMAND = """
import worldline.interfaces.cli.progress as progress
import worldline.data.generation.decontamination as decontamination
decontamination.BENCHMARKS = {}
progress.ProgressReporter.__init__.__kwdefaults__["every"] = 0.0
from worldline.interfaces.cli import main
main()
"""


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start the command in its own process, which does not ignore SIGINT."""
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "trace", "a.jsonl", "-o", "s", "--workers", "2", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for(store: Path, shards: int) -> None:
    """Wait until `shards` shards are finished."""
    deadline = time.monotonic() + 120
    while len(list(store.glob("outcomes/*.parquet"))) < shards:
        assert time.monotonic() < deadline, "nothing was done"
        time.sleep(0.02)


def workers_of(pid: int) -> list[int]:
    """Process ids of the pool's workers."""
    workers = []
    for child in process_tree(pid):
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                workers.append(child)
    return workers


@pytest.mark.parametrize("how", ["ctrl-c", "killed", "a worker killed"])
def test_interrupted_job_resumes(tmp_path: Path, how: str) -> None:
    # Eight shards: when two are finished, others are being processed and others wait.
    rows = slow_rows(40, 0.2)
    write(tmp_path / "a.jsonl", rows)
    process = start(tmp_path, "--shard", "5")
    wait_for(tmp_path / "s", 2)
    if how == "ctrl-c":
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert "Interrupted. Run the same command again to resume." in err
    elif how == "killed":
        process.kill()
        # The pipes close when the last process that has them is gone: no orphan is left.
        process.communicate(timeout=60)
    else:
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        out, err = process.communicate(timeout=180)
        assert process.returncode == 0, err
        assert "40 of 40 results are as expected" in out
    done = len(finished_shards(open_location(tmp_path / "s")))
    assert 2 <= done <= 8
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--workers", 2, "--shard", 5)
    assert f"{done * 5} were done before" in result.output
    assert "40 of 40 results are as expected" in result.output
    assert ids(tmp_path / "s") == [each["id"] for each in rows]


def test_progress_is_written_as_json_lines(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", map(row, range(30)))
    _, err = start(tmp_path, "--shard", "5").communicate(timeout=120)
    reports = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
    assert [report["done"] for report in reports] == [5, 10, 15, 20, 25, 30]
    assert reports[-1]["about"] == 30
    assert reports[-1]["seconds_left"] == 0
    assert reports[0]["about"] >= 10


def test_slow_shard_does_not_block_the_others(tmp_path: Path) -> None:
    rows = [*slow_rows(5, 0.5), *(row(n, id=f"q{n}") for n in range(60))]
    write(tmp_path / "a.jsonl", rows)
    trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--shard", 5, "--workers", 2)
    written = sorted((tmp_path / "s" / "outcomes").iterdir(), key=lambda path: path.stat().st_mtime)
    assert len(written) == 13
    # The other process did most of the rest meanwhile.
    assert [path.name for path in written].index(min(path.name for path in written)) > 6
    assert len(ids(tmp_path / "s")) == 65


def test_number_of_waiting_shards_is_bounded(tmp_path: Path) -> None:
    """However long the input is, the shards in memory do not grow."""
    job = make_job(filters=TraceFilters(skip_determinism_check=True), shard_programs=2)
    shards = make_shards([[("", row(n), "") for n in range(40)]], job.hash, 2)
    taken = done = max_waiting = 0

    def counted() -> Iterator[Shard]:
        nonlocal taken, max_waiting
        for shard in shards:
            taken += 1
            max_waiting = max(max_waiting, taken - done)
            yield shard

    for _ in LocalRunner(2).run(job, str(tmp_path / "s"), counted()):
        done += 1
    assert (taken, done) == (20, 20)
    assert max_waiting <= 5


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has control groups")
def test_processes_of_the_pool_leave_nothing(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    folder.chmod(0o755)
    write(tmp_path / "a.jsonl", [row(1), row(2)])
    command = [sys.executable, "-m", "worldline", "trace", str(tmp_path / "a.jsonl")]
    options = ["-o", str(tmp_path / "s"), "--workers", "1"]
    environment = dict(os.environ) | {"TMPDIR": str(folder)}
    process = subprocess.run([*command, *options], capture_output=True, text=True, env=environment)
    assert process.returncode == 0, process.stderr
    assert list(folder.glob("worldline-sandbox-*")) == []
    # Those of a sandbox have the number of its process; those of a CPU meter have not.
    groups = list(Path("/sys/fs/cgroup").glob("*/worldline-[0-9]*-*"))
    abandoned = [path for path in groups if not Path("/proc", path.name.split("-")[1]).exists()]
    assert abandoned == []
