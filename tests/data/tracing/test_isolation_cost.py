"""Programs that share a process cost a fraction of the CPU time of programs that do not."""

import os
from pathlib import Path

import pytest

from tests.data.tracing.isolation_benchmarks import measure_isolation
from tests.data.tracing.rows import write
from worldline.data.generation import LEVELS
from worldline.data.generation.candidates import write_program

needs_accounts = pytest.mark.skipif(
    not os.access("/sys/fs/cgroup/cpuacct", os.W_OK), reason="needs a control group for CPU time"
)


@needs_accounts
def test_groups_cost_a_third_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldline.data.generation.decontamination.BENCHMARKS", {})
    tmp_path.chmod(0o755)
    levels = list(LEVELS)
    candidates = [write_program(5, levels[n % len(levels)], n) for n in range(100)]
    rows = [{"id": f"p{n}", "code": p.source, "call": p.call} for n, p in enumerate(candidates)]
    path = write(tmp_path / "programs.jsonl", rows)
    costs = measure_isolation(path, tmp_path / "stores", rounds=1, size=50)
    (floor,), (group,), (process,) = (
        costs[name].milliseconds for name in ("floor", "group", "process")
    )
    assert 0 < floor < group < process / 3
