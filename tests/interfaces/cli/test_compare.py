"""`worldline compare`."""

import json

import pytest

from tests.interfaces.cli.commands import run
from tests.support.scored_samples import make_scored_sample, run_of
from worldline.evaluation.runs import Manifest
from worldline.models.prediction import PredictionSettings

RUNS = {
    "a": (
        run_of(*"rrww", program="x"),
        Manifest("sums", model="base", settings=PredictionSettings()),
    ),
    "b": (
        run_of(*"rwrr", program="x"),
        Manifest("sums", model="tuned", settings=PredictionSettings()),
    ),
    "recorded": (
        run_of(*"rrww", program="x"),
        Manifest("recorded", {"files": ["f"]}, model="base"),
    ),
    "long": (
        run_of(*"rrww", program="x"),
        Manifest("sums", {"lengths": [1, 2, 3]}, model="base", settings=PredictionSettings()),
    ),
    "longer": (
        run_of(*"rrww", program="x"),
        Manifest("sums", {"lengths": [4, 8]}, model="base", settings=PredictionSettings()),
    ),
    "other": ([make_scored_sample("s0", "correct", program="y")], Manifest("products")),
}


@pytest.fixture(autouse=True)
def _stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "worldline.interfaces.api.evaluating.read_scored_samples", lambda path: RUNS[path][0]
    )
    monkeypatch.setattr("worldline.interfaces.api.run.read_manifest", lambda path: RUNS[path][1])


def test_a_comparison_as_text() -> None:
    result = run("compare", "a", "b")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:3] == ["A a", "B b", "model: base in A, tuned in B"]
    assert lines[3].startswith("B is correct on 1 more of 4 shared samples (+25.0 points, 95% ")
    assert "gained: s2, s3" in lines
    assert "lost: s1" in lines
    assert result.stderr == ""


def test_a_comparison_as_json() -> None:
    data = json.loads(run("compare", "a", "b", "--format", "json").stdout)
    assert (data["overall"]["gained"], data["overall"]["lost"], data["only_a"]) == (2, 1, 0)
    assert data["settings"] == {"model": ["base", "tuned"]}
    assert (data["gained_samples"], data["lost_samples"]) == (["s2", "s3"], ["s1"])


def test_different_programs_cause_a_warning() -> None:
    result = run("compare", "a", "other", "--format", "json")
    assert "1 of 1 shared samples have a different program in B" in result.stderr
    data = json.loads(result.stdout)
    assert data["only_a"] == 3
    assert data["settings"]["benchmark"] == ["sums", "products"]


def test_only_settings_of_both_runs_are_compared() -> None:
    data = json.loads(run("compare", "a", "recorded", "--format", "json").stdout)
    assert data["settings"] == {"benchmark": ["sums", "recorded"]}
    lines = run("compare", "long", "longer").stdout.splitlines()
    assert "option lengths: 1-3 in A, 4,8 in B" in lines
