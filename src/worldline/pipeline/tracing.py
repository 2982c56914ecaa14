"""Programs go in, however many; a store of their traces comes out, and a report that adds up."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.pipeline.inputs import Inputs
from worldline.pipeline.job import Job
from worldline.pipeline.runners.runner import Runner
from worldline.pipeline.shards import Shard, cut_into_shards
from worldline.pipeline.work import Counts
from worldline.store import (
    STORE_FILE,
    Lock,
    Place,
    finished_shards,
    has_shard,
    other_files,
    part_sizes,
    place_of,
    remove_parts,
    remove_shards,
    remove_unfinished,
    shard_counts,
)

FORMAT = 2
# Counts of finished shards that are read at a time.
_READERS = 16


@dataclass(frozen=True, slots=True)
class Turn:
    """Which of several runs of the same command this is, each of which does its own shards."""

    rank: int = 0
    world_size: int = 1


@dataclass(slots=True)
class Tracing:
    """How far it is: `counts` of all shards that are done, `before` of them by others or earlier,
    and how much of the input is behind us."""

    counts: Counts = field(default_factory=Counts)
    before: Counts = field(default_factory=Counts)
    shards: int = 0
    planned: int = 0
    programs: int = 0  # in the shards that were planned
    elsewhere: int = 0  # shards that are another rank's, and not done
    strays: tuple[str, ...] = ()
    share_read: float = 0.0

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1."""
        return self.share_read * self.counts.programs / self.programs if self.programs else 0.0


def trace_into(
    address: str | Path,
    programs: Sequence[str | Path],
    job: Job,
    runner: Runner,
    *,
    turn: Turn | None = None,
    is_restarted: bool = False,
    is_pruned: bool = False,
    on_progress: Callable[[Tracing], None] = lambda tracing: None,
) -> Tracing:
    """Trace what a store does not have yet; what is finished is never run again.

    Killed at any time, or run by several ranks at once, on whatever machines: the same command
    again does what is missing. `is_pruned`: take away shards that are of no program of these any
    more. `on_progress` is told after each shard.
    """
    turn = turn or Turn()
    place, inputs = place_of(address), [Inputs(each) for each in programs]
    if not place.is_remote and Path(place.path).is_file():
        raise InputError(f"{address} is a file; name a folder for the store with -o")
    with ExitStack() as held:
        if turn.world_size == 1:
            held.callback(Lock(place.journal).let_go)
        _begin(place, job, turn, is_restarted=is_restarted)
        tracing = Tracing()
        plan = _Plan(place, inputs, job, turn, tracing)
        # Workers may be in another folder.
        where = place.address if place.is_remote else place.path
        for counts in runner.run(job, where, iter(plan)):
            _check_shared(place, counts)
            tracing.counts.merge(counts)
            tracing.shards += 1
            tracing.share_read = plan.share_read
            on_progress(tracing)
        if not tracing.planned:
            raise InputError(f"no programs in {', '.join(map(str, programs))}")
        tracing.share_read = 1.0
        tracing.strays = plan.strays()
        if is_pruned:
            remove_shards(place, tracing.strays)
            remove_parts(place)
            tracing.strays = ()
        if not tracing.elsewhere and not tracing.strays:
            # Readers can tell from then on that no program is missing.
            _write_about(place, job, shards=tracing.shards)
        return tracing


class _Plan:
    """The shards that are to be done, as they are asked for; those that are done are counted."""

    def __init__(
        self, place: Place, inputs: Sequence[Inputs], job: Job, turn: Turn, tracing: Tracing
    ) -> None:
        self._place, self._inputs, self._job, self._turn = place, inputs, job, turn
        self._tracing = tracing
        finished = finished_shards(place)
        self._known = _Ahead(place, finished)
        self._parts = part_sizes(place)
        self._strays = set(finished)

    def __iter__(self) -> Iterator[Shard]:
        tracing, turn = self._tracing, self._turn
        shards = cut_into_shards(self._inputs, self._job.hash, self._job.shard_programs)
        for number, shard in enumerate(shards):
            tracing.planned += 1
            self._strays.discard(shard.name)
            counts = self._counts(shard.name)
            if counts is not None:
                tracing.counts.merge(counts)
                tracing.before.merge(counts)
                tracing.shards += 1
            elif number % turn.world_size != turn.rank:
                tracing.elsewhere += 1
                continue
            tracing.programs += len(shard.rows)
            if counts is None:
                yield shard

    def _counts(self, name: str) -> Counts | None:
        """Those of a shard that is all there."""
        found = self._known.counts(name)
        if found is None:
            return None
        counts = Counts.from_json(found)
        if counts.bytes == self._parts.get(name, 0):
            return counts
        # Its traces are gone, or others': it is done again.
        remove_shards(self._place, [name])
        return None

    @property
    def share_read(self) -> float:
        """How much of the input was read, from 0 to 1."""
        size = sum(each.size for each in self._inputs)
        return sum(each.share * each.size for each in self._inputs) / size if size else 1.0

    def strays(self) -> tuple[str, ...]:
        """Shards in the store that are not of this input."""
        return tuple(sorted(self._strays))


