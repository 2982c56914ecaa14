"""Harness that kills a command at random moments and runs it again until it is done.

Used by tests/live on a few samples, and by `scripts/bench resume` at full size.
"""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.evaluation.runs import is_run, read_run

# Columns that are equal in two runs of the same questions with the same outputs.
ANSWERED = ("output", "completion_ids", "finish", "answer", "verdict", "outcome", "step", "cause")


def run_killed(command: Sequence[str], run: Path, *, total: int, kills: int, seed: int) -> int:
    """Run a command, kill it after random numbers of samples, and run it again until it is done.

    After each kill, check that no sample is lost or stored twice.

    Returns:
        How often the command was killed.
    """
    chance = random.Random(seed)
    moments = sorted(chance.sample(range(1, total), kills))
    before: set[tuple[str, int]] = set()
    for killed, moment in enumerate([*moments, total + 1]):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while process.poll() is None and count_done(run) < moment:
            time.sleep(0.1)
        if process.poll() is not None:
            assert process.returncode == 0, process.returncode
            return killed
        time.sleep(chance.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        after = [(row["sample"], row["repeat"]) for row in read_run(run, columns=[])]
        assert len(after) == len(set(after)), "a sample is stored twice"
        assert before <= set(after), "a sample is lost"
        before = set(after)
    raise AssertionError("the command did not finish")


def count_done(run: Path) -> int:
    """Number of samples in a run that is being written."""
    return len(read_run(run, columns=[])) if is_run(run) else 0


def differing(a: Path, b: Path) -> list[str]:
    """Samples with different outputs in two runs; both must have the same samples, once each."""
    rows_a, rows_b = by_sample(a), by_sample(b)
    assert rows_a.keys() == rows_b.keys()
    return [
        sample
        for sample, row in rows_a.items()
        if any(row.get(name) != rows_b[sample].get(name) for name in ANSWERED)
    ]


def by_sample(run: Path) -> dict[str, dict[str, Any]]:
    """Map samples to the rows of a run; no sample may occur twice."""
    rows = read_run(run)
    rows_by_sample = {row["sample"]: row for row in rows}
    assert len(rows_by_sample) == len(rows), "a sample is stored twice"
    return rows_by_sample


def worldline(*arguments: str) -> list[str]:
    """Command line of the installed worldline."""
    return [sys.executable, "-m", "worldline", *arguments]
