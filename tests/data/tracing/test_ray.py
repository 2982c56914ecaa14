"""Ray runner: the same store as from this machine, even if a node is disconnected.

Ray listens on all interfaces, so each node has its own isolated network.
"""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.data.tracing.ray_cluster import Cluster, cluster
from tests.data.tracing.rows import outcomes, row, slow_rows, trace, traces, write

COMMAND = """
import worldline.data.generation.decontamination as decontamination
decontamination.BENCHMARKS = {}
from worldline.interfaces.cli import main
main()
"""


@pytest.fixture(scope="module")
def nodes() -> Iterator[Cluster]:
    """Three nodes; if they cannot be created, the tests are skipped, except in CI."""
    missing = [name for name in ("ip",) if shutil.which(name) is None]
    missing += [] if find_spec("ray") else ["ray"]
    missing += [] if os.geteuid() == 0 else ["root"]
    if missing:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(
            f"a cluster of network namespaces needs {', '.join(missing)}"
        )
    with cluster(3) as started:
        yield started


@pytest.fixture(autouse=True)
def without_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldline.data.generation.decontamination.BENCHMARKS", {})


def words(nodes: Cluster, *more: str) -> list[str]:
    """Command line of `worldline trace` on the cluster."""
    ray = ["--runner", "ray", "--address", nodes.address]
    return [sys.executable, "-c", COMMAND, "trace", "a.jsonl", *ray, *more]


def test_store_from_ray_equals_the_local_one(nodes: Cluster, tmp_path: Path) -> None:
    rows = [row(n) for n in range(60)]
    rows[7] = row(6)
    rows[20] = {"id": "odd", "code": "def f(:\n", "call": "f()"}
    write(tmp_path / "a.jsonl", rows)
    # A relative path: the workers have a different working directory.
    out, err = nodes.begin(
        1, *words(nodes, "-o", "by-ray", "--shard", "10"), folder=tmp_path
    ).communicate(timeout=180)
    assert "60 programs in 6 shards" in out, err
    trace(tmp_path / "a.jsonl", "-o", tmp_path / "here", "--shard", 10)
    for folder in ("parts", "outcomes"):
        result = {path.name for path in (tmp_path / "by-ray" / folder).iterdir()}
        assert result == {path.name for path in (tmp_path / "here" / folder).iterdir()}
    for path in (tmp_path / "here" / "parts").iterdir():
        assert path.read_bytes() == (tmp_path / "by-ray" / "parts" / path.name).read_bytes()
    assert outcomes(tmp_path / "by-ray") == outcomes(tmp_path / "here")


def test_errors_are_reported_without_rays_traceback(nodes: Cluster, tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", map(row, range(5)))
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "mine").write_text("", encoding="utf-8")
    process = nodes.begin(1, *words(nodes, "-o", "s"), folder=tmp_path)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "contains 'mine' and no traces.json" in err
    nowhere = nodes.begin(1, *words(nodes, "-o", "t", "--address", "10.77.0.9:1"), folder=tmp_path)
    _, err = nowhere.communicate(timeout=180)
    assert nowhere.returncode == 2, err
    assert "no Ray cluster at 10.77.0.9:1" in err


# Must be the last test: the node stays disconnected.
def test_disconnected_node_loses_no_shard(nodes: Cluster, tmp_path: Path) -> None:
    rows = slow_rows(150, 0.1)
    write(tmp_path / "a.jsonl", rows)
    process = nodes.begin(1, *words(nodes, "-o", "s", "--shard", "10"), folder=tmp_path)
    deadline = time.monotonic() + 120
    while len(list(tmp_path.glob("s/outcomes/*.parquet"))) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    nodes.pull_cable(3)
    out, err = process.communicate(timeout=480)
    assert process.returncode == 0, err
    assert "150 programs in 15 shards" in out
    assert "150 of 150 results are as expected" in out
    assert [result["id"] for result in traces(tmp_path / "s")] == [each["id"] for each in rows]
    assert [result["number"] for result in outcomes(tmp_path / "s")] == list(range(150))
