"""Shards go in and are worked through by processes of this machine; their counts come out."""

import os
import pickle
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, wait
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from worldline.errors import InputError, RecorderError
from worldline.pipeline.job import Job
from worldline.pipeline.runners.runner import MOST_DEATHS, WAITING, note_death
from worldline.pipeline.shards import Shard
from worldline.pipeline.work import Counts, run_shard
from worldline.runs import start_worker

# Seconds before processes that have all ended are begun anew.
_PAUSE = 0.5
# What a process of the pool was started with.
_job: Job
_address: str


class _PoolEndedError(Exception):
    """A process was killed while it held what all of them share: they are all begun anew."""


class LocalRunner:
    """Processes of this machine (Pebble's). One that dies is replaced, and its shard run again."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._deaths: Counter[str] = Counter()
        # Taken from the plan, and not done.
        self._left: list[Shard] = []

    def run(self, job: Job, address: str, shards: Iterator[Shard]) -> Iterator[Counts]:
        """The counts of each shard, as they are done."""
        with _in_memory(job) as path:
            yield from self._run(path, address, shards, _longest(job))

    def _run(
        self, job: str, address: str, shards: Iterator[Shard], longest: float
    ) -> Iterator[Counts]:
        pebble = require_pebble()
        is_done, fruitless = False, 0
        while not is_done:
            pool = pebble.ProcessPool(
                self._workers,
                context=get_context("spawn"),
                initializer=_start,
                initargs=(job, address),
            )
            running: dict[Any, Shard] = {}
            try:
                for counts in self._work(pebble, pool, running, shards, longest):
                    fruitless = 0
                    yield counts
                is_done = True
            except _PoolEndedError as error:
                self._give_back(running)
                fruitless += 1
                if fruitless >= MOST_DEATHS:
                    raise RecorderError(
                        f"no process can be kept here, {fruitless} times in a row "
                        f"({error.__cause__}): give fewer --workers, or look at the limits of "
                        "memory and processes; the same command (without --restart) goes on"
                    ) from error
                time.sleep(_PAUSE)
            finally:
                pool.stop()
                pool.join()

    def _work(
        self,
        pebble: Any,
        pool: Any,
        running: dict[Any, Shard],
        shards: Iterator[Shard],
        longest: float,
    ) -> Iterator[Counts]:
        while True:
            while len(running) < self._workers * (1 + WAITING):
                shard = self._left.pop() if self._left else next(shards, None)
                if shard is None:
                    break
                try:
                    running[pool.schedule(_run, (shard,), timeout=longest)] = shard
                except RuntimeError as error:
                    self._left.append(shard)
                    raise _PoolEndedError from error
            if not running:
                return
            done, _ = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
            for future in done:
                try:
                    yield future.result()
                except (CancelledError, BrokenExecutor) as error:
                    raise _PoolEndedError from error
                # Whatever else a process says went wrong there is raised here.
                except (pebble.ProcessExpired, TimeoutError):
                    self._give_back({future: running[future]})
                del running[future]
            if not pool.active:
                raise _PoolEndedError

    def _give_back(self, running: dict[Any, Shard]) -> None:
        for shard in running.values():
            note_death(self._deaths, shard)
        self._left += running.values()


def _longest(job: Job) -> float:
    """Seconds that no shard takes; what takes longer hangs."""
    return 600 + job.shard_programs * 2 * (job.limits.seconds + 10)


@contextmanager
def _in_memory(job: Job) -> Iterator[str]:
    """The path of a job, for processes of ours to read. They are not handed it: whoever starts a
    process that is killed before it has read all that it is handed waits for it forever, if that is
    more than a pipe holds, as the programs of the benchmarks are."""
    file = os.memfd_create("worldline", os.MFD_CLOEXEC)
    try:
        path = f"/proc/{os.getpid()}/fd/{file}"
        Path(path).write_bytes(pickle.dumps(job))
        yield path
    finally:
        os.close(file)


def _start(job: str, address: str) -> None:
    """Make a process of the pool ready."""
    global _job, _address
    start_worker()
    _job, _address = pickle.loads(Path(job).read_bytes()), address


def _run(shard: Shard) -> Counts:
    return run_shard(_job, _address, shard)


def require_pebble() -> Any:
    """Pebble, or an error that says how to get it."""
    try:
        import pebble
    except ImportError:
        raise InputError(
            "many programs are run by Pebble's processes; install it with: "
            "pip install 'worldline[trace]'"
        ) from None
    return pebble
