"""Whoever works through shards: on this machine or on many, the same function over the same
shards."""

from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from worldline.errors import RecorderError
from worldline.pipeline.job import Job
from worldline.pipeline.shards import Shard
from worldline.pipeline.work import Counts

# Shards that wait for each process: the next is there when one is done, and no more are in memory.
WAITING = 1
# Processes that one shard may take along before it is taken for the cause.
MOST_DEATHS = 20


class Runner(Protocol):
    """Works through shards, as many at a time as it has processes, and asks for no more of them
    than it can soon begin with."""

    def run(self, job: Job, address: str, shards: Iterator[Shard]) -> Iterator[Counts]:
        """The counts of each shard, as they are done, in any order.

        An error that is worldline's own ends it; a process that dies does not.
        """
        ...


def note_death(deaths: Counter[str], shard: Shard) -> None:
    """A process has died of a shard, or while it worked on it."""
    deaths[shard.name] += 1
    if deaths[shard.name] >= MOST_DEATHS:
        raise RecorderError(too_deadly(shard))


def too_deadly(shard: Shard) -> str:
    """What to say of a shard that no process survives."""
    return (
        f"{MOST_DEATHS} processes died while they worked on the programs from number "
        f"{shard.number:,} on, perhaps for want of memory: give fewer --workers, and the same "
        "command (without --restart) goes on; or begin anew with a smaller --shard"
    )
