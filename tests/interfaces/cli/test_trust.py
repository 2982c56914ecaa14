"""`worldline trust` on a stored run."""

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.commands import ok, run
from tests.support.trust_runs import make_trust_run


@pytest.fixture(scope="module")
def stored_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_trust_run(tmp_path_factory.mktemp("trust"), range(60))


def test_fit_test_and_list(stored_run: Path, tmp_path: Path) -> None:
    model = tmp_path / "trust.json"
    fitted = ok("trust", "fit", stored_run, "-o", model)
    assert "characters of the answer" in fitted.output
    measured = json.loads(ok("trust", "test", stored_run, "--format", "json").output)
    assert measured["correct"]["of"] == 60
    assert measured["metrics"]["auroc"]["value"] > 0.8
    shown = ok("trust", "test", stored_run).output
    assert "AUROC" in shown
    assert "wrong among them" in shown
    lines = ok("trust", "list", stored_run, "--model", model, "--format", "jsonl").output
    by_sample = {row["sample"]: row for row in map(json.loads, lines.splitlines())}
    assert by_sample["s3"]["probability"] > by_sample["s2"]["probability"]
    assert by_sample["s2"]["reasons"]
    assert "lowered by" in ok("trust", "list", stored_run, "--model", model).output


def test_a_model_is_not_tested_on_its_own_programs(stored_run: Path, tmp_path: Path) -> None:
    model = tmp_path / "trust.json"
    ok("trust", "fit", stored_run, "-o", model)
    refused = run("trust", "test", stored_run, "--model", model)
    assert refused.exit_code == 2
    assert "fitted on all programs" in refused.output
