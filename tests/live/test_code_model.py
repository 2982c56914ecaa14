"""A pretrained code model on this machine, asked and diagnosed as a new user would.

Qwen2.5-Coder-1.5B-Instruct (1.1 GB) is downloaded once by scripts/get-test-model; where that is not
possible, the tests are skipped. They take minutes: in CI, test_llamacpp.py asks a smaller model.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.support.kill_harness import worldline
from tests.support.tiers import IS_COMPLETE

pytestmark = pytest.mark.skipif(not IS_COMPLETE, reason="minutes; set WORLDLINE_TEST_ALL=1")
ROOT = Path(__file__).parents[2]
# Exit code of scripts/get-test-model if the model cannot be downloaded here.
SKIPPED = 3
PROGRAMS = ("def double(x):\n    y = x * 2\n    return y\n# call: double(21)\n",)


@pytest.fixture(scope="module")
def model() -> Path:
    """The model's file."""
    if find_spec("xllamacpp") is None:
        pytest.skip("no llama.cpp; run pip install xllamacpp")
    folder = os.environ.get("WORLDLINE_TEST_MODELS") or str(ROOT / ".models")
    command = [str(ROOT / "scripts" / "get-test-model"), folder]
    result = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHON": sys.executable},
    )
    if result.returncode == SKIPPED:
        pytest.skip(result.stderr.strip())
    assert result.returncode == 0, result.stderr
    return Path(result.stdout.strip())


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = worldline(*arguments)
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_a_new_user_gets_a_report_of_steps(model: Path, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for number, text in enumerate(PROGRAMS):
        (programs / f"p{number}.py").write_text(text)
    asked = run(
        tmp_path, "bench", "programs", "--engine", f"llamacpp:{model}", "--max-tokens", "100",
        "--format", "json", "-o", "run",
    )  # fmt: skip
    assert asked.returncode == 0, asked.stderr
    # Nobody named a format.
    assert "chat-trace" in asked.stderr
    summary: dict[str, Any] = json.loads(asked.stdout)
    assert summary["samples"] == len(PROGRAMS)
    shown = run(
        tmp_path,
        "sql",
        "run",
        "SELECT sample, matched_steps, actual_steps FROM samples",
        "--format",
        "jsonl",
    )
    assert shown.returncode == 0, shown.stderr
    rows = list(map(json.loads, shown.stdout.splitlines()))
    # A pretrained model follows an assignment and a return: call, line, call, two lines.
    matched = {row["sample"]: row["matched_steps"] for row in rows}
    assert max(matched.values()) >= 5
    report = run(tmp_path, "report", "run")
    assert report.returncode == 0, report.stderr
