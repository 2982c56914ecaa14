"""CPU time of grouped and isolated tracing, relative to the interpreter's own work."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from tests.languages.recorder.overhead import RECORDER_FOLDER
from tests.languages.sandbox.costs import CpuAccount
from tests.support.processes import process_tree
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.data.tracing import ProgramInputs, Shard, make_job, make_shards
from worldline.data.tracing.shard_worker import ShardWorker
from worldline.data.tracing.trace_job import Isolation
from worldline.models.prediction import question_from_row

# Reads programs as lines of JSON, a list in each, and replies with the CPU seconds that it takes to
# compile and execute them once under an empty trace function in C, in this process.
_FLOOR_SCRIPT = """
import json, os, sys, time
sys.path.insert(0, sys.argv[1])
from child import _tracer
replies, sys.stdout = sys.stdout, open(os.devnull, "w")
for line in sys.stdin:
    programs = json.loads(line)
    start = time.process_time()
    for text, entry in programs:
        namespace = {"__name__": "program"}
        try:
            code = compile(text, "program", "exec", dont_inherit=True)
            exec(code, namespace)
            _tracer.start_empty()
            namespace[entry]()
        except Exception:
            pass
        finally:
            sys.settrace(None)
    print(time.process_time() - start, file=replies, flush=True)
"""


@dataclass(slots=True)
class IsolationCost:
    """CPU milliseconds per program in each round, and in the process of the worker alone."""

    milliseconds: list[float] = field(default_factory=list)
    of_worker: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Median of the rounds."""
        return statistics.median(self.milliseconds)


@contextmanager
def _floor() -> Iterator[Callable[[Sequence[Program]], float]]:
    """Yield a function that returns the CPU seconds of programs under an empty trace function."""
    with subprocess.Popen(
        [sys.executable, "-c", _FLOOR_SCRIPT, str(RECORDER_FOLDER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        requests, replies = process.stdin, process.stdout

        def measure(programs: Sequence[Program]) -> float:
            requests.write(json.dumps([[each.text, each.entry] for each in programs]) + "\n")
            requests.flush()
            return float(replies.readline())

        yield measure
        requests.close()


def measure_isolation(
    programs: Path, folder: Path, *, rounds: int, size: int, tell: Callable[[str], None] = print
) -> dict[str, IsolationCost]:
    """Trace the same programs grouped and isolated in turns, `size` in each round.

    Every program is executed twice, its trace compared and stored. The floor compiles and executes
    it once, and stores nothing.
    """
    levels: tuple[Isolation, ...] = ("group", "process")
    jobs = {level: make_job(isolation=level, shard_programs=size) for level in levels}
    shards = make_shards([ProgramInputs(programs)], jobs["group"].hash, size)
    batches = [shard for shard in islice(shards, rounds + 1) if len(shard.rows) == size]
    if len(batches) < rounds + 1:
        raise InputError(
            f"{programs} has {len(batches)} times {size:,} programs, but {rounds} rounds need "
            f"{(rounds + 1) * size:,} programs; generate more, or use a smaller --size"
        )
    costs = {name: IsolationCost() for name in ("floor", *levels)}
    workers = {level: ShardWorker(jobs[level], str(folder / level)) for level in levels}
    with _floor() as floor:
        for number, shard in enumerate(batches):
            each = [question_from_row(row.fields or {}, "").program for row in shard.rows]
            measured = {"floor": (floor(each), 0.0)}
            measured |= {level: _cpu_seconds(workers[level], shard) for level in levels}
            if not number:
                # The first round starts the interpreters.
                continue
            for name, (seconds, of_worker) in measured.items():
                costs[name].milliseconds.append(1000 * seconds / size)
                costs[name].of_worker.append(1000 * of_worker / size)
            tell(f"round {number}: " + _listed(costs))
    for worker in workers.values():
        worker.close()
    return costs


def _listed(costs: dict[str, IsolationCost]) -> str:
    return ", ".join(f"{name} {cost.milliseconds[-1]:.3f} ms" for name, cost in costs.items())


def _cpu_seconds(worker: ShardWorker, shard: Shard) -> tuple[float, float]:
    """CPU seconds of this process and its interpreters, and of this process alone."""
    account = CpuAccount([os.getpid(), *process_tree(os.getpid())])
    try:
        start = time.process_time()
        counts = worker.run(shard)
        of_worker = time.process_time() - start
        assert counts.programs == len(shard.rows)
        return account.seconds(), of_worker
    finally:
        account.close()
