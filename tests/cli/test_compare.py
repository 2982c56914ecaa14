"""`worldline compare`, as a user would give it."""

import json

import pytest

from tests.cli.commands import run
from tests.judged import judged, run_of
from worldline.predict import Settings
from worldline.runs import Manifest

RUNS = {
    "a": (run_of(*"rrww", program="x"), Manifest("sums", model="base", settings=Settings())),
    "b": (run_of(*"rwrr", program="x"), Manifest("sums", model="tuned", settings=Settings())),
    "recorded": (
        run_of(*"rrww", program="x"),
        Manifest("recorded", {"files": ["f"]}, model="base"),
    ),
    "long": (
        run_of(*"rrww", program="x"),
        Manifest("sums", {"lengths": [1, 2, 3]}, model="base", settings=Settings()),
    ),
    "longer": (
        run_of(*"rrww", program="x"),
        Manifest("sums", {"lengths": [4, 8]}, model="base", settings=Settings()),
    ),
    "other": ([judged("s0", "right", program="y")], Manifest("products")),
}


@pytest.fixture(autouse=True)
def _stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldline.cli.compare.read_judged", lambda path: RUNS[path][0])
    monkeypatch.setattr("worldline.cli.compare.read_manifest", lambda path: RUNS[path][1])


def test_for_people() -> None:
    found = run("compare", "a", "b")
    assert found.exit_code == 0
    lines = found.stdout.splitlines()
    assert lines[:3] == ["A a", "B b", "model: base in A, tuned in B"]
    assert lines[3].startswith("B is right on 1 more of 4 shared samples (+25.0 points, 95% ")
    assert "gained: s2, s3" in lines
    assert "lost: s1" in lines
    assert found.stderr == ""


def test_for_machines() -> None:
    told = json.loads(run("compare", "a", "b", "--format", "json").stdout)
    assert (told["overall"]["gained"], told["overall"]["lost"], told["only_a"]) == (2, 1, 0)
    assert told["settings"] == {"model": ["base", "tuned"]}
    assert (told["gained_samples"], told["lost_samples"]) == (["s2", "s3"], ["s1"])


def test_other_programs_are_warned_of() -> None:
    found = run("compare", "a", "other", "--format", "json")
    assert "1 of 1 shared samples are about another program text" in found.stderr
    told = json.loads(found.stdout)
    assert told["only_a"] == 3
    assert told["settings"]["benchmark"] == ["sums", "products"]


def test_only_what_both_have_is_set_side_by_side() -> None:
    told = json.loads(run("compare", "a", "recorded", "--format", "json").stdout)
    assert told["settings"] == {"benchmark": ["sums", "recorded"]}
    lines = run("compare", "long", "longer").stdout.splitlines()
    assert "option lengths: 1-3 in A, 4,8 in B" in lines
