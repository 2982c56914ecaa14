"""From programs to a model that has learned: every command of the walk-through, really run."""

import json
from pathlib import Path
from typing import Any, get_args

from tests.cli.commands import ok
from tests.servers import serve
from worldline.diagnose import Outcome
from worldline.runs import query_runs, read_interventions, read_judged
from worldline.training import recipe_named
from worldline.training.model import new_model, save_model


def one_step(engine: str, programs: Path, run: Path) -> dict[str, Any]:
    """How many true steps of programs are a model's own choice."""
    words = ["bench", str(programs), "--engine", engine, "--mode", "score", "--format", "json"]
    told = json.loads(ok(*words, "-o", str(run)).stdout)
    assert told["accuracy"]["failed"] == 0
    found: dict[str, Any] = told["scored"]
    return found


def share(found: dict[str, float]) -> float:
    return found["right"] / found["of"]


def check_patches(run: Path) -> None:
    """Every failure that could be was given one true thing, and got at least as far as before."""
    before = {row.sample: row for row in read_judged(run)}
    patched = read_interventions(run)["patch"]
    assert len(patched) > 10
    for row in patched:
        matched = before[row.sample].matched_steps
        assert row.verdict != "failed", row.error
        assert matched is not None
        assert row.matched_steps is not None, ok("show", run, row.sample).stdout
        assert row.matched_steps >= matched
    farther = [
        (row.matched_steps or 0) - (before[row.sample].matched_steps or 0) for row in patched
    ]
    assert sum(farther) > len(farther) / 2
    assert "tried      patch" in ok("show", run, patched[0].sample).stdout


def test_from_programs_to_a_model_that_has_learned(vllm: None, tmp_path: Path) -> None:
    programs, held_out = tmp_path / "programs.jsonl", tmp_path / "held-out.jsonl"
    without = ["--without", "permutation", "--workers", "2"]
    ok("generate", "-o", str(programs), "--count", "1600", *without)
    more = ["--count", "40", "--seed", "1", "--without", str(programs)]
    ok("generate", "-o", str(held_out), *more, *without)
    ok("trace", str(programs), "-o", str(tmp_path / "traces"), "--workers", "2", "--once")
    export = tmp_path / "export"
    ok("export", str(tmp_path / "traces"), "--tokenizer", "bpe:512", "-o", str(export))
    model = tmp_path / "model"
    # One thread: other tests run beside this one, and threads wait for one another.
    words = ["train", str(export), "--recipe", "tiny", "--threads", "1", "-o", str(model)]
    shown = ok(*words).stdout
    assert "M parameters" in shown

    vocabulary = export / "tokenizer"
    untrained = new_model(recipe_named("tiny"), vocabulary)
    save_model(untrained, vocabulary, tmp_path / "untrained")
    before = one_step(f"transformers:{tmp_path / 'untrained'}", held_out, tmp_path / "before")
    with serve(model, name="tiny-trained", max_model_len=2048) as server:
        after = one_step(server.url, held_out, tmp_path / "after")
        words = ["bench", str(held_out), "--engine", server.url, "--budget", "1200"]
        # A server that is busy on all cores leaves a program little of them.
        words += ["--seconds", "60"]
        ok(*words, "--format", "json", "-o", str(tmp_path / "free"))
        shown = ok("intervene", tmp_path / "free", "--engine", server.url, "--only", "patch").stdout
        assert "Turned right, by cause and intervention" in shown
    check_patches(tmp_path / "free")
    # Every token of an action or a state has to be right; of some 750 of each, none is by chance.
    assert share(before["actions"]) < 0.01
    assert share(before["states"]) < 0.01
    assert share(after["actions"]) > 0.08
    assert share(after["states"]) > 0.08
    for surprise in ("action_surprise", "state_surprise"):
        assert after[surprise] < before[surprise] / 2
    counts = dict(
        query_runs([tmp_path / "free"], "select outcome, count(*) from samples group by all").rows
    )
    assert sum(counts.values()) == 40
    assert counts.keys() <= set(get_args(Outcome))
    shown = ok("report", str(tmp_path / "free")).stdout
    assert "level" in shown
