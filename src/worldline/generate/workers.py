"""Chunks go in; their candidates come out in the same order, made here or in other processes."""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context, util

from worldline.errors import RecorderError
from worldline.generate.candidates import Candidate, Chunk, make_candidates
from worldline.recorders import PythonRecorder
from worldline.runs import start_worker

# Begins to make a chunk, and gives what waits for it to be done.
Begin = Callable[[Chunk], Callable[[], list[Candidate]]]


@contextmanager
def making(workers: int) -> Iterator[Begin]:
    """What makes chunks: with one worker this process, else so many of their own."""
    if workers == 1:
        with PythonRecorder() as recorder:
            yield lambda chunk: partial(make_candidates, chunk, recorder)
        return
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_start)
    try:
        yield lambda chunk: partial(_wait, pool.submit(_make, chunk).result)
    finally:
        pool.shutdown(cancel_futures=True)


def _wait(result: Callable[[], list[Candidate]]) -> list[Candidate]:
    try:
        return result()
    except BrokenProcessPool as error:
        raise RecorderError(
            f"a worker process died ({error}); the same command (without --restart) goes on, or "
            "give --workers 1"
        ) from error


_recorder: PythonRecorder | None = None


def _start() -> None:
    """Set up a worker, with a recorder of its own."""
    global _recorder
    start_worker()
    _recorder = PythonRecorder()
    # At the end of a worker nothing else is called: it ends at once.
    util.Finalize(None, _recorder.close, exitpriority=10)


def _make(chunk: Chunk) -> list[Candidate]:
    assert _recorder is not None
    return make_candidates(chunk, _recorder)
