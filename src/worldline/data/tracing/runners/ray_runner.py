"""Ray runner: processes shards as tasks of a Ray cluster."""

import os
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from worldline.core.errors import InputError, RecorderError, WorldlineError
from worldline.core.util.optional_imports import optional_import
from worldline.data.tracing.runners.runner import MAX_CRASHES, QUEUED_PER_WORKER, crash_message
from worldline.data.tracing.shard_worker import OutcomeCounts, run_shard
from worldline.data.tracing.sharding import Shard
from worldline.data.tracing.trace_job import TraceJob

_CONNECT_TIMEOUT = 10.0
# When all shards are started, a task is a straggler, and its shard is started a second time, after
# this many times the longest duration so far, plus this many seconds.
_STRAGGLER_FACTOR = 3
_STRAGGLER_SECONDS = 30.0
# The same while no task has finished.
_FIRST_STRAGGLER_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class _RunningTask:
    shard: Shard
    started_at: float


class RayRunner:
    """Ray cluster, with one task per shard.

    Ray detects workers and nodes that die, and runs their shards elsewhere.
    """

    def __init__(self, address: str | None = None, *, workers: int | None = None) -> None:
        """Configure the cluster.

        Args:
            address: Address of a cluster, or "auto" for the one of this machine. By default, Ray
                is started on this machine, and stopped at the end.
            workers: Maximum number of shards at a time.
        """
        self._address = address
        self._workers = workers

    def run(self, job: TraceJob, address: str, shards: Iterator[Shard]) -> Iterator[OutcomeCounts]:
        """Process shards, and yield the totals of each as it finishes."""
        ray = require_ray()
        self._connect(ray)
        try:
            yield from self._run_tasks(ray, job, address, shards)
        finally:
            ray.shutdown()

    def _connect(self, ray: Any) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # By default, Ray waits seven minutes for a machine that is disconnected.
        os.environ.setdefault("RAY_grpc_client_keepalive_time_ms", "10000")
        os.environ.setdefault("RAY_grpc_client_keepalive_timeout_ms", "10000")
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            _check_port(self._address)
            if self._address is None:
                # "local": not a cluster that happens to run on this machine.
                ray.init("local", num_cpus=self._workers, include_dashboard=False, **quiet)
            else:
                ray.init(address=self._address, **quiet)
        except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise InputError(
                f"no Ray cluster at {self._address or 'this machine'}: {error}; start one with "
                "`ray start --head`, or omit --address"
            ) from error

    def _run_tasks(
        self, ray: Any, job: TraceJob, address: str, shards: Iterator[Shard]
    ) -> Iterator[OutcomeCounts]:
        job_reference = ray.put(job)
        task = ray.remote(num_cpus=1, max_retries=MAX_CRASHES)(_run_shard)
        running: dict[Any, _RunningTask] = {}
        longest, has_more = 0.0, True
        while running or has_more:
            # The size of a cluster can change.
            while len(running) < self._concurrency(ray) * (1 + QUEUED_PER_WORKER):
                shard = next(shards, None) if has_more else None
                has_more = has_more and shard is not None
                if shard is None:
                    shard = _find_straggler(running, longest)
                if shard is None:
                    break
                reference = task.remote(job_reference, address, shard)
                running[reference] = _RunningTask(shard, time.monotonic())
            done, _ = ray.wait(list(running), timeout=1.0) if running else ([], [])
            for reference in done:
                # Unless its shard was started twice, and both tasks finished at the same time.
                if reference in running:
                    finished = running.pop(reference)
                    counts = _get_counts(ray, reference, finished.shard)
                    longest = max(longest, counts.seconds)
                    _cancel_duplicates(ray, running, finished.shard)
                    yield counts

    def _concurrency(self, ray: Any) -> int:
        cpus = max(1, int(ray.cluster_resources().get("CPU", 1)))
        return cpus if self._workers is None else min(cpus, self._workers)


def _find_straggler(running: dict[Any, _RunningTask], longest: float) -> Shard | None:
    """Shard of a task that should be done by now and runs only once.

    Its machine may be disconnected. If both tasks finish, the shard is written once.
    """
    names = [task.shard.name for task in running.values()]
    # Until a task is done, it is unknown how long they take.
    limit = (
        _STRAGGLER_SECONDS + _STRAGGLER_FACTOR * longest if longest else _FIRST_STRAGGLER_SECONDS
    )
    latest_start = time.monotonic() - limit
    return next(
        (
            task.shard
            for task in running.values()
            if task.started_at < latest_start and names.count(task.shard.name) == 1
        ),
        None,
    )


def _cancel_duplicates(ray: Any, running: dict[Any, _RunningTask], shard: Shard) -> None:
    """Cancel the other task of a shard that is done."""
    for reference in [ref for ref, task in running.items() if task.shard.name == shard.name]:
        del running[reference]
        ray.cancel(reference, force=True)


def _check_port(address: str | None) -> None:
    """Raise an OSError if the address is not reachable; Ray would wait for minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        endpoint = (host.strip("[]"), int(port))
        socket.create_connection(endpoint, timeout=_CONNECT_TIMEOUT).close()


def _get_counts(ray: Any, reference: Any, shard: Shard) -> OutcomeCounts:
    try:
        counts: OutcomeCounts = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        # The error of the worker, without Ray's report.
        if isinstance(error.cause, WorldlineError):
            raise error.cause from None
        raise RecorderError(
            f"a worker failed: {error.cause!r}; install the same version of worldline[ray] on "
            "every machine"
        ) from error
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError) as error:
        raise RecorderError(f"{crash_message(shard)} ({type(error).__name__})") from error
    except ray.exceptions.RayError as error:
        raise RecorderError(f"Ray failed: {error}; run the same command again to resume") from error
    return counts


def _run_shard(job: TraceJob, address: str, shard: Shard) -> OutcomeCounts:
    counts = run_shard(job, address, shard)
    _report_metrics(counts)
    return counts


def _report_metrics(counts: OutcomeCounts) -> None:
    """Report the totals to Ray, for its dashboard."""
    programs, steps = _metrics()
    for outcome, number in counts.outcomes.items():
        programs.inc(number, {"outcome": outcome})
    if counts.steps:
        steps.inc(counts.steps)


@cache
def _metrics() -> tuple[Any, Any]:
    """Metrics of this process: programs by outcome, and steps of kept traces."""
    from ray.util import metrics

    return (
        metrics.Counter("worldline_programs", "Programs by outcome", tag_keys=("outcome",)),
        metrics.Counter("worldline_steps", "Steps of the kept traces"),
    )


def require_ray() -> Any:
    """Import Ray, or raise an error that says how to install it."""
    with optional_import("--runner ray needs Ray; install it with", extra="ray"):
        import ray
    return ray
