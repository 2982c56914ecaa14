"""`worldline report` with several runs."""

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.commands import ok, run
from tests.support.scored_samples import run_of
from worldline.evaluation.runs import Manifest

RUNS = {
    "base": run_of(*"rrrrwwww"),
    "better": run_of(*"rrrrrrrw"),
    "truncated": run_of(*"rrccwwwf"),
}


@pytest.fixture(autouse=True)
def _stored(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "worldline.interfaces.api.comparing"
    monkeypatch.setattr(f"{module}.read_scored_samples", lambda path: RUNS[path])
    monkeypatch.setattr(f"{module}.read_manifest", lambda path: Manifest("sums"))


@pytest.mark.parametrize("columns", [90, 200])
def test_runs_are_printed_as_a_table(columns: int) -> None:
    lines = ok("report", "base", "better", "truncated", columns=columns).stdout.splitlines()
    assert lines[0] == "3 runs, compared with the baseline base"
    assert lines[1:4] == [" 1  better", " 2  base", " 3  truncated"]
    first, second, third = (line.split() for line in lines if " of " not in line and "/" in line)
    assert first[:5] == ["1", "7/8", "87.5", "(53–98)", "+37.5"]
    assert second == ["2", "4/8", "50.0", "(22–78)", "base", "50.0", "·", "·", "·"]
    # Five samples are answered by both, two are truncated, one has an infrastructure error.
    assert third[:5] == ["3", "2/5", "40.0", "(12–77)", "0.0"]
    assert third[8:] == ["5", "1", "28.6", "2", "·", "1"]


def test_a_leaderboard_as_json_with_another_baseline() -> None:
    text = ok("report", "base", "better", "--baseline", "better", "--format", "json").stdout
    board = json.loads(text)
    assert board["baseline"] == "better"
    assert [row["run"] for row in board["runs"]] == ["better", "base"]
    assert board["runs"][1]["difference"]["answered"]["value"] == -3 / 8


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("base", "--baseline", "base"), "give two or more"),
        (("base", "better", "--baseline", "other"), "is not one of the runs"),
        (("base", "base", "better"), "given twice"),
        (("base", "better", "truncated", "-o", "x.html", "--format", "json"), "only one of them"),
        (("base", "better", "truncated", "-o", "x.txt"), "HTML file"),
        (("base", "better", "--by", "operation"), "prints one run"),
    ],
)
def test_usage_errors(words: tuple[str, ...], message: str) -> None:
    result = run("report", *words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_html_file_of_three_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "<!doctype html><title>Worldline</title><!--worldline-csp--><!--worldline-data-->"
    monkeypatch.setattr("worldline.interfaces.viewer.html_shell.built_page", lambda: page)
    file = tmp_path / "board.html"
    assert "3 runs" in ok("report", "base", "better", "truncated", "-o", file).stdout
    start = '<script type="application/json" id="project">'
    document = json.loads(file.read_text().split(start)[1].split("</script>")[0])
    assert [each["id"] for each in document["runs"]] == ["base", "better", "truncated"]
    assert document["differences"]["baseline"] == "base"
    # It may be replaced by another report, unlike any other file.
    ok("report", "base", "better", "truncated", "-o", file)
