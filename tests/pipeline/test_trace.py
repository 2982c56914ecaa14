"""`worldline trace`: every program has one outcome, what is kept is right, and reruns resume."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from click.testing import CliRunner

from tests.cli.commands import run
from tests.conftest import data_file
from tests.pipeline.rows import CODE, ids, outcomes, row, slow_rows, trace, traces, write
from tests.processes import offspring
from worldline.cli import main
from worldline.pipeline import (
    DEFAULT_LIMITS,
    Filters,
    LocalRunner,
    Shard,
    cut_into_shards,
    make_job,
)
from worldline.recorders import PythonRecorder
from worldline.store import (
    Column,
    PartBuilder,
    finished_shards,
    is_unfinished,
    place_of,
    read_stored_traces,
)
from worldline.trace import Program
from worldline.trace.program import text_with_call


@pytest.fixture(autouse=True)
def without_benchmarks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their keys take seconds; only one of the tests is about them."""
    if "data" not in request.keywords:
        monkeypatch.setattr("worldline.generate.excluded.BENCHMARKS", {})


# A program for every outcome that there is, and what it is to come to.
WHOLE: dict[str, tuple[str, dict[str, Any]]] = {
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
        {"context": text_with_call("def h(x):\n    return [x, x]\n", "h('x')")},
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
        "not_whole",
        {
            "code": "import threading\ndef f():\n    t = threading.Thread(target=len, args=('',))\n"
            "    t.start(); t.join()\n",
            "call": "f()",
        },
    ),
    "address": ("unsteady", {"code": "def f(): return id(f)\n", "call": "f()"}),
    "order": ("unsteady", {"code": "def f(): return list({'a', 'b', 'c', 'd'})\n", "call": "f()"}),
    "time": ("unsteady", {"code": "import time\ndef f(): return time.time()\n", "call": "f()"}),
    "chance": (
        "unsteady",
        {"code": "import random\ndef f():\n    print(random.random() < 2, random.random())\n"}
        | {"call": "f()"},
    ),
    "seeded": (
        "kept",
        {"code": "import random\ndef f(): return random.Random(1).random()\n", "call": "f()"},
    ),
    "short": ("too_short", {"code": "def f(): pass\n", "call": "len('abc')"}),
}


def test_every_program_has_the_outcome_that_it_should(tmp_path: Path) -> None:
    known = {"id": "b", "code": "def g(q):\n    return [q, q]\n", "call": "g(1)"}
    mine = write(tmp_path / "mine.jsonl", [known])
    rows = [{**given, "id": name} for name, (_, given) in WHOLE.items()]
    write(tmp_path / "a.jsonl", rows)
    with (tmp_path / "a.jsonl").open("a", encoding="utf-8") as file:
        file.write("{not json\n")
    words = ("--steps", 2000, "--seconds", 3, "--min-steps", 5, "--without", mine, "--workers", 1)
    found = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
    assert found.exit_code == 0, found.output
    wanted = {name: outcome for name, (outcome, _) in WHOLE.items()} | {None: "unreadable"}
    told = outcomes(tmp_path / "s")
    assert {each["id"]: each["outcome"] for each in told} == wanted
    assert [each["number"] for each in told] == list(range(len(wanted)))
    assert ids(tmp_path / "s") == ["fine", "raises", "not odd", "huge number", "seeded"]
    details = {each["id"]: each["detail"] for each in told}
    assert details["benchmark's"] == details["context"] == str(mine)
    assert details["order"] == "step 4"
    assert details["chance"] == "what it prints"
    assert re.search(r"line 27 of a.jsonl: not JSON", details[None])
    # What the report says adds up to all of them.
    lines = re.findall(r"(?m)^ +([\d,]+) ([a-z ]+)$", found.output)
    assert sum(int(number) for number, _ in lines) == len(wanted)
    assert f"{len(wanted)} programs in 1 shard\n" in found.output
    assert re.search(r"(?m)^\d+ s of workers' time$", found.output)


@pytest.mark.data
def test_programs_of_benchmarks_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = data_file("cruxeval.jsonl")
    monkeypatch.setenv("WORLDLINE_DATA", str(file.parent))
    lines = file.read_text(encoding="utf-8").splitlines()
    (tmp_path / "a.jsonl").write_text("\n".join(lines[:5]), encoding="utf-8")
    trace(tmp_path / "a.jsonl", "-o", tmp_path / "s")
    told = outcomes(tmp_path / "s")
    assert [(each["outcome"], each["detail"]) for each in told] == [
        ("contaminated", "cruxeval")
    ] * 5


