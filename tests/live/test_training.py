"""From programs to a trained model: every command of the tutorial."""

import json
from pathlib import Path
from typing import Any, get_args

from tests.interfaces.cli.commands import ok
from tests.support.vllm_servers import serve
from worldline.analysis.diagnosis import Outcome
from worldline.data.training import get_recipe
from worldline.data.training.model import create_model, save_model
from worldline.evaluation.runs import query_runs, read_interventions, read_scored_samples


def one_step(engine: str, programs: Path, run: Path) -> dict[str, Any]:
    """Measure the one-step accuracy of a model."""
    words = ["bench", str(programs), "--engine", engine, "--mode", "score", "--format", "json"]
    report = json.loads(ok(*words, "-o", str(run)).stdout)
    assert report["accuracy"]["infra_error"] == 0
    scored: dict[str, Any] = report["scored"]
    return scored


def share(counts: dict[str, float]) -> float:
    return counts["correct"] / counts["of"]


def check_patches(run: Path) -> None:
    """Check that patched predictions match at least as many steps as before."""
    before = {row.sample: row for row in read_scored_samples(run)}
    patched = read_interventions(run)["patch"]
    assert len(patched) > 3
    for row in patched:
        matched_steps = before[row.sample].matched_steps
        assert row.verdict != "infra_error", row.error
        assert matched_steps is not None
        assert row.matched_steps is not None, ok("show", run, row.sample).stdout
        assert row.matched_steps >= matched_steps
    gains = [(row.matched_steps or 0) - (before[row.sample].matched_steps or 0) for row in patched]
    assert sum(gains) > len(gains) / 2
    assert "tried      Patch" in ok("show", run, patched[0].sample).stdout


def test_a_trained_model_is_better_than_an_untrained_one(vllm: None, tmp_path: Path) -> None:
    programs, held_out = tmp_path / "programs.jsonl", tmp_path / "held-out.jsonl"
    exclude = ["--exclude", "permutation", "--workers", "2"]
    ok("generate", "-o", str(programs), "--count", "300", *exclude)
    more = ["--count", "16", "--seed", "1", "--exclude", str(programs)]
    ok("generate", "-o", str(held_out), *more, *exclude)
    ok("trace", str(programs), "-o", str(tmp_path / "traces"), "--workers", "2", "--once")
    export = tmp_path / "export"
    ok("export", str(tmp_path / "traces"), "--tokenizer", "bpe:512", "-o", str(export))
    model = tmp_path / "model"
    # One thread: other tests run at the same time, and threads would wait for each other.
    words = ["train", str(export), "--recipe", "tiny", "--tokens", "100000"]
    words += ["--threads", "1", "-o", str(model)]
    shown = ok(*words).stdout
    assert "M parameters" in shown

    tokenizer = export / "tokenizer"
    untrained = create_model(get_recipe("tiny"), tokenizer)
    save_model(untrained, tokenizer, tmp_path / "untrained")
    before = one_step(f"transformers:{tmp_path / 'untrained'}", held_out, tmp_path / "before")
    with serve(model, name="tiny-trained", max_model_len=2048) as server:
        after = one_step(server.url, held_out, tmp_path / "after")
        words = ["bench", str(held_out), "--engine", server.url, "--max-tokens", "1200"]
        # Programs are slow while the server uses all cores.
        words += ["--seconds", "60"]
        ok(*words, "--format", "json", "-o", str(tmp_path / "free"))
        shown = ok(
            "intervene", tmp_path / "free", "--engine", server.url, "--interventions", "patch"
        ).stdout
        assert "Corrected, by cause and intervention" in shown
    check_patches(tmp_path / "free")
    # All tokens of an action or a state must be correct; by chance, none of about 280 is.
    assert share(before["actions"]) < 0.01
    assert share(before["states"]) < 0.01
    assert share(after["actions"]) > 0.01
    assert share(after["states"]) > 0.03
    for surprise in ("action_surprise", "state_surprise"):
        assert after[surprise] < before[surprise] / 2
    counts = dict(
        query_runs([tmp_path / "free"], "select outcome, count(*) from samples group by all").rows
    )
    assert sum(counts.values()) == 16
    assert counts.keys() <= set(get_args(Outcome))
    shown = ok("report", str(tmp_path / "free")).stdout
    assert "level" in shown
