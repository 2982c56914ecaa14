"""Two real servers behind one run; one of them is killed in the middle."""

import os
import signal
import subprocess
import time
from pathlib import Path

from tests.conftest import data_file
from tests.killing import by_sample, count_done, worldline
from tests.measure import counters
from tests.models import tiny_cwm
from tests.servers import Server as VllmServer
from tests.servers import serve

SAMPLES = 40


def test_a_run_goes_on_while_one_of_its_servers_is_dead(
    tiny_server: VllmServer, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    data = str(data_file("cruxeval.jsonl"))
    with serve(tiny_cwm(), name="tiny-cwm", max_model_len=8192) as other:
        words = ["bench", "cruxeval", "--data", data, "--engine", f"{tiny_server.url},{other.url}"]
        words += ["--budget", "60", "--first", str(SAMPLES), "--in-flight", "4"]
        words += ["--seconds", "60", "-o", str(run)]
        process = subprocess.Popen(worldline(*words), stdout=subprocess.DEVNULL)
        try:
            wait_for(run, 10, process)
            written = counters(other.url).written
            os.killpg(other.pid, signal.SIGKILL)
            assert process.wait(timeout=300) == 0
        finally:
            process.kill()
            process.wait()
    rows = by_sample(run)
    assert len(rows) == SAMPLES
    assert "failed" not in {row["verdict"] for row in rows.values()}
    # It had been at work: what finds out what servers can do writes a few tokens, samples 60 each.
    assert written > 200


def wait_for(run: Path, done: int, process: "subprocess.Popen[bytes]") -> None:
    """Until so many samples are there."""
    deadline = time.monotonic() + 120
    while count_done(run) < done:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