class _Ahead:
    """The counts of shards, asked for in their order, and read some at a time before they are: from
    a remote store each takes its while."""

    def __init__(self, place: Place, names: Sequence[str]) -> None:
        self._place, self._names = place, deque(names)
        self._begun: dict[str, Future[dict[str, Any]]] = {}
        self._readers = ThreadPoolExecutor(_READERS)

    def counts(self, name: str) -> dict[str, Any] | None:
        """Those of one shard; none where it is not there."""
        while self._names and (len(self._begun) < 2 * _READERS or self._names[0] <= name):
            begun = self._names.popleft()
            self._begun[begun] = self._readers.submit(shard_counts, self._place, begun)
        # What was not asked for by now is of other programs.
        for passed in [each for each in self._begun if each < name]:
            self._begun.pop(passed).cancel()
        found = self._begun.pop(name, None)
        return None if found is None else found.result()


def _check_shared(place: Place, counts: Counts) -> None:
    """Whatever a worker has written is to be seen from here."""
    if not has_shard(place, counts.shard):
        raise InputError(
            f"a worker has finished {counts.shard}, and it is not in {place.address} as seen from "
            "here: all machines need the same folder, or a remote store (s3://…)"
        )


def _begin(place: Place, job: Job, turn: Turn, *, is_restarted: bool) -> None:
    """Say what the store is of; one that was begun otherwise is refused."""
    found = place.read(STORE_FILE)
    if found is None:
        _refuse_strangers(place)
    elif is_restarted:
        remove_shards(place, finished_shards(place))
        remove_parts(place)
    else:
        _refuse_others(place, found, job)
    if turn.world_size == 1:
        remove_unfinished(place)
    if found is None or is_restarted or json.loads(found)["shards"] is not None:
        _write_about(place, job)


def _write_about(place: Place, job: Job, *, shards: int | None = None) -> None:
    """Say what a store is of; `shards`: how many it has, once all are there."""
    told = {"format": FORMAT, "settings": job.settings(), "shards": shards}
    place.write(STORE_FILE, json.dumps(told, indent=1).encode() + b"\n", is_shared=True)


def _refuse_others(place: Place, found: bytes, job: Job) -> None:
    """A store that was begun with other settings is not gone on with."""
    try:
        told = json.loads(found)
        then: dict[str, Any] = told["settings"]
        is_known = told["format"] == FORMAT and "shards" in told
    except (ValueError, KeyError, TypeError):
        is_known = False
    if not is_known:
        raise InputError(
            f"{STORE_FILE} in {place.address} is damaged, or another version of worldline wrote "
            "it; name another folder with -o, or begin it anew with --restart"
        )
    if "compacted_from" in told:
        raise InputError(
            f"{place.address} was compacted, and is not added to; name another folder with -o"
        )
    now = job.settings()
    changes = [f"{name}: {then.get(name)} then, {now[name]} now" for name in now]
    changes = [each for each, name in zip(changes, now, strict=True) if then.get(name) != now[name]]
    if changes:
        raise InputError(
            f"the store in {place.address} was begun with other settings ({'; '.join(changes)}); "
            "name another folder with -o, or begin it anew with --restart"
        )


def _refuse_strangers(place: Place) -> None:
    """A folder that holds other things does not become a store."""
    is_there = not place.is_remote and Path(place.path).exists()
    names = other_files(place, STORE_FILE) if is_there else finished_shards(place)
    # Unless another rank has just begun it.
    if names and place.read(STORE_FILE) is None:
        raise InputError(
            f"{place.address} holds {names[0]!r} and no {STORE_FILE}; name another folder with -o"
        )
