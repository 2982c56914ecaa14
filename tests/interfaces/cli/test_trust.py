"""`worldline trust` on a stored run."""

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.commands import ok, run


@pytest.fixture(scope="module")
def stored_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty programs; long answers are wrong, and so is one in ten of the short ones."""
    folder = tmp_path_factory.mktemp("trust")
    rows = []
    for number in range(60):
        is_long = number % 2 == 0
        result = repr("ab" * (20 if is_long else 1))
        answer = repr("b" * 40) if is_long else result if number % 10 != 1 else "'a'"
        rows.append(
            {
                "id": f"s{number}",
                "code": f"def f(s):  # {number}\n    return s * {20 if is_long else 1}\n",
                "call": "f('ab')",
                "expected": result,
                "output": f"[ANSWER] {answer} [/ANSWER]",
                "codec": "chat",
                "mode": "free",
                "max_tokens": 100,
            }
        )
    file = folder / "predictions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ok("diagnose", file, "-o", folder / "run")
    return folder / "run"


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
