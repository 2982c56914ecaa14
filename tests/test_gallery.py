"""The gallery: its reports, its links and the animated picture."""

import gzip
import json
import struct
import zlib
from pathlib import Path

import pytest

from scripts import gallery
from scripts.animated_png import SIGNATURE, animate, read_chunks
from scripts.gallery import Report, build_report, find_reports, published_answers, recorded_outputs
from scripts.gallery_links import link_reports
from tests.interfaces.viewer.conftest import MINIMAL_PAGE, read_data
from tests.support.paths import DOCS_FOLDER, PROJECT_ROOT

PROBLEM = {"id": "sample_0", "code": "def f(x):\n    return x + 1", "input": "1", "output": "2"}


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    file = tmp_path / "cruxeval.jsonl"
    file.write_text(json.dumps(PROBLEM) + "\n")
    return file


def test_the_first_published_answer_becomes_a_report(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.interfaces.viewer.html_shell.built_page", lambda: MINIMAL_PAGE)
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"sample_0": ["3", "2"]}))
    (row,) = published_answers(answers, programs)
    assert (row["call"], row["expected"], row["output"]) == ("f(1)", "2", "[ANSWER]3[/ANSWER]")
    runs = {"model-a": lambda: published_answers(answers, programs)}
    report = build_report(Report("a", (programs, answers), runs), tmp_path / "reports")
    (document,) = json.loads(read_data(report, "report"))["runs"]
    assert document["name"] == "model-a"
    assert document["header"][0] == "cruxeval files=answers.json"
    assert "imported from a file" in document["import_note"]
    assert document["accuracy"]["incorrect"] == 1
    assert str(tmp_path) not in report.read_text(encoding="utf-8")


def test_only_the_outputs_of_the_run_are_read(programs: Path, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs.jsonl.gz"
    rows = [{"run": run, "sample": "sample_0", "output": run} for run in ("free", "guided")]
    outputs.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    (row,) = recorded_outputs(outputs, programs, "guided")
    assert row["output"] == "guided"
    assert row["code"] == PROBLEM["code"]


def test_without_data_every_report_is_skipped_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORLDLINE_DATA", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["gallery"])
    monkeypatch.setattr(gallery, "GALLERY", tmp_path / "gallery")
    gallery.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(find_reports(tmp_path))
    assert all("skipped, because" in line and "cruxeval.jsonl" in line for line in lines)
    assert not (tmp_path / "gallery").exists()


def test_the_page_links_the_reports_that_are_built(tmp_path: Path) -> None:
    (tmp_path / "a.html").touch()
    page = link_reports("<!-- report: a -->\n\n<!-- report: b -->", tmp_path)
    assert "(gallery/a.html)" in page
    assert "gallery/b.html" not in page
    assert "scripts/build-gallery" in page


def test_every_report_is_on_the_page_with_its_picture() -> None:
    page = (DOCS_FOLDER / "gallery.md").read_text(encoding="utf-8")
    for report in find_reports(PROJECT_ROOT):
        assert f"<!-- report: {report.name} -->" in page
        assert f"pictures/gallery-{report.name}.png" in page
        assert (DOCS_FOLDER / "pictures" / f"gallery-{report.name}.png").exists()


def make_picture(width: int, colour: int) -> bytes:
    """A grey PNG file of one row."""
    header = struct.pack(">IIBBBBB", width, 1, 8, 0, 0, 0, 0)
    data = zlib.compress(b"\0" + bytes([colour] * width))
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return SIGNATURE + b"".join(
        struct.pack(">I", len(content)) + kind + content
        + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )  # fmt: skip


def test_an_animation_contains_its_pictures_and_their_times() -> None:
    chunks = list(read_chunks(animate([(make_picture(3, 10), 500), (make_picture(3, 20), 2000)])))
    assert [kind for kind, _ in chunks] == [
        b"IHDR", b"acTL", b"fcTL", b"IDAT", b"fcTL", b"fdAT", b"IEND",
    ]  # fmt: skip
    times = [struct.unpack(">HH", content[20:24]) for kind, content in chunks if kind == b"fcTL"]
    assert times == [(500, 1000), (2000, 1000)]
    numbers = [content[:4] for kind, content in chunks if kind in (b"fcTL", b"fdAT")]
    assert numbers == [struct.pack(">I", number) for number in range(3)]
    (second,) = (content[4:] for kind, content in chunks if kind == b"fdAT")
    assert zlib.decompress(second) == b"\0\x14\x14\x14"


def test_pictures_of_different_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="same size"):
        animate([(make_picture(3, 10), 500), (make_picture(4, 10), 500)])


def test_the_animated_picture_of_the_readme_is_small() -> None:
    picture = (DOCS_FOLDER / "pictures" / "tour.png").read_bytes()
    frames = dict(read_chunks(picture))[b"acTL"]
    assert struct.unpack(">I", frames[:4])[0] >= 6
    assert len(picture) < 1_500_000
    assert "docs/pictures/tour.png" in (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
