"""Benchmarks on vLLM servers: killed, resumed and reported."""

import json
from pathlib import Path

from tests.conftest import data_file
from tests.interfaces.cli.commands import ok
from tests.support.kill_harness import by_sample, differing, run_killed, worldline
from tests.support.vllm_servers import VllmServer
from worldline.evaluation.runs import query_runs, read_manifest


def test_a_killed_and_resumed_chat_run_has_the_rows_of_an_uninterrupted_one(
    smol_server: VllmServer, tmp_path: Path
) -> None:
    """`scripts/bench resume` does this with all 800 samples and five kills."""
    data = str(data_file("cruxeval.jsonl"))
    words = ["bench", "cruxeval", "--data", data, "--engine", smol_server.url, "--codec", "chat"]
    # One at a time: concurrent requests in a batch could change the model's output.
    words += ["--max-tokens", "8", "--first", "6", "--concurrency", "1", "--format", "json"]
    uninterrupted, killed = tmp_path / "uninterrupted", tmp_path / "killed"
    report = json.loads(ok(*words, "-o", str(uninterrupted)).stdout)
    assert (report["samples"], report["accuracy"]["infra_error"]) == (6, 0)
    kills = run_killed(worldline(*words, "-o", str(killed)), killed, total=6, kills=2, seed=1)
    assert kills == 2
    assert differing(uninterrupted, killed) == []
    rows = by_sample(killed)
    assert len(rows) == 6
    for row in rows.values():
        assert len(row["prompt_ids"]) == row["prompt_tokens"]
        assert len(row["completion_ids"]) == row["usage_completion"]
    manifest = read_manifest(killed)
    assert (manifest.model, len(manifest.sessions)) == ("smollm2", 3)
    assert "chat" in manifest.capabilities


def test_force_actions_reports_the_survival_of_states(
    tiny_server: VllmServer, tmp_path: Path
) -> None:
    target = str(tmp_path / "run")
    words = ["bench", "permutation", "--engine", tiny_server.url, "--mode", "force-actions"]
    words += ["--set", "lengths=2,4", "--set", "per_length=2", "--max-tokens", "600", "-o", target]
    # The states of a random model are malformed.
    words += ["--max-malformed", "0"]
    shown = ok(*words).stdout
    assert "4 of 4 samples in" in shown
    assert "Steps without a divergence: 4 samples" in shown
    query = "select length, count(*), min(program_steps) from samples group by all order by all"
    # main, its line, the call, the reassignments, two returns.
    assert query_runs([target], query).rows == ((2, 2, 8), (4, 2, 10))
