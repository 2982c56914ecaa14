"""Shards go in and are worked through by a Ray cluster; their counts come out."""

import os
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from worldline.errors import InputError, RecorderError, WorldlineError
from worldline.pipeline.job import Job
from worldline.pipeline.runners.runner import MOST_DEATHS, WAITING, too_deadly
from worldline.pipeline.shards import Shard
from worldline.pipeline.work import Counts, run_shard

# Seconds for a cluster to be reached.
_PATIENCE = 10.0
# When nothing is left to begin with, what takes so much longer than the longest is begun again.
_LATE_SECONDS = 30.0
_LATE_TIMES = 3
_LATE_AT_FIRST = 600.0


@dataclass(frozen=True, slots=True)
class _Begun:
    shard: Shard
    at: float


class RayRunner:
    """Ray tasks, one a shard. A worker or a node that dies is Ray's to notice, and the shard is
    run elsewhere."""

    def __init__(self, address: str | None = None, *, workers: int | None = None) -> None:
        """`address`: of a cluster, "auto" for the one that this machine belongs to; without one,
        Ray is started here, and ended with us. `workers`: at most so many shards at a time."""
        self._address = address
        self._workers = workers

    def run(self, job: Job, address: str, shards: Iterator[Shard]) -> Iterator[Counts]:
        """The counts of each shard, as they are done."""
        ray = require_ray()
        self._connect(ray)
        try:
            yield from self._work(ray, job, address, shards)
        finally:
            ray.shutdown()

    def _connect(self, ray: Any) -> None:
        # It would tell its makers.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # A machine that is cut off would be waited for for seven minutes.
        os.environ.setdefault("RAY_grpc_client_keepalive_time_ms", "10000")
        os.environ.setdefault("RAY_grpc_client_keepalive_timeout_ms", "10000")
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            _reach(self._address)
            if self._address is None:
                # Not one that happens to be there.
                ray.init("local", num_cpus=self._workers, include_dashboard=False, **quiet)
            else:
                ray.init(address=self._address, **quiet)
        except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise InputError(
                f"no Ray cluster at {self._address or 'this machine'}: {error}; start one with "
                "`ray start --head`, or leave --address out"
            ) from error

    def _work(self, ray: Any, job: Job, address: str, shards: Iterator[Shard]) -> Iterator[Counts]:
        told = ray.put(job)
        task = ray.remote(num_cpus=1, max_retries=MOST_DEATHS)(_run)
        running: dict[Any, _Begun] = {}
        longest, is_more = 0.0, True
        while running or is_more:
            # A cluster grows and shrinks.
            while len(running) < self._most(ray) * (1 + WAITING):
                shard = next(shards, None) if is_more else None
                is_more = is_more and shard is not None
                if shard is None:
                    shard = _late(running, longest)
                if shard is None:
                    break
                running[task.remote(told, address, shard)] = _Begun(shard, time.monotonic())
            done, _ = ray.wait(list(running), timeout=1.0) if running else ([], [])
            for reference in done:
                # Unless it was run twice, and the other was done in the same moment.
                if reference in running:
                    begun = running.pop(reference)
                    counts = _counts(ray, reference, begun.shard)
                    longest = max(longest, counts.seconds)
                    _forget(ray, running, begun.shard)
                    yield counts

    def _most(self, ray: Any) -> int:
        there = max(1, int(ray.cluster_resources().get("CPU", 1)))
        return there if self._workers is None else min(there, self._workers)


def _late(running: dict[Any, _Begun], longest: float) -> Shard | None:
    """One that should be done by now, and was not begun a second time: a machine that was cut off
    may be noticed late. Two that write one shard leave one."""
    shards = [begun.shard.name for begun in running.values()]
    # Until one is done, nobody knows how long they take, or whether there are machines at all.
    late = time.monotonic() - (_LATE_SECONDS + _LATE_TIMES * longest if longest else _LATE_AT_FIRST)
    return next(
        (
            begun.shard
            for begun in running.values()
            if begun.at < late and shards.count(begun.shard.name) == 1
        ),
        None,
    )


def _forget(ray: Any, running: dict[Any, _Begun], shard: Shard) -> None:
    """The other of two that work on a shard is no longer needed."""
    for reference in [ref for ref, begun in running.items() if begun.shard.name == shard.name]:
        del running[reference]
        ray.cancel(reference, force=True)


def _reach(address: str | None) -> None:
    """Raise `OSError` where nobody listens, for which Ray would wait some minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()


def _counts(ray: Any, reference: Any, shard: Shard) -> Counts:
    try:
        found: Counts = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        # What was raised there, without Ray's account of it.
        if isinstance(error.cause, WorldlineError):
            raise error.cause from None
        raise RecorderError(
            f"a worker failed: {error.cause!r}; install worldline[ray] in the same version on "
            "every machine"
        ) from error
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError) as error:
        raise RecorderError(f"{too_deadly(shard)} ({type(error).__name__})") from error
    except ray.exceptions.RayError as error:
        raise RecorderError(f"Ray gave up: {error}; the same command goes on") from error
    return found


def _run(job: Job, address: str, shard: Shard) -> Counts:
    counts = run_shard(job, address, shard)
    _count(counts)
    return counts


def _count(counts: Counts) -> None:
    """Tell Ray's metrics, which its dashboard shows."""
    programs, steps = _metrics()
    for outcome, number in counts.outcomes.items():
        programs.inc(number, {"outcome": outcome})
    if counts.steps:
        steps.inc(counts.steps)


@cache
def _metrics() -> tuple[Any, Any]:
    """Programs by outcome, and steps that were kept; one of each a process."""
    from ray.util import metrics

    about = "Programs, by what came of them"
    return (
        metrics.Counter("worldline_programs", about, tag_keys=("outcome",)),
        metrics.Counter("worldline_steps", "Steps of the traces that were kept"),
    )


def require_ray() -> Any:
    """Ray, or an error that says how to get it."""
    try:
        import ray
    except ImportError:
        raise InputError(
            "--runner ray needs Ray; install it with: pip install 'worldline[ray]'"
        ) from None
    return ray
