"""Benchmarks asked of real servers: killed and gone on with, and reported."""

import json
from pathlib import Path

from tests.cli.commands import ok
from tests.conftest import data_file
from tests.killing import by_sample, differing, run_killed, worldline
from tests.servers import Server as VllmServer
from worldline.runs import query_runs, read_manifest


def test_a_chat_run_killed_at_random_has_the_rows_of_an_undisturbed_one(
    smol_server: VllmServer, tmp_path: Path
) -> None:
    """All 800 samples, and five kills: `scripts/bench resume`."""
    data = str(data_file("cruxeval.jsonl"))
    words = ["bench", "cruxeval", "--data", data, "--engine", smol_server.url, "--codec", "chat"]
    # One at a time, so that no other request's company changes what the model computes.
    words += ["--budget", "40", "--first", "12", "--in-flight", "1", "--format", "json"]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    told = json.loads(ok(*words, "-o", str(whole)).stdout)
    assert (told["samples"], told["accuracy"]["failed"]) == (12, 0)
    kills = run_killed(worldline(*words, "-o", str(killed)), killed, total=12, kills=2, seed=1)
    assert kills == 2
    assert differing(whole, killed) == []
    rows = by_sample(killed)
    assert len(rows) == 12
    for row in rows.values():
        assert len(row["prompt_ids"]) == row["prompt_tokens"]
        assert len(row["ids"]) == row["usage_written"]
    manifest = read_manifest(killed)
    assert (manifest.model, len(manifest.sessions)) == ("smollm2", 3)
    assert "chat" in manifest.abilities


def test_how_far_state_is_kept_when_the_lines_are_given(
    tiny_server: VllmServer, tmp_path: Path
) -> None:
    target = str(tmp_path / "run")
    words = ["bench", "permutation", "--engine", tiny_server.url, "--mode", "force-actions"]
    words += ["--set", "lengths=2,4", "--set", "per_length=2", "--budget", "600", "-o", target]
    shown = ok(*words).stdout
    assert "4 of 4 samples in" in shown
    assert "Right for how many steps" in shown
    query = "select length, count(*), min(program_steps) from samples group by all order by all"
    # main, its line, the call, the reassignments, two returns.
    assert query_runs([target], query).rows == ((2, 2, 8), (4, 2, 10))
