"""Protocol of the runners, which call the same function for every shard."""

from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from worldline.core.errors import RecorderError
from worldline.data.tracing.shard_worker import OutcomeCounts
from worldline.data.tracing.sharding import Shard
from worldline.data.tracing.trace_job import TraceJob

# Shards that wait for each process: the next one is ready, and memory stays small.
QUEUED_PER_WORKER = 1
# Crashes of workers after which a shard is taken for the cause.
MAX_CRASHES = 20


class Runner(Protocol):
    """Processes shards in parallel, and requests only as many as it can soon start."""

    def run(self, job: TraceJob, address: str, shards: Iterator[Shard]) -> Iterator[OutcomeCounts]:
        """Process shards, and yield the totals of each as it finishes, in any order.

        A shard whose worker crashes is processed again. An error of Worldline ends the run.

        Args:
            job: Settings of the job.
            address: Absolute path or remote address of the store.
            shards: The shards, requested one by one.
        """
        ...


def record_crash(crashes: Counter[str], shard: Shard) -> None:
    """Count a crash of a worker; too many of one shard raise a RecorderError."""
    crashes[shard.name] += 1
    if crashes[shard.name] >= MAX_CRASHES:
        raise RecorderError(crash_message(shard))


def crash_message(shard: Shard) -> str:
    """Error message for a shard whose workers crash again and again."""
    return (
        f"{MAX_CRASHES} processes died while they worked on the programs from number "
        f"{shard.number:,} on, perhaps because of too little memory: give fewer --workers and run "
        "the same command again (without --restart) to resume; or restart with a smaller --shard"
    )
