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

from tests.support.tiers import LIVE, tier_of
from worldline.core.trace import Program, Trace
from worldline.languages.python.recorder import PythonRecorder

DATA = Path(
    os.environ.get("WORLDLINE_DATA") or Path(__file__).parent.parent.parent / "shared" / "data"
)

settings.register_profile(
    "worldline", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("worldline")


# Folders whose tests share what takes long to prepare: servers, pages in a browser, traces.
TOGETHER = (LIVE, "tests/interfaces/viewer/", "tests/languages/cfg/")
ORDER = ("live", "endurance", "slow", "")


class FilesTogether(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Scheduler that runs all tests of a file in one worker, so that its fixtures are made once.

    The tests of each folder in `TOGETHER` are run by one worker, too.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return next((folder for folder in TOGETHER if file.startswith(folder)), file)


# Not `--dist loadfile`: it knows no folders, and not `loadgroup`: with pytest 9.2 it ignores the
# groups (pytest-dev/pytest-xdist#1386).
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FilesTogether | None:
    """Select the scheduler for `pytest -n`."""
    # Otherwise the file with the most tests would be the first.
    config.option.loadscopereorder = False
    return FilesTogether(config, log) if config.getvalue("dist") == "load" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of each tier, and begin with the longest, so that no worker waits for them."""
    for item in items:
        if tier := tier_of(item.nodeid):
            item.add_marker(tier)
        if tier == "live":
            # A real server on a busy machine may be late; the summary lists what ran twice.
            item.add_marker(pytest.mark.flaky(reruns=1))
    items.sort(key=lambda item: ORDER.index(tier_of(item.nodeid)))


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """A temporary folder that other users can read: as root, the sandbox changes the user."""
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture(autouse=True)
def sandbox_level() -> Iterator[None]:
    """Undo `--sandbox LEVEL` of commands, which sets a variable for the processes they start."""
    level = os.environ.get("WORLDLINE_SANDBOX")
    yield
    if level is None:
        os.environ.pop("WORLDLINE_SANDBOX", None)
    else:
        os.environ["WORLDLINE_SANDBOX"] = level


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
def cruxeval_traces(recorder: PythonRecorder, cruxeval: list[dict[str, Any]]) -> list[Trace]:
    """Traces of all programs of CRUXEval."""
    programs = [Program(row["code"], f"f({row['input']})") for row in cruxeval]
    # Together they take a fifth of the time, and the traces are the same (test_program_groups.py).
    grouped = recorder.record_group(programs)
    return [
        trace or recorder.record(program) for program, trace in zip(programs, grouped, strict=True)
    ]


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
