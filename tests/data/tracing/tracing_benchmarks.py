"""Throughput and memory of the runners, fault injection, and layouts of a store."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Thread

from tests.support.processes import process_tree
from worldline.data.tracing import (
    Isolation,
    LocalRunner,
    OutcomeCounts,
    ProgramInputs,
    RayRunner,
    Runner,
    Shard,
    TraceFilters,
    TraceJob,
    make_job,
    make_shards,
    run_shard,
)


class BarePool:
    """The same work with a plain process pool: no retries, no bound on waiting shards."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def run(self, job: TraceJob, address: str, shards: Iterator[Shard]) -> Iterator[OutcomeCounts]:
        """Process shards, and yield the totals of each as it finishes."""
        with ProcessPoolExecutor(self._workers, mp_context=get_context("spawn")) as pool:
            futures = [pool.submit(run_shard, job, address, shard) for shard in shards]
            for future in as_completed(futures):
                yield future.result()


RUNNERS: dict[str, Callable[[int], Runner]] = {
    "bare pool": BarePool,
    "local": LocalRunner,
    "ray": lambda workers: RayRunner(workers=workers),
}


@dataclass(slots=True)
class Paced:
    """Measurements of one runner.

    Programs and seconds are counted after the first shard of each round. `busy_ms` is CPU time per
    program, `stolen` the share of CPU time that went to other virtual machines, and `megabytes`
    the memory of the runner and its processes, sampled from time to time.
    """

    programs: int = 0
    seconds: float = 0.0
    rates: list[float] = field(default_factory=list)
    busy_ms: list[float] = field(default_factory=list)
    stolen: list[float] = field(default_factory=list)
    megabytes: list[int] = field(default_factory=list)
    counts: OutcomeCounts = field(default_factory=OutcomeCounts)