def test_what_is_kept_is_what_a_recorder_says(tmp_path: Path, recorder: PythonRecorder) -> None:
    rows = [row(n, facets={"depth": n}) for n in range(25)]
    write(tmp_path / "a.jsonl", rows)
    words = ("--shard", 10, "--tokenizer", "bytes", "--codec", "delta")
    found = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
    assert "25 of 25 results are the expected ones" in found.output
    stored = list(read_stored_traces(tmp_path / "s"))
    assert [each.id for each in stored] == [f"p{n}" for n in range(25)]
    for number, each in enumerate(stored):
        assert each.trace == recorder.record(
            Program(rows[number]["code"], rows[number]["call"]), limits=DEFAULT_LIMITS
        )
        assert each.facets == {"depth": number}
    # Bytes of prompt and completion, a special token one each.
    shown = CliRunner().invoke(
        main, ["record", str(_program(tmp_path)), "--call", "f(3)", "--tokenizer", "bytes"]
    )
    counted = re.search(r"delta: ([\d,]+) tokens of prompt, ([\d,]+) of trace", shown.output)
    assert counted is not None
    assert (str(stored[3].prompt_tokens), str(stored[3].completion_tokens)) == counted.groups()


def _program(folder: Path) -> Path:
    (folder / "p.py").write_text(row(3)["code"], encoding="utf-8")
    return folder / "p.py"


def test_long_ones_are_left_out_by_tokens(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(n) for n in range(7)])
    words = ("-o", tmp_path / "s", "--tokenizer", "bytes")
    trace(tmp_path / "a.jsonl", *words, "--max-tokens", 800)
    told = outcomes(tmp_path / "s")
    lengths: dict[str, list[int]] = {each["outcome"]: [] for each in told}
    for each in told:
        lengths[each["outcome"]].append(each["prompt_tokens"] + each["completion_tokens"])
    assert max(lengths["kept"]) <= 800 < min(lengths["too_long"])
    refused = trace(tmp_path / "a.jsonl", "-o", tmp_path / "t", "--max-tokens", 800)
    assert "give --tokenizer, too" in refused.output


def test_a_rerun_does_what_is_missing_and_nothing_else(tmp_path: Path) -> None:
    rows = [row(n) for n in range(50)]
    write(tmp_path / "a.jsonl", rows[:30])
    words = ("-o", tmp_path / "s", "--shard", 10)
    first = trace(tmp_path / "a.jsonl", *words)
    assert "30 programs in 3 shards\n" in first.output
    before = {path: os.stat(path).st_mtime_ns for path in tmp_path.glob("s/*/*.parquet")}
    again = trace(tmp_path / "a.jsonl", *words)
    assert "30 programs in 3 shards; 30 were done already" in again.output
    write(tmp_path / "b.jsonl", rows[25:])
    more = trace(tmp_path / "a.jsonl", tmp_path / "b.jsonl", *words)
    assert "55 programs in 6 shards; 30 were done already" in more.output
    assert re.search(r"(?m)^ +5 duplicate$", more.output)
    assert ids(tmp_path / "s") == [each["id"] for each in rows]
    assert {path: os.stat(path).st_mtime_ns for path in before} == before
    # A part that somebody removed is made again.
    next(tmp_path.glob("s/parts/*.parquet")).unlink()
    mended = trace(tmp_path / "a.jsonl", tmp_path / "b.jsonl", *words)
    assert "55 programs in 6 shards; 45 were done already" in mended.output
    assert ids(tmp_path / "s") == [each["id"] for each in rows]


def test_programs_that_are_gone_are_told_of_and_pruned(tmp_path: Path) -> None:
    words = ("-o", tmp_path / "s", "--shard", 5)
    trace(write(tmp_path / "a.jsonl", map(row, range(13))), *words)
    changed = trace(write(tmp_path / "a.jsonl", map(row, range(14))), *words)
    assert changed.exit_code == 1
    assert "also holds 1 shard of other programs" in changed.output
    pruned = trace(tmp_path / "a.jsonl", *words, "--prune")
    assert pruned.exit_code == 0
    assert ids(tmp_path / "s") == [f"p{n}" for n in range(14)]


def test_a_part_counts_when_its_outcomes_are_there(tmp_path: Path) -> None:
    words = ("-o", tmp_path / "s", "--shard", 5)
    trace(write(tmp_path / "a.jsonl", map(row, range(10))), *words)
    next(tmp_path.glob("s/outcomes/*.parquet")).unlink()
    left = ids(tmp_path / "s")
    assert len(left) == 5
    for age, name in ((7200, "x"), (0, "y")):
        half = tmp_path / "s" / "parts" / f"{name}.parquet.0123.unfinished"
        half.write_bytes(b"half")
        os.utime(half, (time.time() - age,) * 2)
    found = trace(tmp_path / "a.jsonl", *words)
    assert "5 were done already" in found.output
    assert ids(tmp_path / "s") == [f"p{n}" for n in range(10)]
    # Another rank may be writing the younger one.
    assert [path.name[0] for path in tmp_path.glob("s/*/*.unfinished")] == ["y"]


