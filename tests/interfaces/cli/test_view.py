"""`worldline view`, as a user starts and stops it."""

import json
import signal
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.cli.commands import ok, run
from tests.support.kill_harness import worldline
from tests.support.paths import PROJECT_ROOT
from worldline.interfaces.viewer import built_page

PREDICTION = {
    "id": "add",
    "code": "def f(x):\n    return x + 1\n",
    "call": "f(1)",
    "expected": "2",
    "output": "[ANSWER] 3 [/ANSWER]",
    "codec": "chat",
    "mode": "free",
    "max_tokens": 10,
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs."""
    built_page()
    folder = tmp_path_factory.mktemp("project")
    file = tmp_path_factory.mktemp("predictions") / "predictions.jsonl"
    file.write_text(json.dumps(PREDICTION) + "\n")
    for name in ("base", "tuned"):
        ok("diagnose", file, "-o", folder / name)
    return folder


def document_of(arguments: list[str], path: str) -> Any:
    """Start the command, request a document, and stop the command by Ctrl-C."""
    process = subprocess.Popen(
        worldline("view", *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=PROJECT_ROOT,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), process.communicate()[1]
        with urllib.request.urlopen(f"{address}{path}", timeout=240) as response:
            return json.load(response)
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=240)
        assert "Traceback" not in errors


def test_a_run_two_runs_and_a_folder_are_served(project: Path) -> None:
    base, tuned = str(project / "base"), str(project / "tuned")
    assert len(document_of([base], "api/report")["runs"]) == 1
    assert document_of([base, tuned], "api/report")["comparison"] is not None
    listed = document_of([str(project)], "api/project")
    assert [each["id"] for each in listed["runs"]] == ["base", "tuned"]


def test_a_folder_without_runs_is_refused(tmp_path: Path) -> None:
    refused = run("view", tmp_path)
    assert refused.exit_code == 2
    assert "no run" in refused.output
