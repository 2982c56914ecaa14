"""A file holds what the run holds."""

import base64
import gzip
import json
from pathlib import Path

import pytest

from tests.runs.samples import fill, knowing_engine, questions
from tests.viewer.conftest import read_data
from worldline.errors import InputError
from worldline.recorders import PythonRecorder
from worldline.runs import read_judged
from worldline.tokens import load_tokenizer
from worldline.viewer import file, write_report
from worldline.viewer.examined import ExaminedRun


def test_a_file_has_all_samples_of_both_runs(
    demo_run: str, recorder: PythonRecorder, bare_page: str, tmp_path: Path
) -> None:
    done = 0

    def count() -> None:
        nonlocal done
        done += 1

    output = tmp_path / "report.html"
    write_report(
        [demo_run, demo_run],
        output,
        recorder,
        tokenizer=load_tokenizer("bytes"),
        on_sample=count,
    )
    rows = read_judged(demo_run)
    assert done == 2 * len(rows)
    report = json.loads(read_data(output, "report"))
    assert [run["name"] for run in report["runs"]] == [demo_run, demo_run]
    assert report["runs"][0]["budget"]["formats"][0]["tokens"] > 0
    tables = json.loads(read_data(output, "rows"))
    samples = json.loads(read_data(output, "samples"))
    assert [len(table) for table in tables] == [len(found) for found in samples]
    examined = ExaminedRun(demo_run, recorder, tokenizer=load_tokenizer("bytes"))
    for row, packed in zip(tables[0], samples[0], strict=True):
        document = json.loads(gzip.decompress(base64.b64decode(packed)))
        assert document == json.loads(json.dumps(examined.document(row[0])))
    assert list(tmp_path.iterdir()) == [output]


def test_a_run_that_grows_meanwhile_is_written_as_it_was(
    recorder: PythonRecorder, bare_page: str, tmp_path: Path
) -> None:
    run, asked = tmp_path / "run", questions(4)
    engine = knowing_engine(recorder, asked)
    fill(run, asked[2:], engine, recorder)

    def grow() -> None:
        fill(run, asked, engine, recorder)

    write_report([str(run)], tmp_path / "page.html", recorder, on_sample=grow)
    (rows,) = json.loads(read_data(tmp_path / "page.html", "rows"))
    (samples,) = json.loads(read_data(tmp_path / "page.html", "samples"))
    packed = [json.loads(gzip.decompress(base64.b64decode(sample)))["id"] for sample in samples]
    assert [row[0] for row in rows] == packed
    # Whichever was answered first.
    assert sorted(packed) == ["s2", "s3"]
    assert len(read_judged(run)) == 4


def test_too_many_samples_are_for_the_server(
    demo_run: str,
    recorder: PythonRecorder,
    bare_page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file, "MOST_SAMPLES", 3)
    with pytest.raises(InputError, match="worldline view"):
        write_report([demo_run], tmp_path / "report.html", recorder)


def test_a_place_that_cannot_be_written_to_is_named(
    demo_run: str, recorder: PythonRecorder, bare_page: str, tmp_path: Path
) -> None:
    def executed() -> None:
        pytest.fail("that was to be known before")

    (tmp_path / "folder").mkdir()
    for path in ("nowhere/report.html", "folder", f"{'n' * 300}.html"):
        with pytest.raises(InputError, match="cannot write"):
            write_report([demo_run], tmp_path / path, recorder, on_sample=executed)
    write_report([demo_run], tmp_path / f"{'n' * 250}.html", recorder)
    assert len(list(tmp_path.iterdir())) == 2
