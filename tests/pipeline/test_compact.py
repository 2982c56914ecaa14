"""Small files become large ones: the same rows in the same order, read by the same functions."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.pipeline.rows import ids, outcomes, row, trace, traces, write
from worldline.cli import main
from worldline.store import is_unfinished, outcome_files, part_files, place_of


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of several shards, of one of which nothing is kept."""
    monkeypatch.setattr("worldline.generate.excluded.BENCHMARKS", {})
    rows = [row(n) for n in range(30)]
    rows[10:20] = [row(n, call="f(") for n in range(10)]
    trace(write(tmp_path / "a.jsonl", rows), "-o", tmp_path / "s", "--shard", 5)
    return tmp_path / "s"


def test_the_rows_are_the_same(store: Path, tmp_path: Path) -> None:
    assert len(part_files(place_of(store))) == 4
    found = CliRunner().invoke(main, ["compact", str(store), "-o", str(tmp_path / "c")])
    assert found.exit_code == 0, found.output
    assert f"{tmp_path / 'c'}: 1 part\n" in found.output
    assert traces(tmp_path / "c") == traces(store)
    assert outcomes(tmp_path / "c") == outcomes(store)
    words = ["export", str(tmp_path / "c"), "--tokenizer", "bytes", "-o", str(tmp_path / "e")]
    assert CliRunner().invoke(main, words).exit_code == 0


def test_parts_are_as_large_as_asked_for(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from worldline.store import compact

    # No megabyte is small enough for a test.
    monkeypatch.setattr(compact._Writer, "size", property(lambda _: 1 << 20))
    compact.compact_store(store, tmp_path / "c", part_mb=1)
    assert len(outcome_files(place_of(tmp_path / "c"))) == 6
    assert ids(tmp_path / "c") == ids(store)


def test_what_was_compacted_is_not_added_to_or_replaced(store: Path, tmp_path: Path) -> None:
    words = ["compact", str(store), "-o", str(tmp_path / "c")]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert "is there already" in CliRunner().invoke(main, words).output
    refused = trace(tmp_path / "a.jsonl", "-o", tmp_path / "c", "--shard", 5)
    assert "was compacted, and is not added to" in refused.output
    assert not is_unfinished(tmp_path / "c")
    nothing = CliRunner().invoke(main, ["compact", str(tmp_path), "-o", str(tmp_path / "d")])
    assert "is no store of worldline trace" in nothing.output


def test_what_is_not_finished_is_not_compacted_and_not_exported_in_silence(
    store: Path, tmp_path: Path
) -> None:
    Path(outcome_files(place_of(store))[-1]).unlink()
    assert is_unfinished(store)
    refused = CliRunner().invoke(main, ["compact", str(store), "-o", str(tmp_path / "c")])
    assert "is not finished: give its `worldline trace` command again" in refused.output
    words = ["export", str(store), "--tokenizer", "bytes", "-o", str(tmp_path / "e")]
    exported = CliRunner().invoke(main, words)
    assert exported.exit_code == 0
    assert "is not finished: what is there is exported" in exported.stderr
    trace(tmp_path / "a.jsonl", "-o", store, "--shard", 5)
    assert not is_unfinished(store)
    words = ["export", str(store), "--tokenizer", "bytes", "-o", str(tmp_path / "f")]
    assert "is not finished" not in CliRunner().invoke(main, words).stderr
