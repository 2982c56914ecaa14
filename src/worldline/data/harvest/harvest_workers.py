"""Worker processes that find functions in files and execute their inputs."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from itertools import islice
from multiprocessing import util

from worldline.core.errors import RecorderError
from worldline.core.util.processes import process_pool
from worldline.data.harvest.file_functions import FileMap
from worldline.data.harvest.harvest_plan import PlannedFunction
from worldline.data.harvest.input_execution import (
    FunctionOutcome,
    FunctionTask,
    HarvestLimits,
    InputExecutor,
)

_BATCH = 8
_FILES_PER_TASK = 16
Result = tuple[PlannedFunction, FunctionOutcome]


@contextmanager
def file_map(workers: int) -> Iterator[FileMap]:
    """Yield a function that applies another one to files in worker processes, in their order.

    All files are sent at once; the results are waited for when they are asked for.

    Args:
        workers: Number of worker processes; 1 works in this process.

    Raises:
        RecorderError: A worker died.
    """
    if workers == 1:
        yield map
        return
    with process_pool(workers) as pool:
        try:
            yield partial(pool.map, chunksize=_FILES_PER_TASK)
        except BrokenProcessPool as error:
            raise _worker_died(error) from error


def execute_functions(
    functions: Iterable[PlannedFunction], limits: HarvestLimits, *, workers: int = 1
) -> Iterator[Result]:
    """Execute the inputs of functions; the results are in the order of the functions.

    Args:
        functions: The functions.
        limits: Limits of each function.
        workers: Number of worker processes; 1 works in this process.

    Raises:
        RecorderError: A worker died.
    """
    batches = _batches(functions)
    if workers == 1:
        executor = InputExecutor(limits)
        try:
            for batch in batches:
                yield from zip(batch, executor.run([each.task for each in batch]), strict=True)
        finally:
            executor.close()
        return
    with process_pool(workers, setup=partial(_set_up_worker, limits)) as pool:
        yield from _in_order(
            batches, lambda tasks: pool.submit(_run_in_worker, tasks), ahead=2 * workers
        )


def _batches(functions: Iterable[PlannedFunction]) -> Iterator[list[PlannedFunction]]:
    iterator = iter(functions)
    while batch := list(islice(iterator, _BATCH)):
        yield batch


def _in_order(
    batches: Iterator[list[PlannedFunction]],
    submit: Callable[[list[FunctionTask]], "Future[list[FunctionOutcome]]"],
    *,
    ahead: int,
) -> Iterator[Result]:
    running: deque[tuple[list[PlannedFunction], Future[list[FunctionOutcome]]]] = deque()
    for batch in batches:
        running.append((batch, submit([each.task for each in batch])))
        if len(running) > ahead:
            yield from _wait(*running.popleft())
    while running:
        yield from _wait(*running.popleft())


def _wait(
    batch: list[PlannedFunction], future: "Future[list[FunctionOutcome]]"
) -> Iterator[Result]:
    try:
        outcomes = future.result()
    except BrokenProcessPool as error:
        raise _worker_died(error) from error
    yield from zip(batch, outcomes, strict=True)


def _worker_died(error: BrokenProcessPool) -> RecorderError:
    return RecorderError(
        f"a worker process died ({error}); run the same command again (without --restart) to "
        "resume, or use --workers 1"
    )


_executor: InputExecutor | None = None


def _set_up_worker(limits: HarvestLimits) -> None:
    """Give this worker process an executor of its own."""
    global _executor
    _executor = InputExecutor(limits)
    # A worker process exits without running atexit handlers, only finalizers.
    util.Finalize(None, _executor.close, exitpriority=10)


def _run_in_worker(tasks: list[FunctionTask]) -> list[FunctionOutcome]:
    assert _executor is not None
    return _executor.run(tasks)
