"""Reports of large runs are computed once, and again when the run changes."""

import json
import os
import time
from pathlib import Path

import pytest

from tests.support.large_run import make_run
from tests.support.scored_samples import make_scored_sample
from worldline.evaluation.runs import read_run
from worldline.interfaces.viewer import Query, build_table, report_cache, run_cache
from worldline.interfaces.viewer.report_cache import cached_report, store_report
from worldline.interfaces.viewer.run_cache import RunCache
from worldline.languages.python.recorder import PythonRecorder

TABLE = build_table(
    [
        make_scored_sample("a", "correct", outcome="correct", facets={"depth": 2}),
        make_scored_sample("b", "incorrect", outcome="diverged", differs_in="state", step=9),
    ]
)


@pytest.fixture(autouse=True)
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the reports: one of its own for each test."""
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "reports"


def test_a_stored_report_is_read_back() -> None:
    store_report("runs", b'{"format":5}', [TABLE, TABLE])
    cached = cached_report("runs")
    assert cached is not None
    assert json.loads(cached.report) == {"format": 5}
    assert cached.read_tables() == [TABLE, TABLE]
    assert cached_report("other runs") is None


def test_a_damaged_report_is_not_used(reports: Path) -> None:
    store_report("runs", b'{"format":5}', [TABLE])
    (file,) = reports.iterdir()
    file.write_bytes(b'{"form')
    assert cached_report("runs") is None


def test_a_report_of_other_code_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store_report("runs", b'{"format":5}', [TABLE])
    (tmp_path / "__init__.py").touch()
    monkeypatch.setattr(report_cache, "_PACKAGE", tmp_path)
    assert cached_report("runs") is None


def test_the_reports_that_were_not_used_for_longest_are_deleted(
    reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_cache, "_MAX_FILES", 2)
    for number, name in enumerate(("first", "second")):
        store_report(name, b"{}", [])
        for file in reports.iterdir():
            os.utime(file, (number, number))
    assert cached_report("first") is not None  # now the newest
    store_report("third", b"{}", [])
    assert [cached_report(name) is None for name in ("first", "second", "third")] == [
        False,
        True,
        False,
    ]


def test_a_cache_that_cannot_be_written_is_no_error(reports: Path) -> None:
    reports.parent.write_text("a file in place of the folder")
    store_report("runs", b"{}", [TABLE])
    assert cached_report("runs") is None


def test_a_large_run_is_computed_once_until_it_changes(
    demo_run: str,
    recorder: PythonRecorder,
    reports: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_cache, "MAX_REPORT_SAMPLES", 9)
    run = tmp_path / "run"
    make_run(run, read_run(demo_run), 20)
    first = RunCache([str(run)], recorder)
    for _ in range(600):
        if list(reports.glob("[!.]*.json")):
            break
        time.sleep(0.05)

    monkeypatch.setattr(run_cache, "build_report_document", None)
    second = RunCache([str(run)], recorder)
    assert second.report() == first.report()
    for query in (Query(), Query(search="return"), Query(sort="step")):
        assert second.rows(0, query) == first.rows(0, query)
    assert second.sample(0, "s7") == first.sample(0, "s7")
    # A changed run is computed again.
    next((run / "parts").iterdir()).unlink()
    with pytest.raises(TypeError):
        RunCache([str(run)], recorder)
