"""Fixtures of all tests: a recorder and the benchmark data."""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from worldline.languages.python.recorder import PythonRecorder

DATA = Path(
    os.environ.get("WORLDLINE_DATA") or Path(__file__).parent.parent.parent / "shared" / "data"
)

settings.register_profile(
    "worldline", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("worldline")


# Files whose tests share something that takes long to prepare.
TOGETHER = ("tests/test_python_314.py", "tests/interfaces/viewer/test_page_in_browser.py")


class LiveTogether(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Scheduler that runs all of tests/live in one worker, so that each server starts once.

    The tests of each file in `TOGETHER` are run by one worker, too. All other tests are distributed
    one by one. The largest scope is distributed first, so these tests, the slowest, start at once.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        if file.startswith("tests/live/"):
            return "live"
        return file if file in TOGETHER else nodeid


# Not `--dist loadgroup`: with pytest 9.2 it ignores the groups (pytest-dev/pytest-xdist#1386).
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LiveTogether | None:
    """Select the scheduler for `pytest -n`."""
    return LiveTogether(config, log) if config.getvalue("dist") == "load" else None


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """A temporary folder that other users can read: as root, the sandbox changes the user."""
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture(scope="session")
def recorder() -> Iterator[PythonRecorder]:
    """One recorder for all tests; every program gets its own process."""
    with PythonRecorder() as shared_recorder:
        yield shared_recorder


def data_file(name: str) -> Path:
    """Path of a data file; skip the test if it is missing."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is missing (looked in {DATA})")
    return path


@pytest.fixture(scope="session")
def cruxeval() -> list[dict[str, Any]]:
    """All rows of CRUXEval."""
    lines = data_file("cruxeval.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def humaneval() -> list[dict[str, Any]]:
    """All rows of HumanEval."""
    with gzip.open(data_file("HumanEval.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def recorded_files() -> list[Path]:
    """The recorded failures of CWM-32B."""
    names = ("cwm32b_cruxeval_failures.jsonl", "cwm32b_humaneval_failures.jsonl")
    return [data_file(name) for name in names]
