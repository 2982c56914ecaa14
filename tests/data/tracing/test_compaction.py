"""Compaction: the same rows in the same order, in fewer files."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.data.tracing.rows import ids, outcomes, row, trace, traces, write
from worldline.evaluation.store import is_unfinished, open_location, outcome_files, part_files
from worldline.interfaces.cli import main


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of several shards, some without any kept trace."""
    monkeypatch.setattr("worldline.data.generation.decontamination.BENCHMARKS", {})
    rows = [row(n) for n in range(30)]
    rows[10:20] = [row(n, call="f(") for n in range(10)]
    trace(write(tmp_path / "a.jsonl", rows), "-o", tmp_path / "s", "--shard", 5)
    return tmp_path / "s"


def test_compacted_store_has_the_same_rows(store: Path, tmp_path: Path) -> None:
    assert len(part_files(open_location(store))) == 4
    result = CliRunner().invoke(main, ["compact", str(store), "-o", str(tmp_path / "c")])
    assert result.exit_code == 0, result.output
    assert f"{tmp_path / 'c'}: 1 file\n" in result.output
    assert traces(tmp_path / "c") == traces(store)
    assert outcomes(tmp_path / "c") == outcomes(store)
    words = ["export", str(tmp_path / "c"), "--tokenizer", "bytes", "-o", str(tmp_path / "e")]
    assert CliRunner().invoke(main, words).exit_code == 0


def test_parts_have_the_requested_size(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from worldline.evaluation.store import compaction

    # Parts of a test are smaller than a megabyte.
    monkeypatch.setattr(compaction._TableWriter, "size", property(lambda _: 1 << 20))
    compaction.compact_store(store, tmp_path / "c", part_mb=1)
    assert len(outcome_files(open_location(tmp_path / "c"))) == 6
    assert ids(tmp_path / "c") == ids(store)


def test_compacted_store_is_not_resumed_or_replaced(store: Path, tmp_path: Path) -> None:
    words = ["compact", str(store), "-o", str(tmp_path / "c")]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert "already exists" in CliRunner().invoke(main, words).output
    refused = trace(tmp_path / "a.jsonl", "-o", tmp_path / "c", "--shard", 5)
    assert "is compacted and cannot be added to" in refused.output
    assert not is_unfinished(tmp_path / "c")
    nothing = CliRunner().invoke(main, ["compact", str(tmp_path), "-o", str(tmp_path / "d")])
    assert "is not a trace store with finished shards" in nothing.output


def test_unfinished_store_is_not_compacted_and_export_warns(store: Path, tmp_path: Path) -> None:
    Path(outcome_files(open_location(store))[-1]).unlink()
    assert is_unfinished(store)
    refused = CliRunner().invoke(main, ["compact", str(store), "-o", str(tmp_path / "c")])
    assert "is not finished: run its `worldline trace` command again" in refused.output
    words = ["export", str(store), "--tokenizer", "bytes", "-o", str(tmp_path / "e")]
    exported = CliRunner().invoke(main, words)
    assert exported.exit_code == 0
    assert "is unfinished: only the traces that it has are exported" in exported.stderr
    trace(tmp_path / "a.jsonl", "-o", store, "--shard", 5)
    assert not is_unfinished(store)
    words = ["export", str(store), "--tokenizer", "bytes", "-o", str(tmp_path / "f")]
    assert "is unfinished" not in CliRunner().invoke(main, words).stderr
