"""`worldline trace` resumes: only what is missing or damaged is processed again."""

import json
import os
import re
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from tests.data.tracing.rows import ids, outcomes, row, trace, traces, write
from tests.interfaces.cli.commands import run
from worldline.evaluation.store import (
    OUTCOME_COLUMNS,
    is_unfinished,
    parquet_bytes,
)


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


def test_orphaned_shards_are_reported_and_pruned(finished: Path) -> None:
    words = ("-o", finished / "s", "--shard", 5)
    changed = trace(write(finished / "a.jsonl", map(row, range(19))), *words)
    assert changed.exit_code == 1
    assert "also has 1 shard of programs that are not in the input" in changed.output
    pruned = trace(finished / "a.jsonl", *words, "--prune")
    assert pruned.exit_code == 0
    assert ids(finished / "s") == [f"p{n}" for n in range(19)]


def test_part_without_outcomes_is_ignored_and_processed_again(finished: Path) -> None:
    next(finished.glob("s/outcomes/*.parquet")).unlink()
    left = ids(finished / "s")
    assert len(left) == 15
    for age, name in ((7200, "x"), (0, "y")):
        half = finished / "s" / "parts" / f"{name}.parquet.0123.unfinished"
        half.write_bytes(b"half")
        os.utime(half, (time.time() - age,) * 2)
    result = trace(finished / "a.jsonl", "-o", finished / "s", "--shard", 5)
    assert "15 were done before" in result.output
    assert ids(finished / "s") == [f"p{n}" for n in range(20)]
    # Another rank may be writing the new one.
    assert [path.name[0] for path in finished.glob("s/*/*.unfinished")] == ["y"]


def test_missing_or_damaged_part_is_processed_again(finished: Path) -> None:
    before = traces(finished / "s")
    first, second, *_ = sorted(finished.glob("s/parts/*.parquet"))
    first.unlink()
    # As after a power failure.
    second.write_bytes(b"")
    assert "are missing or damaged" in run("compact", finished / "s", "-o", finished / "c").output
    result = trace(finished / "a.jsonl", "-o", finished / "s", "--shard", 5)
    assert "10 were done before" in result.output
    assert traces(finished / "s") == before


def test_restart_deletes_all_earlier_parts(finished: Path) -> None:
    # Killed between the two files.
    next(finished.glob("s/outcomes/*.parquet")).unlink()
    words = ("-o", finished / "s", "--shard", 5, "--restart", "--min-steps", 2)
    assert trace(finished / "a.jsonl", *words).exit_code == 0
    assert len(list(finished.glob("s/parts/*.parquet"))) == 4


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


def test_ranks_in_any_order_create_the_same_store(whole: Path, tmp_path: Path) -> None:
    words = (whole / "a.jsonl", "--shard", 5)
    for rank in (2, 0, 1):
        result = trace(*words, "-o", tmp_path / "s", "--rank", rank, "--world-size", 3)
        assert result.exit_code == 0, result.output
        assert ("other ranks have" in result.output) == (rank != 1)
        assert is_unfinished(tmp_path / "s") == (rank != 1)
    assert "20 programs in 4 shards" in result.output
    assert traces(tmp_path / "s") == traces(whole / "s")
    assert outcomes(tmp_path / "s") == outcomes(whole / "s")
    for wrong in (("--rank", 3, "--world-size", 3), ("--rank", 0), ("--world-size", 2)):
        assert trace(*words, "-o", tmp_path / "t", *wrong).exit_code == 2


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
