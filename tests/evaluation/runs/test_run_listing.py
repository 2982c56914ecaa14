"""Runs within a folder, and the steps in the names of checkpoints."""

from pathlib import Path

import pytest

from worldline.evaluation.runs import Checkpoint, Manifest, find_runs, parse_checkpoint
from worldline.evaluation.runs.run_listing import split_step
from worldline.evaluation.store import join_address


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("checkpoint-500", ("", 500)),
        ("sft/checkpoint-500", ("sft", 500)),
        ("model-step_002000", ("model", 2000)),
        ("global_step100", ("", 100)),
        ("iter_0000100", ("", 100)),
        ("m-step-2k-free", ("m-free", 2000)),
        ("step-1/checkpoint-20", ("step-1", 20)),
        # The number of a model, a seed or a word within a word is no step.
        ("qwen-7", None),
        ("seed-3", None),
        ("footstep-3", None),
        ("checkpoint", None),
        ("", None),
    ],
)
def test_steps_in_names(name: str, parts: tuple[str, int] | None) -> None:
    assert split_step(name) == parts


def test_the_name_of_the_run_comes_before_the_model() -> None:
    manifest = Manifest("sums", model="out/step-20")
    assert parse_checkpoint("base", manifest) == Checkpoint("out", 20)
    assert parse_checkpoint("checkpoint-5", manifest) == Checkpoint("out", 5)
    assert parse_checkpoint("a/checkpoint-5", manifest) == Checkpoint("a", 5)
    assert parse_checkpoint("checkpoint-5", Manifest("sums")) == Checkpoint("checkpoints", 5)
    assert parse_checkpoint("base", Manifest("sums", model="qwen-7")) is None


def test_runs_are_found_at_any_depth(tmp_path: Path) -> None:
    for run in ("a", "b/c", "a/interventions/patch", ".hidden/d"):
        folder = tmp_path / run
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text("{}")
    assert find_runs(tmp_path) == ["a", "b/c"]
    assert find_runs(tmp_path / "a") == [""]
    assert find_runs(tmp_path / "none") == []


def test_addresses_of_runs() -> None:
    assert join_address("runs/", "a/b") == "runs/a/b"
    assert join_address("what?", "a") == "what?/a"
    assert join_address("s3://bucket/runs?scheme=http", "a") == "s3://bucket/runs/a?scheme=http"
    assert join_address("runs", "") == "runs"
