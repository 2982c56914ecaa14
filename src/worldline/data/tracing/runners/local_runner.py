"""Local runner: processes shards with a pool of processes on this machine."""

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

from worldline.core.errors import RecorderError
from worldline.core.util.optional_imports import optional_import
from worldline.core.util.processes import start_worker
from worldline.data.tracing.runners.runner import MAX_CRASHES, QUEUED_PER_WORKER, record_crash
from worldline.data.tracing.shard_worker import OutcomeCounts, run_shard
from worldline.data.tracing.sharding import Shard
from worldline.data.tracing.trace_job import TraceJob
from worldline.languages.sandbox import remove_abandoned_groups

# Pause before a pool that broke is started again, in seconds.
_RESTART_PAUSE = 0.5
# Arguments with which a process of the pool was started.
_job: TraceJob
_address: str


class _BrokenPoolError(Exception):
    """A process was killed while it held a resource of the pool: all have to be restarted."""


class LocalRunner:
    """Pool of processes on this machine (Pebble's).

    A process that dies is replaced, and its shard is processed again.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._crashes: Counter[str] = Counter()
        # Shards that were requested and have to be started again.
        self._retries: list[Shard] = []

    def run(self, job: TraceJob, address: str, shards: Iterator[Shard]) -> Iterator[OutcomeCounts]:
        """Process shards, and yield the totals of each as it finishes."""
        with _job_file(job) as path:
            yield from self._run(path, address, shards, _shard_timeout(job))

    def _run(
        self, job: str, address: str, shards: Iterator[Shard], timeout: float
    ) -> Iterator[OutcomeCounts]:
        pebble = require_pebble()
        is_done, failures = False, 0
        while not is_done:
            pool = pebble.ProcessPool(
                self._workers,
                context=get_context("spawn"),
                initializer=_initialize_process,
                initargs=(job, address),
            )
            running: dict[Any, Shard] = {}
            try:
                for counts in self._run_pool(pebble, pool, running, shards, timeout):
                    failures = 0
                    yield counts
                is_done = True
            except _BrokenPoolError as error:
                self._retry(running)
                failures += 1
                if failures >= MAX_CRASHES:
                    raise RecorderError(
                        f"the pool of processes broke {failures} times in a row "
                        f"({error.__cause__}): give fewer --workers, or raise the limits on memory "
                        "and processes; run the same command again (without --restart) to resume"
                    ) from error
                time.sleep(_RESTART_PAUSE)
            finally:
                pool.stop()
                pool.join()
                # The pool has killed its processes, which could not remove theirs.
                remove_abandoned_groups(timeout=2.0)

    def _run_pool(
        self,
        pebble: Any,
        pool: Any,
        running: dict[Any, Shard],
        shards: Iterator[Shard],
        timeout: float,
    ) -> Iterator[OutcomeCounts]:
        while True:
            while len(running) < self._workers * (1 + QUEUED_PER_WORKER):
                shard = self._retries.pop() if self._retries else next(shards, None)
                if shard is None:
                    break
                try:
                    running[pool.schedule(_run_shard, (shard,), timeout=timeout)] = shard
                except RuntimeError as error:
                    self._retries.append(shard)
                    raise _BrokenPoolError from error
            if not running:
                return
            done, _ = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
            for future in done:
                try:
                    yield future.result()
                except (CancelledError, BrokenExecutor) as error:
                    raise _BrokenPoolError from error
                # Any other error that a process raises is raised here.
                except (pebble.ProcessExpired, TimeoutError):
                    self._retry({future: running[future]})
                del running[future]
            if not pool.active:
                raise _BrokenPoolError

    def _retry(self, running: dict[Any, Shard]) -> None:
        for shard in running.values():
            record_crash(self._crashes, shard)
        self._retries += running.values()


def _shard_timeout(job: TraceJob) -> float:
    """Seconds after which the process of a shard is taken to hang."""
    return 600 + job.shard_programs * 2 * (job.limits.seconds + 10)


@contextmanager
def _job_file(job: TraceJob) -> Iterator[str]:
    """In-memory file with a pickled job; yields its path.

    The job is not passed through a pipe: it contains the programs of all benchmarks and can be
    larger than the pipe's buffer. The parent would then wait forever for a process that is killed
    before it has read all of it.
    """
    file = os.memfd_create("worldline", os.MFD_CLOEXEC)
    try:
        path = f"/proc/{os.getpid()}/fd/{file}"
        Path(path).write_bytes(pickle.dumps(job))
        yield path
    finally:
        os.close(file)


def _initialize_process(job: str, address: str) -> None:
    global _job, _address
    start_worker()
    _job, _address = pickle.loads(Path(job).read_bytes()), address


def _run_shard(shard: Shard) -> OutcomeCounts:
    return run_shard(_job, _address, shard)


def require_pebble() -> Any:
    """Import Pebble, or raise an error that says how to install it."""
    purpose = "many programs are run by Pebble's processes; install it with"
    with optional_import(purpose, extra="trace"):
        import pebble
    return pebble