def test_a_part_that_is_not_what_was_counted_is_made_again(tmp_path: Path) -> None:
    words = ("-o", tmp_path / "s", "--shard", 5)
    trace(write(tmp_path / "a.jsonl", map(row, range(15))), *words)
    whole = traces(tmp_path / "s")
    first, second, _ = sorted(tmp_path.glob("s/parts/*.parquet"))
    first.unlink()
    # As a machine leaves it that lost its power.
    second.write_bytes(b"")
    assert "are gone or damaged" in run("compact", tmp_path / "s", "-o", tmp_path / "c").output
    found = trace(tmp_path / "a.jsonl", *words)
    assert "5 were done already" in found.output
    assert traces(tmp_path / "s") == whole


def test_begun_anew_nothing_of_before_is_left(tmp_path: Path) -> None:
    words = ("-o", tmp_path / "s", "--shard", 5)
    trace(write(tmp_path / "a.jsonl", map(row, range(10))), *words)
    # Killed between the two files.
    next(tmp_path.glob("s/outcomes/*.parquet")).unlink()
    assert trace(tmp_path / "a.jsonl", *words, "--restart", "--min-steps", 2).exit_code == 0
    assert len(list(tmp_path.glob("s/parts/*.parquet"))) == 2


def test_ranks_begin_together_and_may_have_nothing_to_do(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    words = (tmp_path / "a.jsonl", "-o", tmp_path / "s", "--world-size", 3)
    (tmp_path / "s").mkdir()
    # Another rank is about to say what the store is of, or was killed then.
    (tmp_path / "s" / "traces.json.0123.unfinished").write_bytes(b"{")
    for rank in (2, 0, 1):
        found = trace(*words, "--rank", rank)
        assert found.exit_code == 0, found.output
    assert ids(tmp_path / "s") == ["p1"]
    assert "without --rank" in trace(*words, "--rank", 0, "--prune").output


def test_ranks_share_the_work_and_any_order_gives_the_same_store(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", map(row, range(35)))
    words = (tmp_path / "a.jsonl", "--shard", 5)
    trace(*words, "-o", tmp_path / "whole")
    for rank in (2, 0, 1):
        found = trace(*words, "-o", tmp_path / "s", "--rank", rank, "--world-size", 3)
        assert found.exit_code == 0, found.output
        assert ("other ranks have" in found.output) == (rank != 1)
        assert is_unfinished(tmp_path / "s") == (rank != 1)
    assert "35 programs in 7 shards" in found.output
    assert traces(tmp_path / "s") == traces(tmp_path / "whole")
    assert outcomes(tmp_path / "s") == outcomes(tmp_path / "whole")
    for wrong in (("--rank", 3, "--world-size", 3), ("--rank", 0), ("--world-size", 2)):
        assert trace(*words, "-o", tmp_path / "t", *wrong).exit_code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--steps", "9"], r"other settings \(limits: .*; name another folder with -o, or begin"),
        (["--once"], r"other settings \(filters: "),
        (["--address", "auto"], "--address is for --runner ray"),
        (["--codec", "chat"], "Invalid value for '--codec'"),
    ],
)
def test_other_settings_are_refused(tmp_path: Path, words: list[str], message: str) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    trace(tmp_path / "a.jsonl", "-o", tmp_path / "s")
    found = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
    assert found.exit_code == 2
    assert re.search(message, found.output)
    if "--steps" in words:
        again = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words, "--restart")
        assert again.exit_code == 0
        assert "already" not in again.output
        assert outcomes(tmp_path / "s")[0]["outcome"] == "step_limit"


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "mine.txt").write_text("mine", encoding="utf-8")
    for words in ([], ["--restart"]):
        found = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
        assert found.exit_code == 2
        assert "holds 'mine.txt' and no traces.json" in found.output
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["mine.txt"]
    assert "is a file" in trace(tmp_path / "a.jsonl", "-o", tmp_path / "a.jsonl").output
    assert "no programs in" in trace(write(tmp_path / "e.jsonl", []), "-o", tmp_path / "t").output


def test_a_damaged_store_can_be_begun_anew(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    trace(tmp_path / "a.jsonl", "-o", tmp_path / "s")
    (tmp_path / "s" / "traces.json").write_text('{"format": 1}', encoding="utf-8")
    found = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s")
    assert found.exit_code == 2
    assert "another version of worldline wrote it; name another folder" in found.output
    assert trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--restart").exit_code == 0
    (outcome,) = (tmp_path / "s" / "outcomes").glob("*.parquet")
    outcome.write_bytes(outcome.read_bytes()[:-20])
    cut = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s")
    assert cut.exit_code == 2
    assert "remove it, and the same command makes it again" in cut.output


def test_many_programs_are_not_for_record(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(1)])
    found = CliRunner().invoke(main, ["record", str(path)])
    assert found.exit_code == 2
    assert f"holds many programs: worldline trace {path} -o STORE" in found.output


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_is_told_of_and_gone_on_with(tmp_path: Path) -> None:
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
        assert "10 were done already" in trace(*words).output
        assert ids(disk / "s") == [each["id"] for each in rows]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# -- killed --------------------------------------------------------------------------------


