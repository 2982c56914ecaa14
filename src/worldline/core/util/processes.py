"""Pool of worker processes that end with their parent."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process


def usable_cores() -> int:
    """Number of CPU cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    # Neither macOS nor Windows says which of them.
    return os.cpu_count() or 1


@contextmanager
def process_pool(
    workers: int, *, setup: Callable[[], None] | None = None
) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of spawned processes that ignore ctrl-c and end when this process is killed.

    On leaving the block, tasks that have not started are cancelled, and the running ones are
    awaited.

    Args:
        workers: The number of processes.
        setup: A module-level function that each process calls once, before its first task.
    """
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_start, initargs=(setup,)
    )
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _start(setup: Callable[[], None] | None) -> None:
    start_worker()
    if setup is not None:
        setup()


def start_worker() -> None:
    """Prepare a worker process: ignore ctrl-c, and end when the parent process is killed."""
    # A terminal sends ctrl-c to all processes; the parent decides when the workers stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End without cleanup: the user may have started the same command again already."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
