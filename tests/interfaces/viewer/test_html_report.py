"""Report file: its data is that of the runs."""

import base64
import gzip
import json
from pathlib import Path

import pytest

from tests.evaluation.runs.samples import fill, knowing_engine, questions
from tests.interfaces.viewer.conftest import read_data
from worldline.core.errors import InputError
from worldline.evaluation.runs import read_scored_samples
from worldline.interfaces.viewer import html_report, write_report
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.tokenizers import load_tokenizer


def test_report_contains_all_samples_of_both_runs(
    demo_run: str, recorder: PythonRecorder, minimal_page: str, tmp_path: Path
) -> None:
    executed = 0

    def count() -> None:
        nonlocal executed
        executed += 1

    output = tmp_path / "report.html"
    write_report(
        [demo_run, demo_run],
        output,
        recorder,
        tokenizer=load_tokenizer("bytes"),
        on_sample=count,
    )
    rows = read_scored_samples(demo_run)
    assert executed == 2 * len(rows)
    report = json.loads(read_data(output, "report"))
    assert [run["name"] for run in report["runs"]] == [demo_run, demo_run]
    assert report["runs"][0]["token_usage"]["formats"][0]["tokens"] > 0
    tables = json.loads(read_data(output, "rows"))
    samples = json.loads(read_data(output, "samples"))
    assert [len(table) for table in tables] == [len(run_samples) for run_samples in samples]
    diagnosed = DiagnosedRun(demo_run, recorder, tokenizer=load_tokenizer("bytes"))
    for row, compressed in zip(tables[0], samples[0], strict=True):
        document = json.loads(gzip.decompress(base64.b64decode(compressed)))
        assert document == json.loads(json.dumps(diagnosed.document(row[0])))
    assert list(tmp_path.iterdir()) == [output]


def test_samples_added_during_the_report_are_not_in_it(
    recorder: PythonRecorder, minimal_page: str, tmp_path: Path
) -> None:
    run, items = tmp_path / "run", questions(4)
    engine = knowing_engine(recorder, items)
    fill(run, items[2:], engine, recorder)

    def grow() -> None:
        fill(run, items, engine, recorder)

    write_report([str(run)], tmp_path / "page.html", recorder, on_sample=grow)
    (rows,) = json.loads(read_data(tmp_path / "page.html", "rows"))
    (samples,) = json.loads(read_data(tmp_path / "page.html", "samples"))
    ids = [json.loads(gzip.decompress(base64.b64decode(sample)))["id"] for sample in samples]
    assert [row[0] for row in rows] == ids
    # The order is that in which they were answered.
    assert sorted(ids) == ["s2", "s3"]
    assert len(read_scored_samples(run)) == 4


def test_too_many_samples_are_refused_with_a_hint(
    demo_run: str,
    recorder: PythonRecorder,
    minimal_page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(html_report, "MAX_REPORT_SAMPLES", 3)
    with pytest.raises(InputError, match="worldline view"):
        write_report([demo_run], tmp_path / "report.html", recorder)


def test_an_unwritable_output_fails_before_any_execution(
    demo_run: str, recorder: PythonRecorder, minimal_page: str, tmp_path: Path
) -> None:
    def fail() -> None:
        pytest.fail("a program was executed")

    (tmp_path / "folder").mkdir()
    for path in ("nowhere/report.html", "folder", f"{'n' * 300}.html"):
        with pytest.raises(InputError, match="cannot write"):
            write_report([demo_run], tmp_path / path, recorder, on_sample=fail)
    write_report([demo_run], tmp_path / f"{'n' * 250}.html", recorder)
    assert len(list(tmp_path.iterdir())) == 2
