"""`worldline compare --fail-if`: exit codes, the line, JUnit and Markdown."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.interfaces.cli.commands import run
from tests.support.scored_samples import make_scored_sample, run_of
from worldline.evaluation.runs import Manifest, ScoredSample

HOSTILE = 'x`|<img src="a">&\x1b[31m\ud800'
RUNS: dict[str, list[ScoredSample]] = {
    "base": run_of(*"r" * 60, *"w" * 40),
    "same": run_of(*"r" * 59, *"w" * 40, "r"),
    "worse": run_of(*"r" * 45, *"w" * 55),
    "truncated": run_of(*"r" * 50, *"c" * 10, *"w" * 38, "f", "f"),
    "errors": run_of(*"f" * 100),
    "hostile base": [make_scored_sample(HOSTILE, "correct")],
    "hostile": [make_scored_sample(HOSTILE, "incorrect")],
}


@pytest.fixture(autouse=True)
def _stored(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("evaluating", "comparing"):
        monkeypatch.setattr(
            f"worldline.interfaces.api.{module}.read_scored_samples", lambda path: RUNS[path]
        )
    monkeypatch.setattr("worldline.interfaces.api.run.read_manifest", lambda path: Manifest("sums"))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def test_a_gate_that_passes() -> None:
    result = run("compare", "base", "same", "--fail-if", "accuracy<-2")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1].startswith(
        "passed: accuracy<-2 (0.0 points, 95% interval"
    )
    assert result.stdout.splitlines()[-1].endswith("100 samples that both runs answered)")


def test_a_gate_that_fails() -> None:
    words = ("--fail-if", "accuracy<-2:significant", "--fail-if", "samples<100")
    result = run("compare", "base", "worse", *words)
    assert result.exit_code == 1
    line = result.stdout.splitlines()[-1]
    assert line.startswith("failed: accuracy<-2:significant (-15.0 points, 95% interval -23.3 to")
    assert "p < 0.001" in line
    # Only what failed.
    assert "samples<100" not in line
    assert result.stderr == ""


def test_the_line_says_what_is_not_in_accuracy() -> None:
    result = run("compare", "base", "truncated", "--fail-if", "accuracy<0")
    assert result.exit_code == 0
    line = result.stdout.splitlines()[-1]
    assert line.startswith("passed: accuracy<0 (0.0 points, ")
    assert "88 samples that both runs answered" in line
    assert "not answered by one of the runs: 10 of 98" in line
    assert "not compared: 2 with an infrastructure error" in line
    assert run("compare", "base", "truncated", "--fail-if", "truncated>5").exit_code == 1


def test_a_run_of_infrastructure_errors_fails() -> None:
    result = run("compare", "base", "errors", "--fail-if", "accuracy<-50")
    assert result.exit_code == 1
    assert "cannot be measured: no samples that both runs answered" in result.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("--fail-if", "accuracy"),
        ("--fail-if", "speed<1"),
        ("--junit", "file.xml"),
        ("--summary",),
    ],
)
def test_usage_errors_have_exit_code_2(words: tuple[str, ...]) -> None:
    result = run("compare", "base", "same", *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("worldline: ")
    assert result.stdout == ""


def test_json_contains_the_gate() -> None:
    result = run("compare", "base", "worse", "--format", "json", "--fail-if", "accuracy<-2")
    assert result.exit_code == 1
    gate = json.loads(result.stdout)["gate"]
    assert gate["has_passed"] is False
    (condition,) = gate["conditions"]
    assert (condition["measure"], condition["number"], condition["unit"]) == (
        "accuracy",
        -2,
        "points",
    )
    assert condition["change"]["value"] == pytest.approx(-15)
    assert result.stderr.startswith("failed: accuracy<-2 ")


def test_junit_has_a_test_case_for_each_condition(tmp_path: Path) -> None:
    file = tmp_path / "gate.xml"
    words = ("--fail-if", "accuracy<-2", "--fail-if", "samples<100", "--junit", str(file))
    assert run("compare", "base", "worse", *words).exit_code == 1
    suite = ElementTree.parse(file).getroot().find("testsuite")
    assert suite is not None
    assert (suite.get("name"), suite.get("failures")) == ("worldline compare base worse", "1")
    failed, passed = suite.findall("testcase")
    assert failed.get("name") == "accuracy<-2"
    failure = failed.find("failure")
    assert failure is not None
    assert (failure.get("message") or "").startswith("-15.0 points, 95% interval")
    assert passed.find("failure") is None
    assert passed.findtext("system-out") == "100 shared samples"


def test_the_summary_is_appended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "summary.md"
    file.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    # Only if it is asked for.
    assert run("compare", "base", "worse", "--fail-if", "accuracy<-2").exit_code == 1
    assert file.read_text() == "before\n"
    assert run("compare", "base", "worse", "--fail-if", "accuracy<-2", "--summary").exit_code == 1
    text = file.read_text()
    assert text.startswith("before\n### Worldline: failed\n")
    assert "| `accuracy<-2` | **failed** | -15.0 points, 95% interval" in text
    other = tmp_path / "other.md"
    assert run("compare", "base", "same", "--summary", str(other)).exit_code == 0
    assert other.read_text().startswith("### Worldline: comparison\n")


def test_names_of_samples_and_runs_are_no_markup(tmp_path: Path) -> None:
    summary, junit = tmp_path / "summary.md", tmp_path / "gate.xml"
    words = ("--fail-if", "accuracy<-2", "--summary", str(summary), "--junit", str(junit))
    assert run("compare", "hostile base", "hostile", *words).exit_code == 1
    text = summary.read_text(encoding="utf-8")
    assert '``x`\\|<img src="a">&\\x1b[31m\\ud800``' in text
    assert text.isprintable() is False
    assert "\x1b" not in text
    ElementTree.parse(junit)
