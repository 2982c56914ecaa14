"""`worldline compare`, as a user would give it."""

import json

import pytest
from click.testing import CliRunner, Result

from tests.judged import judged, run_of
from worldline.cli import main
from worldline.errors import InputError
from worldline.runs.judged import Judged

RUNS = {
    "a": run_of(*"rrww", true_steps=4),
    "b": run_of(*"rwrr", true_steps=4),
    "other": [judged("s0", "right", true_steps=7)],
}


@pytest.fixture(autouse=True)
def _stored(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: str) -> list[Judged]:
        if path not in RUNS:
            raise InputError(f"{path} is no run")
        return RUNS[path]

    monkeypatch.setattr("worldline.cli.compare.read_judged", read)


def run(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(main, ["compare", *arguments])


def test_for_people() -> None:
    found = run("a", "b")
    assert found.exit_code == 0
    assert found.stdout.startswith("B is right on 1 more of 4 shared samples (+25.0 points, 95% ")
    assert found.stderr == ""


def test_for_machines() -> None:
    told = json.loads(run("a", "b", "--format", "json").stdout)
    assert (told["overall"]["gained"], told["overall"]["lost"], told["only_a"]) == (2, 1, 0)


def test_different_benchmarks_are_warned_of() -> None:
    found = run("a", "other", "--format", "json")
    assert "1 of 1 shared samples have other facets or another true execution" in found.stderr
    assert json.loads(found.stdout)["only_a"] == 3


def test_no_such_run() -> None:
    found = run("a", "nothing")
    assert (found.exit_code, found.stderr) == (2, "worldline: nothing is no run\n")
