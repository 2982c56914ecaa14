"""Tracing in groups: the same store as with a process for each program."""

from pathlib import Path
from typing import Any

import pytest

from tests.data.tracing.rows import outcomes, row, trace, traces, write

# Refused in a group, not deterministic, beyond a limit, not loaded, or changing others.
OTHERS: tuple[dict[str, Any], ...] = (
    {"code": "import os\ndef f(n):\n    return os.sep\n", "call": "f(1)"},
    {"code": "def f(n):\n    return id(n) + len({'a', 'b'})\n", "call": "f([])"},
    {"code": "def f(n):\n    return list({'a', 'b', 'c', 'd', 'e'})\n", "call": "f(1)"},
    {"code": "def f(n):\n    while True:\n        n += 1\n", "call": "f(1)"},
    {"code": "def f(n):\n    return missing(n)\n", "call": "f(1)"},
    {"code": "1 / 0\ndef f(n):\n    return n\n", "call": "f(1)"},
    {"code": "import builtins\nbuiltins.range = None\ndef f(n):\n    return n\n", "call": "f(1)"},
    {"code": "def f(n):\n    print(n)\n    return 'x' * n\n", "call": "f(3)"},
    {"code": "def f(n:\n", "call": "f(3)"},
)


@pytest.fixture(autouse=True)
def no_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldline.data.generation.decontamination.BENCHMARKS", {})


def test_groups_make_the_same_store(tmp_path: Path) -> None:
    rows = [row(n) for n in range(40)]
    for number, other in enumerate(OTHERS):
        rows.insert(4 * number, {"id": f"other{number}", **other})
    path = write(tmp_path / "a.jsonl", [*rows, row(1)])
    for isolation in ("process", "group"):
        words = (path, "-o", tmp_path / isolation, "--isolation", isolation, "--shard", 25)
        assert trace(*words).exit_code == 0
    assert traces(tmp_path / "group") == traces(tmp_path / "process")
    by_isolation = {name: outcomes(tmp_path / name) for name in ("process", "group")}
    levels = {
        name: [outcome.pop("isolation", None) for outcome in each]
        for name, each in by_isolation.items()
    }
    assert by_isolation["group"] == by_isolation["process"]
    assert len({outcome["outcome"] for outcome in by_isolation["group"]}) >= 5
    assert set(levels["process"]) == {"process", None}
    assert levels["group"].count("group") >= 40


def test_groups_need_a_second_execution(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(1)])
    refused = trace(path, "-o", tmp_path / "s", "--isolation", "group", "--once")
    assert refused.exit_code != 0
    assert "omit --once" in refused.output
