"""A command that makes a run is killed at random moments and given again, until it is done.

Used by the tests in tests/live in small, and by `scripts/bench resume` at full size.
"""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.runs import is_run, read_run

# What two runs of the same questions have in common if the model answered alike.
ANSWERED = ("text", "ids", "finish", "answer", "verdict", "outcome", "step", "cause")


def run_killed(command: Sequence[str], run: Path, *, total: int, kills: int, seed: int) -> int:
    """Give the command, kill it once so many samples are done as chance has it, and give it again;
    says how often it was killed. After each kill nothing that was there is gone, and none is there
    twice."""
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
        assert len(after) == len(set(after)), "a sample is there twice"
        assert before <= set(after), "a sample is gone"
        before = set(after)
    raise AssertionError("the command did not come to an end")


def count_done(run: Path) -> int:
    """How many samples a run has that is being made."""
    return len(read_run(run, columns=[])) if is_run(run) else 0


def differing(a: Path, b: Path) -> list[str]:
    """The samples that two runs answered differently; both must have the same ones, once each."""
    left, right = by_sample(a), by_sample(b)
    assert left.keys() == right.keys()
    return [
        sample
        for sample, row in left.items()
        if any(row.get(name) != right[sample].get(name) for name in ANSWERED)
    ]


def by_sample(run: Path) -> dict[str, dict[str, Any]]:
    """A run's rows by the names of their samples, of which none may be there twice."""
    rows = read_run(run)
    found = {row["sample"]: row for row in rows}
    assert len(found) == len(rows), "a sample is there twice"
    return found


def worldline(*words: str) -> list[str]:
    """The command line of this very worldline."""
    return [sys.executable, "-m", "worldline", *words]
