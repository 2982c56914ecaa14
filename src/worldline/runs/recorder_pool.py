"""Batches of programs go in; each is recorded by a process of its own and written as it goes."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from worldline.errors import RecorderError
from worldline.predict import Question
from worldline.recorders import PythonRecorder
from worldline.runs.workers import start_worker
from worldline.store import StoredTrace, place_of, trace_to_row, write_trace_rows
from worldline.trace import Limits, Trace

# Characters in the values of a part: one that holds huge traces is closed before its time.
_PART_CHARS = 100_000_000
# Seconds between two looks at how far it is.
_LOOK = 0.25


@dataclass(frozen=True, slots=True)
class Batch:
    """Programs, each with its place in their file, and the folder for their traces."""

    address: str
    questions: tuple[tuple[int, Question], ...]


@dataclass(frozen=True, slots=True)
class Done:
    """How many programs the recorder failed on, what it said of the first, and whether a process
    died or somebody stopped it."""

    failed: int = 0
    first_failure: str | None = None
    has_died: bool = False
    is_stopped: bool = False

    def __add__(self, other: "Done") -> "Done":
        return Done(
            self.failed + other.failed,
            self.first_failure or other.first_failure,
            self.has_died or other.has_died,
            self.is_stopped or other.is_stopped,
        )


# What a process of the pool has for all of its batches.
_recorder: PythonRecorder
_limits: Limits
_count: Any
_is_stopped: Any


def record_batches(
    batches: Sequence[Batch],
    *,
    limits: Limits,
    python: str | None,
    workers: int,
    on_progress: Callable[[int], None],
) -> Done:
    """Record all programs. ctrl-c ends it early, with what is recorded written down; a process
    that dies takes along what it has not written."""
    if not batches:
        return Done()
    context = get_context("spawn")
    count, is_stopped = context.Value("q", 0), context.Event()
    pool = ProcessPoolExecutor(
        min(workers, len(batches)),
        mp_context=context,
        initializer=_start,
        initargs=(limits, python, count, is_stopped),
    )
    running = [pool.submit(_record_batch, batch) for batch in batches]
    with pool:
        try:
            _watch(running, lambda: on_progress(count.value))
        except KeyboardInterrupt:
            is_stopped.set()
            pool.shutdown(cancel_futures=True)
            return Done(is_stopped=True)
    return sum((_outcome(future) for future in running), Done())


def _outcome(future: Future[Done]) -> Done:
    try:
        return future.result()
    except BrokenProcessPool:
        return Done(has_died=True)


def _watch(running: Sequence[Future[Done]], look: Callable[[], None]) -> None:
    """Wait for all, and look at how far they are now and then."""
    open_ones = set(running)
    while open_ones:
        _, open_ones = wait(open_ones, timeout=_LOOK, return_when=FIRST_COMPLETED)
        look()


def _start(limits: Limits, python: str | None, count: Any, is_stopped: Any) -> None:
    """Make a process of the pool ready."""
    global _recorder, _limits, _count, _is_stopped
    start_worker()
    _recorder, _limits = PythonRecorder(python=python), limits
    _count, _is_stopped = count, is_stopped


def _record_batch(batch: Batch) -> Done:
    """Record one batch and write it: in one part, or more where it is large or something fails."""
    place, done = place_of(batch.address), Done()
    rows: list[dict[str, Any]] = []
    first, chars = 0, 0
    for number, question in batch.questions:
        if _is_stopped.is_set():
            break
        try:
            trace = _recorder.record(question.program, limits=_limits)
        except RecorderError as error:
            done += Done(1, f"{question.id}: {error}")
            # When it is tried again, its place is between two parts.
            if rows:
                write_trace_rows(place, first, rows)
                rows, chars = [], 0
            continue
        first = first if rows else number
        stored = StoredTrace(question.id, trace, question.expected, question.facets)
        rows.append(trace_to_row(stored))
        chars += _chars(trace)
        with _count.get_lock():
            _count.value += 1
        if chars > _PART_CHARS:
            write_trace_rows(place, first, rows)
            rows, chars = [], 0
    if rows:
        write_trace_rows(place, first, rows)
    return done


def _chars(trace: Trace) -> int:
    return len(trace.stdout) + sum(
        len(step.value or "") + sum(map(len, step.changed.values())) for step in trace.steps
    )
