"""Worker processes that generate chunks of candidates."""

from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import util

from worldline.core.errors import RecorderError
from worldline.core.util.processes import process_pool
from worldline.data.generation.candidates import Candidate, Chunk, make_candidates
from worldline.languages.python.recorder import PythonRecorder

# Submits a chunk and returns a function that waits for its candidates.
SubmitChunk = Callable[[Chunk], Callable[[], list[Candidate]]]


@contextmanager
def start_candidate_workers(workers: int) -> Iterator[SubmitChunk]:
    """Start the workers and yield a function that submits chunks to them.

    A single worker is this process: the chunk is then generated when its candidates are awaited.
    """
    if workers == 1:
        with PythonRecorder() as recorder:
            yield lambda chunk: partial(make_candidates, chunk, recorder)
        return
    with process_pool(workers, setup=_set_up_worker) as pool:
        yield lambda chunk: partial(_wait, pool.submit(_make_in_worker, chunk).result)


def _wait(result: Callable[[], list[Candidate]]) -> list[Candidate]:
    try:
        return result()
    except BrokenProcessPool as error:
        raise RecorderError(
            f"a worker process died ({error}); run the same command again (without --restart) to "
            "resume, or use --workers 1"
        ) from error


_recorder: PythonRecorder | None = None


def _set_up_worker() -> None:
    """Give this worker process a recorder of its own."""
    global _recorder
    _recorder = PythonRecorder()
    # A worker process exits without running atexit handlers, only finalizers.
    util.Finalize(None, _recorder.close, exitpriority=10)


def _make_in_worker(chunk: Chunk) -> list[Candidate]:
    assert _recorder is not None
    return make_candidates(chunk, _recorder)