def pace(
    programs: Path,
    folder: Path,
    *,
    rounds: int,
    size: int,
    shard: int = 250,
    workers: int = 2,
    isolation: Isolation = "process",
    tell: Callable[[str], None] = print,
) -> dict[str, Paced]:
    """Measure the runners in turns, with `size` programs per round, the same for every runner.

    In groups, every program is executed twice; in processes, once.
    """
    filters = TraceFilters(skip_determinism_check=isolation == "process")
    job = make_job(filters=filters, shard_programs=shard, isolation=isolation)
    all_shards = make_shards([ProgramInputs(programs)], job.hash, shard)
    result = {name: Paced() for name in RUNNERS}
    for number in range(rounds):
        shards = list(islice(all_shards, size // shard))
        for name, make in RUNNERS.items():
            place = folder / f"{name}-{number}".replace(" ", "-")
            _one_round(make(workers), job, str(place), shards, result[name])
            paced = result[name]
            tell(
                f"{name}: {paced.rates[-1]:.1f} programs/s, {paced.busy_ms[-1]:.2f} ms of "
                f"processors a program, {paced.stolen[-1]:.0%} stolen, {paced.megabytes[-1]} MB"
            )
    return result


def _one_round(
    runner: Runner, job: TraceJob, address: str, shards: Sequence[Shard], paced: Paced
) -> None:
    began, first, clock = 0.0, 0, _processors()
    with _watched(paced.megabytes):
        for counts in runner.run(job, address, iter(shards)):
            paced.counts.merge(counts)
            if not began:
                # The time of starting is not measured.
                began, first, clock = time.monotonic(), counts.programs, _processors()
            last, at_last = time.monotonic(), _processors()
    programs = sum(len(shard.rows) for shard in shards) - first
    paced.programs += programs
    paced.seconds += last - began
    paced.rates.append(programs / (last - began))
    busy, stolen, idle = (end - start for start, end in zip(clock, at_last, strict=True))
    paced.busy_ms.append(busy * 1000 / os.sysconf("SC_CLK_TCK") / programs)
    paced.stolen.append(stolen / (busy + stolen + idle))


def _processors() -> tuple[int, int, int]:
    """Busy, stolen and idle time of all CPUs, in clock ticks."""
    line = Path("/proc/stat").read_text(encoding="utf-8").splitlines()[0]
    user, nice, system, idle, waiting, *interrupts, stolen = map(int, line.split()[1:9])
    return user + nice + system + sum(interrupts), stolen, idle + waiting


@contextmanager
def _watched(megabytes: list[int]) -> Iterator[None]:
    """Measure the memory of this process and its children every two seconds."""
    is_over = Event()

    def watch() -> None:
        while not is_over.wait(2.0):
            megabytes.append(_megabytes([os.getpid(), *process_tree(os.getpid())]))

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        megabytes.append(_megabytes([os.getpid()]))


def _megabytes(pids: Sequence[int]) -> int:
    """Memory of processes; shared memory is counted once."""
    total = 0
    for pid in pids:
        with suppress(OSError):
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8")
            total += next(int(line.split()[1]) for line in text.splitlines() if "Pss:" in line)
    return total // 1024


@dataclass(slots=True)
class Chaos:
    """Faults that were injected into a run."""

    workers_killed: int = 0
    drivers_killed: int = 0
    full_disks: int = 0
    starts: int = 0
    seconds: float = 0.0


def disturb(
    programs: Path,
    disk: Path,
    words: Sequence[str],
    *,
    every: float = 3.0,
    drivers: int = 3,
    seed: int = 7,
    tell: Callable[[str], None] = print,
) -> Chaos:
    """Run `worldline trace` with faults, and resume it until it is done.

    A worker is killed every few seconds, the command three times, and the disk is filled once.
    """
    draws, chaos, began = random.Random(seed), Chaos(), time.monotonic()
    command = [sys.executable, "-m", "worldline", "trace", str(programs), "-o", str(disk / "s")]
    while True:
        chaos.starts += 1
        log = (disk.parent / "log").open("ab")
        process = subprocess.Popen([*command, *words], stdout=log, stderr=log)
        is_filled = chaos.drivers_killed >= 1 and not chaos.full_disks
        deadline = time.monotonic() + draws.uniform(20, 60)
        while process.poll() is None:
            time.sleep(draws.uniform(0.5, 1.5) * every)
            chaos.workers_killed += _kill_one(process.pid, draws)
            if time.monotonic() > deadline and is_filled:
                tell(f"{time.monotonic() - began:.0f} s: the disk is full")
                _fill(disk / "filler")
                process.wait()
                break
            if time.monotonic() > deadline and chaos.drivers_killed < drivers:
                tell(f"{time.monotonic() - began:.0f} s: the command is killed")
                chaos.drivers_killed += 1
                process.kill()
                process.wait()
                break
        if is_filled:
            chaos.full_disks += (disk / "filler").exists()
            (disk / "filler").unlink(missing_ok=True)
        elif process.returncode == 0:
            chaos.seconds = time.monotonic() - began
            return chaos


def _kill_one(driver: int, draws: random.Random) -> int:
    """Kill one of the workers, if there is one, and return how many were killed."""
    workers = []
    for pid in process_tree(driver):
        with suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            # Ray's agents are named ray::, too; without them, Ray ends.
            is_ray = words.startswith(b"ray::") and b"Agent" not in words
            if b"spawn_main" in words or is_ray:
                workers.append(pid)
    if not workers:
        return 0
    with suppress(ProcessLookupError):
        os.kill(draws.choice(workers), signal.SIGKILL)
    return 1


def _fill(path: Path) -> None:
    """Write until the disk is full."""
    with suppress(OSError), path.open("wb") as file:
        while True:
            file.write(bytes(1 << 16))
            file.flush()


@dataclass(frozen=True, slots=True)
class Layout:
    """Costs of row groups of `rows` rows.

    Bytes per step, and milliseconds to fetch one trace by its id and to count the events of all.
    """

    rows: int
    bytes_a_step: float
    fetch_ms: float
    scan_ms: float


def layouts(store: Path, folder: Path, sizes: Sequence[int]) -> Iterator[Layout]:
    """Write the traces of a store into one file with row groups of each size, and measure it."""
    import duckdb
    import pyarrow.parquet as parquet

    draws = random.Random(7)
    for size in sizes:
        path = folder / f"{size}.parquet"
        table = parquet.read_table(store / "parts")
        parquet.write_table(
            table, path, compression="zstd", compression_level=3, row_group_size=size
        )
        steps = sum(table["steps"].to_pylist())
        names = draws.sample(table["id"].to_pylist(), 20)
        began = time.monotonic()
        for name in names:
            assert parquet.read_table(path, filters=[("id", "==", name)]).num_rows == 1
        fetched = time.monotonic()
        scan = f"select e, count(*) from (select unnest(event) e from '{path}') group by all"
        with duckdb.connect() as connection:
            for _ in range(5):
                connection.execute(scan).fetchall()
        scanned = time.monotonic()
        yield Layout(
            size,
            path.stat().st_size / steps,
            (fetched - began) / len(names) * 1000,
            (scanned - fetched) / 5 * 1000,
        )


def plan_rate(programs: Path) -> tuple[int, float]:
    """Number of programs read, hashed and divided into shards, and the seconds it took."""
    began = time.monotonic()
    shards = make_shards([ProgramInputs(programs)], "settings", 500)
    return sum(len(shard.rows) for shard in shards), time.monotonic() - began
