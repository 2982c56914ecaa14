"""A run on two servers, one of which is killed."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.conftest import data_file
from tests.support.kill_harness import by_sample, count_done, worldline
from tests.support.server_measurements import read_counters
from tests.support.small_models import tiny_cwm
from tests.support.vllm_servers import VllmServer, serve

SAMPLES = 40


def test_a_run_finishes_if_one_of_its_servers_dies(tiny_server: VllmServer, tmp_path: Path) -> None:
    run = tmp_path / "run"
    data = str(data_file("cruxeval.jsonl"))
    with serve(tiny_cwm(), name="tiny-cwm", max_model_len=8192) as other:
        words = ["bench", "cruxeval", "--data", data, "--engine", f"{tiny_server.url},{other.url}"]
        words += ["--max-tokens", "60", "--first", str(SAMPLES), "--concurrency", "4"]
        words += ["--seconds", "60", "-o", str(run)]
        process = subprocess.Popen(worldline(*words), stdout=subprocess.DEVNULL)
        try:
            wait_for(lambda: count_done(run) >= 10, process)
            # It has predicted samples: 60 tokens each, the capability probe only a few.
            wait_for(lambda: read_counters(other.url).completion > 150, process)
            os.killpg(other.pid, signal.SIGKILL)
            assert process.wait(timeout=300) == 0
        finally:
            process.kill()
            process.wait()
    rows = by_sample(run)
    assert len(rows) == SAMPLES
    assert "infra_error" not in {row["verdict"] for row in rows.values()}


def wait_for(condition: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    """Wait until a condition is true, while a process is running."""
    deadline = time.monotonic() + 120
    while not condition():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
