"""A store of traces, and no benchmarks to compare with."""

import shutil
from pathlib import Path

import pytest

from tests.data.tracing.rows import row, trace, write


@pytest.fixture(autouse=True)
def without_benchmarks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Computing the hashes of all benchmarks takes seconds; only one test needs them."""
    if request.node.get_closest_marker("data") is None:
        monkeypatch.setattr("worldline.data.generation.decontamination.BENCHMARKS", {})


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 20 programs in `a.jsonl` and their store `s` of 4 shards; not to be changed."""
    folder = tmp_path_factory.mktemp("whole")
    write(folder / "a.jsonl", map(row, range(20)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("worldline.data.generation.decontamination.BENCHMARKS", {})
        result = trace(folder / "a.jsonl", "-o", folder / "s", "--shard", 5)
    assert "20 programs in 4 shards\n" in result.output
    return folder


@pytest.fixture
def finished(whole: Path, tmp_path: Path) -> Path:
    """A copy of the folder with 20 programs and their store; tests can change it."""
    return Path(shutil.copytree(whole, tmp_path / "finished"))