COMMAND = """
import worldline.cli.progress as progress, worldline.generate.excluded as excluded
excluded.BENCHMARKS = {}
progress.Teller.__init__.__kwdefaults__["every"] = 0.0
from worldline.cli import main
main()
"""


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """The command by itself, which ctrl-c is not ignored by, whoever started the tests."""
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "trace", "a.jsonl", "-o", "s", "--workers", "2", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for(store: Path, shards: int) -> None:
    """Until so many are done."""
    deadline = time.monotonic() + 120
    while len(list(store.glob("outcomes/*.parquet"))) < shards:
        assert time.monotonic() < deadline, "nothing was done"
        time.sleep(0.02)


def workers_of(pid: int) -> list[int]:
    """The processes of the pool."""
    found = []
    for each in offspring(pid):
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes():
                found.append(each)
    return found


@pytest.mark.parametrize("how", ["ctrl-c", "killed", "a worker killed"])
def test_stopped_anyhow_the_same_command_goes_on(tmp_path: Path, how: str) -> None:
    rows = slow_rows(60, 0.1)
    write(tmp_path / "a.jsonl", rows)
    process = start(tmp_path, "--shard", "5")
    wait_for(tmp_path / "s", 2)
    if how == "ctrl-c":
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert "stopped; the same command goes on" in err
    elif how == "killed":
        process.kill()
        # The pipes close when the last process that has them is gone: no orphan is left.
        process.communicate(timeout=60)
    else:
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        out, err = process.communicate(timeout=180)
        assert process.returncode == 0, err
        assert "60 of 60 results are the expected ones" in out
    done = len(finished_shards(place_of(tmp_path / "s")))
    assert 2 <= done <= 12
    found = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--workers", 2, "--shard", 5)
    assert f"{done * 5} were done already" in found.output
    assert "60 of 60 results are the expected ones" in found.output
    assert ids(tmp_path / "s") == [each["id"] for each in rows]


def test_progress_for_machines(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", map(row, range(30)))
    _, err = start(tmp_path, "--shard", "5").communicate(timeout=120)
    told = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
    assert [each["done"] for each in told] == [5, 10, 15, 20, 25, 30]
    assert told[-1]["about"] == 30
    assert told[-1]["seconds_left"] == 0
    assert told[0]["about"] >= 10


# -- many at a time -------------------------------------------------------------------------------


def test_a_slow_shard_holds_up_nobody(tmp_path: Path) -> None:
    rows = [*slow_rows(5, 0.8), *(row(n, id=f"q{n}") for n in range(100))]
    write(tmp_path / "a.jsonl", rows)
    trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--shard", 5, "--workers", 2)
    written = sorted((tmp_path / "s" / "outcomes").iterdir(), key=lambda path: path.stat().st_mtime)
    assert len(written) == 21
    # The other process did most of the rest meanwhile.
    assert [path.name for path in written].index(min(path.name for path in written)) > 10
    assert len(ids(tmp_path / "s")) == 105


def test_no_more_is_read_than_is_soon_worked_on(tmp_path: Path) -> None:
    """However long the input: what waits in memory does not grow."""
    job = make_job(filters=Filters(is_once=True), shard_programs=2)
    shards = cut_into_shards([[("", row(n), "") for n in range(40)]], job.hash, 2)
    taken = done = most = 0

    def counted() -> Iterator[Shard]:
        nonlocal taken, most
        for shard in shards:
            taken += 1
            most = max(most, taken - done)
            yield shard

    for _ in LocalRunner(2).run(job, str(tmp_path / "s"), counted()):
        done += 1
    assert (taken, done) == (20, 20)
    assert most <= 5


def test_large_traces_are_packed_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldline.store.parts._GROUP_CHARS", 1000)
    columns = [Column("id", "text", ""), Column("value", "texts", "")]
    rows = [{"id": str(n), "value": ["x" * 400, None]} for n in range(7)]
    builder = PartBuilder(columns)
    assert builder.finish() is None
    builder = PartBuilder(columns)
    most = 0
    for given in rows:
        builder.add(given)
        most = max(most, len(builder._rows))
    data = builder.finish()
    assert data is not None
    file = parquet.ParquetFile(io.BytesIO(data))
    assert file.read().to_pylist() == rows
    assert (most, file.num_row_groups) == (2, 3)
