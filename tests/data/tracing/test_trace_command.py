"""`worldline trace`: every program has one outcome, kept traces are correct, runs resume."""

import hashlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from click.testing import CliRunner

from tests.conftest import data_file
from tests.data.tracing.rows import CODE, ids, outcomes, row, slow_rows, trace, traces, write
from tests.interfaces.cli.commands import run
from tests.support.processes import process_tree
from worldline.core.trace import Program
from worldline.core.trace.python_syntax import wrap_call
from worldline.data.tracing import (
    DEFAULT_LIMITS,
    LocalRunner,
    Shard,
    TraceFilters,
    TraceJob,
    make_job,
    make_shards,
)
from worldline.evaluation.store import (
    OUTCOME_COLUMNS,
    Column,
    PartBuilder,
    finished_shards,
    is_unfinished,
    open_location,
    parquet_bytes,
    read_stored_traces,
)
from worldline.interfaces.cli import main
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.sandbox import Sandbox


@pytest.fixture(autouse=True)
def without_benchmarks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Computing the hashes of all benchmarks takes seconds; only one test needs them."""
    if request.node.get_closest_marker("data") is None:
        monkeypatch.setattr("worldline.data.generation.decontamination.BENCHMARKS", {})


# A program for every outcome.
PROGRAMS: dict[str, tuple[str, dict[str, Any]]] = {
    "fine": ("kept", row(1)),
    "raises": ("kept", {"code": "def f():\n    return 1 // 0\n", "call": "f()"}),
    "again": ("duplicate", row(1)),
    "benchmark's": (
        "contaminated",
        {"code": "def h(x):  # other words\n    return [x,x]\n", "call": "h('x')"},
    ),
    "no call": ("unreadable", {"code": CODE}),
    "bad call": ("unreadable", {"code": CODE, "call": "f(("}),
    "half a letter": ("unreadable", {"code": CODE, "call": "f(1)", "stdin": "\ud800"}),
    "odd facet": ("unreadable", {**row(3), "facets": {"share": 0.5}}),
    "not odd": ("kept", row(3)),
    "context": (
        "contaminated",
        {"context": wrap_call("def h(x):\n    return [x, x]\n", "h('x')")},
    ),
    "huge number": (
        "kept",
        {"code": f"def f(n):\n    x = 0x{'f' * 5000}\n    return x % 7 + n\n", "call": "f(1)"},
    ),
    "broken": ("not_loaded", {"code": "def f(:\n", "call": "f()"}),
    "endless": ("step_limit", {"code": "def f():\n    while True:\n        pass\n", "call": "f()"}),
    "busy": ("time_limit", {"code": "def f(): return sum(range(10**12))\n", "call": "f()"}),
    "sleeps": ("time_limit", {"code": "import time\ndef f(): time.sleep(9)\n", "call": "f()"}),
    "large": ("memory_limit", {"code": "def f(): return len(bytes(1 << 33))\n", "call": "f()"}),
    "loud": ("output_limit", {"code": "def f(): print('x' * 5_000_000)\n", "call": "f()"}),
    "dies": ("killed", {"code": "import os\ndef f(): os._exit(3)\n", "call": "f()"}),
    "cheats": ("forbidden_call", {"code": "import os\ndef f(): os.chroot('/')\n", "call": "f()"}),
    "threads": (
        "incomplete",
        {
            "code": "import threading\ndef f():\n    t = threading.Thread(target=len, args=('',))\n"
            "    t.start(); t.join()\n",
            "call": "f()",
        },
    ),
    "address": ("non_deterministic", {"code": "def f(): return id(f)\n", "call": "f()"}),
    "order": (
        "non_deterministic",
        {"code": "def f(): return list({'a', 'b', 'c', 'd'})\n", "call": "f()"},
    ),
    "time": (
        "non_deterministic",
        {"code": "import time\ndef f(): return time.time()\n", "call": "f()"},
    ),
    "chance": (
        "non_deterministic",
        {"code": "import random\ndef f():\n    print(random.random() < 2, random.random())\n"}
        | {"call": "f()"},
    ),
    "seeded": (
        "kept",
        {"code": "import random\ndef f(): return random.Random(1).random()\n", "call": "f()"},
    ),
    "short": ("too_short", {"code": "def f(): pass\n", "call": "len('abc')"}),
}


def test_every_kind_of_program_has_its_outcome(tmp_path: Path) -> None:
    known = {"id": "b", "code": "def g(q):\n    return [q, q]\n", "call": "g(1)"}
    mine = write(tmp_path / "mine.jsonl", [known])
    rows = [{**fields, "id": name} for name, (_, fields) in PROGRAMS.items()]
    write(tmp_path / "a.jsonl", rows)
    with (tmp_path / "a.jsonl").open("a", encoding="utf-8") as file:
        file.write("{not json\n")
    words = ("--steps", 2000, "--seconds", 3, "--min-steps", 5, "--exclude", mine, "--workers", 1)
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
    assert result.exit_code == 0, result.output
    expected = {name: outcome for name, (outcome, _) in PROGRAMS.items()} | {None: "unreadable"}
    rows = outcomes(tmp_path / "s")
    assert {row["id"]: row["outcome"] for row in rows} == expected
    assert [row["number"] for row in rows] == list(range(len(expected)))
    assert ids(tmp_path / "s") == ["fine", "raises", "not odd", "huge number", "seeded"]
    details = {row["id"]: row["detail"] for row in rows}
    assert details["benchmark's"] == details["context"] == str(mine)
    assert details["order"] == "step 4"
    assert details["chance"] == "standard output"
    assert re.search(r"line 27 of a.jsonl: not JSON", details[None])
    # The counts in the report add up to the number of programs.
    lines = re.findall(r"(?m)^ +([\d,]+) ([a-z ]+)$", result.output)
    assert sum(int(number) for number, _ in lines) == len(expected)
    assert f"{len(expected)} programs in 1 shard\n" in result.output
    assert re.search(r"(?m)^\d+ s of worker time$", result.output)


@pytest.mark.data
def test_benchmark_programs_are_contaminated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = data_file("cruxeval.jsonl")
    monkeypatch.setenv("WORLDLINE_DATA", str(file.parent))
    lines = file.read_text(encoding="utf-8").splitlines()
    (tmp_path / "a.jsonl").write_text("\n".join(lines[:5]), encoding="utf-8")
    trace(tmp_path / "a.jsonl", "-o", tmp_path / "s")
    rows = outcomes(tmp_path / "s")
    assert [(row["outcome"], row["detail"]) for row in rows] == [("contaminated", "cruxeval")] * 5


def test_kept_traces_equal_those_of_a_recorder(tmp_path: Path, recorder: PythonRecorder) -> None:
    rows = [row(n, facets={"depth": n}) for n in range(25)]
    write(tmp_path / "a.jsonl", rows)
    words = ("--shard", 10, "--tokenizer", "bytes", "--codec", "delta")
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
    assert "25 of 25 results are as expected" in result.output
    stored = list(read_stored_traces(tmp_path / "s"))
    assert [each.id for each in stored] == [f"p{n}" for n in range(25)]
    for number, each in enumerate(stored):
        assert each.trace == recorder.record(
            Program(rows[number]["code"], rows[number]["call"]), limits=DEFAULT_LIMITS
        )
        assert each.facets == {"depth": number}
    # One token per byte of prompt and completion, and per special token.
    shown = CliRunner().invoke(
        main, ["record", str(_program(tmp_path)), "--call", "f(3)", "--tokenizer", "bytes"]
    )
    counted = re.search(r"delta: ([\d,]+) tokens of prompt, ([\d,]+) of trace", shown.output)
    assert counted is not None
    assert (str(stored[3].prompt_tokens), str(stored[3].completion_tokens)) == counted.groups()


def _program(folder: Path) -> Path:
    (folder / "p.py").write_text(row(3)["code"], encoding="utf-8")
    return folder / "p.py"


def test_traces_with_too_many_tokens_are_not_kept(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(n) for n in range(7)])
    words = ("-o", tmp_path / "s", "--tokenizer", "bytes")
    trace(tmp_path / "a.jsonl", *words, "--max-tokens", 800)
    rows = outcomes(tmp_path / "s")
    lengths: dict[str, list[int]] = {row["outcome"]: [] for row in rows}
    for outcome in rows:
        lengths[outcome["outcome"]].append(outcome["prompt_tokens"] + outcome["completion_tokens"])
    assert max(lengths["kept"]) <= 800 < min(lengths["too_long"])
    refused = trace(tmp_path / "a.jsonl", "-o", tmp_path / "t", "--max-tokens", 800)
    assert "give --tokenizer, too" in refused.output


def test_second_run_processes_only_missing_shards(tmp_path: Path) -> None:
    rows = [row(n) for n in range(50)]
    write(tmp_path / "a.jsonl", rows[:30])
    words = ("-o", tmp_path / "s", "--shard", 10)
    first = trace(tmp_path / "a.jsonl", *words)
    assert "30 programs in 3 shards\n" in first.output
    before = {path: os.stat(path).st_mtime_ns for path in tmp_path.glob("s/*/*.parquet")}
    again = trace(tmp_path / "a.jsonl", *words)
    assert "30 programs in 3 shards; 30 were done before" in again.output
    write(tmp_path / "b.jsonl", rows[25:])
    more = trace(tmp_path / "a.jsonl", tmp_path / "b.jsonl", *words)
    assert "55 programs in 6 shards; 30 were done before" in more.output
    assert re.search(r"(?m)^ +5 duplicate$", more.output)
    assert ids(tmp_path / "s") == [each["id"] for each in rows]
    assert {path: os.stat(path).st_mtime_ns for path in before} == before
    # The shard of a part that was deleted is processed again.
    next(tmp_path.glob("s/parts/*.parquet")).unlink()
    repaired = trace(tmp_path / "a.jsonl", tmp_path / "b.jsonl", *words)
    assert "55 programs in 6 shards; 45 were done before" in repaired.output
    assert ids(tmp_path / "s") == [each["id"] for each in rows]


def test_orphaned_shards_are_reported_and_pruned(tmp_path: Path) -> None:
    words = ("-o", tmp_path / "s", "--shard", 5)
    trace(write(tmp_path / "a.jsonl", map(row, range(13))), *words)
    changed = trace(write(tmp_path / "a.jsonl", map(row, range(14))), *words)
    assert changed.exit_code == 1
    assert "also has 1 shard of programs that are not in the input" in changed.output
    pruned = trace(tmp_path / "a.jsonl", *words, "--prune")
    assert pruned.exit_code == 0
    assert ids(tmp_path / "s") == [f"p{n}" for n in range(14)]


def test_part_without_outcomes_is_ignored_and_processed_again(tmp_path: Path) -> None:
    words = ("-o", tmp_path / "s", "--shard", 5)
    trace(write(tmp_path / "a.jsonl", map(row, range(10))), *words)
    next(tmp_path.glob("s/outcomes/*.parquet")).unlink()
    left = ids(tmp_path / "s")
    assert len(left) == 5
    for age, name in ((7200, "x"), (0, "y")):
        half = tmp_path / "s" / "parts" / f"{name}.parquet.0123.unfinished"
        half.write_bytes(b"half")
        os.utime(half, (time.time() - age,) * 2)
    result = trace(tmp_path / "a.jsonl", *words)
    assert "5 were done before" in result.output
    assert ids(tmp_path / "s") == [f"p{n}" for n in range(10)]
    # Another rank may be writing the new one.
    assert [path.name[0] for path in tmp_path.glob("s/*/*.unfinished")] == ["y"]


def test_missing_or_damaged_part_is_processed_again(tmp_path: Path) -> None:
    words = ("-o", tmp_path / "s", "--shard", 5)
    trace(write(tmp_path / "a.jsonl", map(row, range(15))), *words)
    before = traces(tmp_path / "s")
    first, second, _ = sorted(tmp_path.glob("s/parts/*.parquet"))
    first.unlink()
    # As after a power failure.
    second.write_bytes(b"")
    assert "are missing or damaged" in run("compact", tmp_path / "s", "-o", tmp_path / "c").output
    result = trace(tmp_path / "a.jsonl", *words)
    assert "5 were done before" in result.output
    assert traces(tmp_path / "s") == before


def test_restart_deletes_all_earlier_parts(tmp_path: Path) -> None:
    words = ("-o", tmp_path / "s", "--shard", 5)
    trace(write(tmp_path / "a.jsonl", map(row, range(10))), *words)
    # Killed between the two files.
    next(tmp_path.glob("s/outcomes/*.parquet")).unlink()
    assert trace(tmp_path / "a.jsonl", *words, "--restart", "--min-steps", 2).exit_code == 0
    assert len(list(tmp_path.glob("s/parts/*.parquet"))) == 2


def test_ranks_can_start_together_and_have_no_shard(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    words = (tmp_path / "a.jsonl", "-o", tmp_path / "s", "--world-size", 3)
    (tmp_path / "s").mkdir()
    # Another rank is writing the manifest, or was killed while writing it.
    (tmp_path / "s" / "traces.json.0123.unfinished").write_bytes(b"{")
    for rank in (2, 0, 1):
        result = trace(*words, "--rank", rank)
        assert result.exit_code == 0, result.output
    assert ids(tmp_path / "s") == ["p1"]
    assert "cannot be used with --rank" in trace(*words, "--rank", 0, "--prune").output


def test_ranks_in_any_order_create_the_same_store(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", map(row, range(35)))
    words = (tmp_path / "a.jsonl", "--shard", 5)
    trace(*words, "-o", tmp_path / "whole")
    for rank in (2, 0, 1):
        result = trace(*words, "-o", tmp_path / "s", "--rank", rank, "--world-size", 3)
        assert result.exit_code == 0, result.output
        assert ("other ranks have" in result.output) == (rank != 1)
        assert is_unfinished(tmp_path / "s") == (rank != 1)
    assert "35 programs in 7 shards" in result.output
    assert traces(tmp_path / "s") == traces(tmp_path / "whole")
    assert outcomes(tmp_path / "s") == outcomes(tmp_path / "whole")
    for wrong in (("--rank", 3, "--world-size", 3), ("--rank", 0), ("--world-size", 2)):
        assert trace(*words, "-o", tmp_path / "t", *wrong).exit_code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--steps", "9"],
            r"different settings \(limits: .*; choose a different folder with -o, or start",
        ),
        (["--once"], r"different settings \(filters: "),
        (["--address", "auto"], "--address is for --runner ray"),
        (["--codec", "chat"], "Invalid value for '--codec'"),
    ],
)
def test_different_settings_are_refused(tmp_path: Path, words: list[str], message: str) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    trace(tmp_path / "a.jsonl", "-o", tmp_path / "s")
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
    assert result.exit_code == 2
    assert re.search(message, result.output)
    if "--steps" in words:
        again = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words, "--restart")
        assert again.exit_code == 0
        assert "already" not in again.output
        assert outcomes(tmp_path / "s")[0]["outcome"] == "step_limit"


def test_folder_with_foreign_files_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "mine.txt").write_text("mine", encoding="utf-8")
    for words in ([], ["--restart"]):
        result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
        assert result.exit_code == 2
        assert "contains 'mine.txt' and no traces.json" in result.output
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["mine.txt"]
    assert "is a file" in trace(tmp_path / "a.jsonl", "-o", tmp_path / "a.jsonl").output
    assert "no programs in" in trace(write(tmp_path / "e.jsonl", []), "-o", tmp_path / "t").output


def test_damaged_store_can_be_restarted(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    trace(tmp_path / "a.jsonl", "-o", tmp_path / "s")
    (tmp_path / "s" / "traces.json").write_text('{"format": 1}', encoding="utf-8")
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s")
    assert result.exit_code == 2
    assert "a different version of worldline wrote it; choose a different folder" in result.output
    assert trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--restart").exit_code == 0
    (outcome,) = (tmp_path / "s" / "outcomes").glob("*.parquet")
    outcome.write_bytes(outcome.read_bytes()[:-20])
    damaged = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s")
    assert damaged.exit_code == 2
    assert "delete it and run the same command again" in damaged.output


def test_store_of_an_earlier_version_is_read_and_resumed(tmp_path: Path) -> None:
    rows = [row(n) for n in range(8)]
    rows[1] |= {"code": "def f(n): return id(f)\n"}
    words = (write(tmp_path / "a.jsonl", rows), "-o", tmp_path / "s", "--shard", 4)
    trace(*words)
    before = outcomes(tmp_path / "s")
    assert before[1]["outcome"] == "non_deterministic"
    # The names of format 2.
    first, second = sorted((tmp_path / "s" / "outcomes").iterdir())
    table = parquet.read_table(first)
    old_name = "unsteady"  # words: allow (a value of format 2)
    counts = table.schema.metadata[b"worldline"].decode().replace("non_deterministic", old_name)
    old_rows = [
        {**r, "outcome": r["outcome"].replace("non_deterministic", old_name)}
        for r in table.to_pylist()
    ]
    first.write_bytes(parquet_bytes(OUTCOME_COLUMNS, old_rows, metadata={"worldline": counts}))
    second.unlink()
    manifest = json.loads((tmp_path / "s" / "traces.json").read_text(encoding="utf-8"))
    filters = manifest["settings"]["filters"]
    filters["is_once"] = filters.pop("skip_determinism_check")
    old_manifest = {**manifest, "format": 2, "shards": None}
    (tmp_path / "s" / "traces.json").write_text(json.dumps(old_manifest), encoding="utf-8")
    assert outcomes(tmp_path / "s") == before[:4]
    resumed = trace(*words)
    assert resumed.exit_code == 0, resumed.output
    assert "8 programs in 2 shards; 4 were done before" in resumed.output
    assert "1 non deterministic" in resumed.output
    assert outcomes(tmp_path / "s") == before
    after = json.loads((tmp_path / "s" / "traces.json").read_text(encoding="utf-8"))
    assert after == {**manifest, "settings": after["settings"]}
    assert after["format"] == 3
    assert not is_unfinished(tmp_path / "s")


def test_job_hash_is_that_of_format_2() -> None:
    """It is part of the name of every shard, so a store could not be resumed if it changed."""
    job = TraceJob("3.11.9", "core", "0.1.0", sandbox=Sandbox(allow_reduced=False))
    settings = job.settings()
    filters = {"min_steps": 1, "max_tokens": None, "is_once": False}
    text = json.dumps({**settings, "filters": filters})
    assert job.hash == hashlib.sha256(text.encode()).hexdigest()[:16]
    assert list(settings["filters"]) == ["min_steps", "max_tokens", "skip_determinism_check"]


def test_record_refers_to_trace_for_many_programs(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(1)])
    result = CliRunner().invoke(main, ["record", str(path)])
    assert result.exit_code == 2
    assert f"has many programs; use: worldline trace {path} -o STORE" in result.output


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_full_disk_is_reported_and_the_job_resumes(tmp_path: Path) -> None:
    rows = [row(n) for n in range(40)]
    write(tmp_path / "a.jsonl", rows)
    disk = tmp_path / "disk"
    disk.mkdir()
    words = (tmp_path / "a.jsonl", "-o", disk / "s", "--shard", 10, "--workers", 1)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], check=True)
    try:
        trace(*words, "--rank", 0, "--world-size", 4)
        with suppress(OSError):
            (disk / "filler").write_bytes(bytes(1 << 21))
        failed = trace(*words)
        assert failed.exit_code == 2
        assert "No space left on device" in failed.output
        assert not list(disk.glob("s/*/*.unfinished"))
        (disk / "filler").unlink()
        assert "10 were done before" in trace(*words).output
        assert ids(disk / "s") == [each["id"] for each in rows]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# -- killed --------------------------------------------------------------------------------


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
    rows = slow_rows(60, 0.1)
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
        assert "60 of 60 results are as expected" in out
    done = len(finished_shards(open_location(tmp_path / "s")))
    assert 2 <= done <= 12
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--workers", 2, "--shard", 5)
    assert f"{done * 5} were done before" in result.output
    assert "60 of 60 results are as expected" in result.output
    assert ids(tmp_path / "s") == [each["id"] for each in rows]


def test_progress_is_written_as_json_lines(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", map(row, range(30)))
    _, err = start(tmp_path, "--shard", "5").communicate(timeout=120)
    reports = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
    assert [report["done"] for report in reports] == [5, 10, 15, 20, 25, 30]
    assert reports[-1]["about"] == 30
    assert reports[-1]["seconds_left"] == 0
    assert reports[0]["about"] >= 10


# -- many at a time -------------------------------------------------------------------------------


def test_slow_shard_does_not_block_the_others(tmp_path: Path) -> None:
    rows = [*slow_rows(5, 0.8), *(row(n, id=f"q{n}") for n in range(100))]
    write(tmp_path / "a.jsonl", rows)
    trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--shard", 5, "--workers", 2)
    written = sorted((tmp_path / "s" / "outcomes").iterdir(), key=lambda path: path.stat().st_mtime)
    assert len(written) == 21
    # The other process did most of the rest meanwhile.
    assert [path.name for path in written].index(min(path.name for path in written)) > 10
    assert len(ids(tmp_path / "s")) == 105


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


def test_large_rows_are_flushed_in_small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldline.evaluation.store.parquet_parts._GROUP_CHARS", 1000)
    columns = [Column("id", "text", ""), Column("value", "texts", "")]
    rows = [{"id": str(n), "value": ["x" * 400, None]} for n in range(7)]
    builder = PartBuilder(columns)
    assert builder.finish() is None
    builder = PartBuilder(columns)
    max_rows = 0
    for new_row in rows:
        builder.add(new_row)
        max_rows = max(max_rows, len(builder._rows))
    data = builder.finish()
    assert data is not None
    file = parquet.ParquetFile(io.BytesIO(data))
    assert file.read().to_pylist() == rows
    assert (max_rows, file.num_row_groups) == (2, 3)


def test_unreadable_programs_fail_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{not json\n\n{"code": "x = 1"}\n', encoding="utf-8")
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--workers", 1)
    assert result.exit_code == 1
    assert "unreadable: line 1 of a.jsonl" in result.output
    assert "line 3 of a.jsonl" in result.output
    assert "worldline: no trace was kept" in result.output
    assert "next:" not in result.output


def test_stores_are_queried_with_sql(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        "".join(f"{json.dumps(fields)}\n" for fields in (row(1), row(1), {"code": "x"})),
        encoding="utf-8",
    )
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--workers", 1)
    assert result.exit_code == 0, result.output
    assert "unreadable: line 3 of a.jsonl" in result.output
    query = "select outcome, count(*) as n from outcomes group by all order by 1"
    answer = run("sql", tmp_path / "s", query, "--format", "csv")
    assert answer.output == "outcome,n\nduplicate,1\nkept,1\nunreadable,1\n"
    query = "select store, steps, len(event) as events from traces"
    (line,) = run("sql", tmp_path / "s", query, "--format", "jsonl").output.splitlines()
    kept = json.loads(line)
    assert kept["store"] == "s"
    assert kept["steps"] == kept["events"] > 0
    wrong = run("sql", tmp_path / "s", "select * from samples")
    assert "views `outcomes` and `traces`" in wrong.output


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
    groups = list(Path("/sys/fs/cgroup").glob("*/worldline-*"))
    abandoned = [path for path in groups if not Path("/proc", path.name.split("-")[1]).exists()]
    assert abandoned == []
