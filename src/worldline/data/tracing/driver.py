"""Driver of a tracing job: plans shards, runs them, and resumes what was interrupted."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.data.tracing.program_inputs import ProgramInputs
from worldline.data.tracing.runners.runner import Runner
from worldline.data.tracing.shard_worker import OutcomeCounts
from worldline.data.tracing.sharding import Shard, make_shards
from worldline.data.tracing.trace_job import TraceJob, upgrade_settings
from worldline.evaluation.store import (
    STORE_FILE,
    Lock,
    StoreLocation,
    find_foreign_files,
    finished_shards,
    has_shard,
    open_location,
    part_sizes,
    remove_abandoned_files,
    remove_orphaned_parts,
    remove_shards,
    shard_counts,
)

FORMAT = 3
# Format 2 has other names for some outcomes and filters.
_READABLE_FORMATS = (2, FORMAT)
# Counts of finished shards that are read at the same time.
_PREFETCH_THREADS = 16


@dataclass(frozen=True, slots=True)
class Rank:
    """Rank of this process among `world_size` processes that share the shards of a job."""

    rank: int = 0
    world_size: int = 1


@dataclass(slots=True)
class TraceProgress:
    """Progress of a tracing job.

    Attributes:
        counts: Totals of all finished shards.
        already_done: Totals of the shards that were finished earlier or by other ranks.
        shards: Number of finished shards.
        planned_shards: Number of shards planned so far.
        planned_programs: Programs in them, without those of other ranks.
        pending_elsewhere: Unfinished shards of other ranks.
        orphaned_shards: Names of the shards in the store that are not of this input.
        fraction_read: Fraction of the input that was read, from 0 to 1.
    """

    counts: OutcomeCounts = field(default_factory=OutcomeCounts)
    already_done: OutcomeCounts = field(default_factory=OutcomeCounts)
    shards: int = 0
    planned_shards: int = 0
    planned_programs: int = 0
    pending_elsewhere: int = 0
    orphaned_shards: tuple[str, ...] = ()
    fraction_read: float = 0.0

    def __repr__(self) -> str:
        return f"<TraceProgress: {self.counts.programs} programs in {self.shards} shards>"

    @property
    def fraction_done(self) -> float:
        """Fraction of the job that is done, from 0 to 1."""
        if not self.planned_programs:
            return 0.0
        return self.fraction_read * self.counts.programs / self.planned_programs


def trace_programs(
    address: str | Path,
    programs: Sequence[str | Path],
    job: TraceJob,
    runner: Runner,
    *,
    worker_rank: Rank | None = None,
    restart: bool = False,
    prune: bool = False,
    on_progress: Callable[[TraceProgress], None] = lambda progress: None,
) -> TraceProgress:
    """Trace the programs of all shards that are not finished yet.

    It may be killed at any time, and several ranks may run at the same time on different machines.
    Call it again to resume: finished shards are not executed again.

    Args:
        address: Folder or remote address of the store.
        programs: Program files or folders.
        job: Settings of the job.
        runner: Runs shards, on this machine or a cluster.
        worker_rank: Rank of this process, if several share the job.
        restart: Delete the traces in the store, and start again.
        prune: Delete shards in the store that are not of these programs.
        on_progress: Called after each shard.

    Raises:
        InputError: There are no programs, or the store has different settings or foreign files.
        RecorderError: Programs cannot be executed on this machine.
    """
    rank = worker_rank or Rank()
    location, inputs = open_location(address), [ProgramInputs(path) for path in programs]
    if not location.is_remote and Path(location.path).is_file():
        raise InputError(f"{address} is a file; choose a folder for the store with -o")
    with ExitStack() as stack:
        if rank.world_size == 1:
            stack.callback(Lock(location.journal).release)
        _open_store(location, job, rank, restart=restart)
        progress = TraceProgress()
        plan = _ShardPlan(location, inputs, job, rank, progress)
        # Workers may have a different working directory.
        store_address = location.address if location.is_remote else location.path
        for counts in runner.run(job, store_address, iter(plan)):
            _check_visible(location, counts)
            progress.counts.merge(counts)
            progress.shards += 1
            progress.fraction_read = plan.fraction_read
            on_progress(progress)
        if not progress.planned_shards:
            raise InputError(f"no programs in {', '.join(map(str, programs))}: the input is empty")
        progress.fraction_read = 1.0
        progress.orphaned_shards = plan.orphaned_shards()
        if prune:
            remove_shards(location, progress.orphaned_shards)
            remove_orphaned_parts(location)
            progress.orphaned_shards = ()
        if not progress.pending_elsewhere and not progress.orphaned_shards:
            # From now on, readers know that no shard is missing.
            _write_manifest(location, job, shards=progress.shards)
        return progress


class _ShardPlan:
    """Shards of this rank that are not finished; finished ones are counted on the way."""

    def __init__(
        self,
        location: StoreLocation,
        inputs: Sequence[ProgramInputs],
        job: TraceJob,
        rank: Rank,
        progress: TraceProgress,
    ) -> None:
        self._location, self._inputs, self._job, self._rank = location, inputs, job, rank
        self._progress = progress
        finished = finished_shards(location)
        self._finished_counts = _PrefetchedCounts(location, finished)
        self._part_sizes = part_sizes(location)
        self._orphans = set(finished)

    def __iter__(self) -> Iterator[Shard]:
        progress, rank = self._progress, self._rank
        shards = make_shards(self._inputs, self._job.hash, self._job.shard_programs)
        for number, shard in enumerate(shards):
            progress.planned_shards += 1
            self._orphans.discard(shard.name)
            counts = self._intact_counts(shard.name)
            if counts is not None:
                progress.counts.merge(counts)
                progress.already_done.merge(counts)
                progress.shards += 1
            elif number % rank.world_size != rank.rank:
                progress.pending_elsewhere += 1
                continue
            progress.planned_programs += len(shard.rows)
            if counts is None:
                yield shard

    def _intact_counts(self, name: str) -> OutcomeCounts | None:
        """Totals of a finished shard; None if it is not finished, or damaged."""
        data = self._finished_counts.get(name)
        if data is None:
            return None
        counts = OutcomeCounts.from_json(data)
        if counts.bytes == self._part_sizes.get(name, 0):
            return counts
        # Its part is missing or damaged: it is processed again.
        remove_shards(self._location, [name])
        return None

    @property
    def fraction_read(self) -> float:
        """Fraction of the input that was read, from 0 to 1."""
        size = sum(item.size for item in self._inputs)
        read = sum(item.fraction_read * item.size for item in self._inputs)
        return read / size if size else 1.0

    def orphaned_shards(self) -> tuple[str, ...]:
        """Names of the shards in the store that are not of this input."""
        return tuple(sorted(self._orphans))


class _PrefetchedCounts:
    """Totals of finished shards, read in parallel before they are needed.

    They are requested in the order of their names. From a remote store, each takes a while.
    """

    def __init__(self, location: StoreLocation, names: Sequence[str]) -> None:
        self._location, self._names = location, deque(names)
        self._requested: dict[str, Future[dict[str, Any]]] = {}
        self._threads = ThreadPoolExecutor(_PREFETCH_THREADS)

    def get(self, name: str) -> dict[str, Any] | None:
        """Totals of one shard; None if it is not in the store."""
        while self._names and (
            len(self._requested) < 2 * _PREFETCH_THREADS or self._names[0] <= name
        ):
            requested = self._names.popleft()
            future = self._threads.submit(shard_counts, self._location, requested)
            self._requested[requested] = future
        # Shards that were passed over are of other programs.
        for passed in [other for other in self._requested if other < name]:
            self._requested.pop(passed).cancel()
        result = self._requested.pop(name, None)
        return None if result is None else result.result()


def _check_visible(location: StoreLocation, counts: OutcomeCounts) -> None:
    """Check that this process can see a shard that a worker has written."""
    if not has_shard(location, counts.shard):
        raise InputError(
            f"a worker has finished {counts.shard}, but it is not in {location.address} on this "
            "machine: all machines need a shared folder, or a remote store (s3://…)"
        )


def _open_store(location: StoreLocation, job: TraceJob, rank: Rank, *, restart: bool) -> None:
    """Create the store, or check that it can be resumed."""
    manifest = location.read(STORE_FILE)
    if manifest is None:
        _refuse_foreign_files(location)
    elif restart:
        remove_shards(location, finished_shards(location))
        remove_orphaned_parts(location)
    else:
        _check_resumable(location, manifest, job)
    if rank.world_size == 1:
        remove_abandoned_files(location)
    if manifest is None or restart or json.loads(manifest)["shards"] is not None:
        _write_manifest(location, job)


def _write_manifest(location: StoreLocation, job: TraceJob, *, shards: int | None = None) -> None:
    """Write the manifest; `shards` is their number when all are finished."""
    manifest = {"format": FORMAT, "settings": job.settings(), "shards": shards}
    location.write(STORE_FILE, json.dumps(manifest, indent=1).encode() + b"\n", shared=True)


def _check_resumable(location: StoreLocation, data: bytes, job: TraceJob) -> None:
    """Refuse a store that is damaged, compacted or has different settings."""
    try:
        manifest = json.loads(data)
        before = upgrade_settings(manifest["settings"])
        is_readable = manifest["format"] in _READABLE_FORMATS and "shards" in manifest
    except (ValueError, KeyError, TypeError, AttributeError):
        is_readable = False
    if not is_readable:
        raise InputError(
            f"{STORE_FILE} in {location.address} is damaged, or a different version of worldline "
            "wrote it; choose a different folder with -o, or start again with --restart"
        )
    if "compacted_from" in manifest:
        raise InputError(
            f"{location.address} is compacted and cannot be added to; choose a different folder "
            "with -o"
        )
    changes = [
        f"{name}: {before.get(name)} then, {value} now"
        for name, value in job.settings().items()
        if before.get(name) != value
    ]
    if changes:
        raise InputError(
            f"the store in {location.address} has different settings ({'; '.join(changes)}); "
            "choose a different folder with -o, or start again with --restart"
        )


def _refuse_foreign_files(location: StoreLocation) -> None:
    """Refuse to create a store in a folder that contains other files."""
    exists = not location.is_remote and Path(location.path).exists()
    names = find_foreign_files(location, STORE_FILE) if exists else finished_shards(location)
    # Unless another rank has just created it.
    if names and location.read(STORE_FILE) is None:
        raise InputError(
            f"{location.address} is not a trace store: it contains {names[0]!r} and no "
            f"{STORE_FILE}; choose a different folder with -o"
        )
