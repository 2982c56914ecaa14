"""Resumable executions of many batches: outcomes are kept in a journal."""

import platform
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from worldline.core.errors import InputError
from worldline.evaluation.store import Journal, Lock, read_journal
from worldline.languages.python.batch_runner import (
    Batch,
    BatchOutcome,
    ItemOutcome,
    ItemStatus,
    run_batch,
)
from worldline.languages.python.recorder import PythonRecorder

# One letter per item: a problem may have hundreds of tests and candidates.
_LETTERS: dict[ItemStatus, str] = dict(zip(get_args(ItemStatus), "pvfrtincx", strict=True))
_STATUSES = {letter: status for status, letter in _LETTERS.items()}


@dataclass(slots=True)
class ExecutionTotals:
    """What executions cost, together with those that were in the journal before.

    `resumed` outcomes were in the journal.
    """

    batches: int = 0
    resumed: int = 0
    items: int = 0
    processes: int = 0
    cpu_seconds: float = 0.0
    seconds: float = 0.0
    memory_kb: int = 0

    def add(self, outcome: BatchOutcome, *, is_resumed: bool = False) -> None:
        """Count one more batch."""
        self.batches += 1
        self.resumed += is_resumed
        self.items += len(outcome.items)
        self.processes += outcome.processes
        self.cpu_seconds += outcome.cpu_seconds
        self.seconds += outcome.seconds
        self.memory_kb = max(self.memory_kb, outcome.memory_kb)


class ExecutionJournal:
    """Executes batches, each once: an outcome in the journal is not executed again.

    Args:
        path: The journal; None to keep outcomes in memory only.
        workers: The number of processes that execute batches.
        python: The interpreter; by default the current one.
        restart: Begin again, without the earlier outcomes.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        workers: int = 1,
        python: str | None = None,
        restart: bool = False,
    ) -> None:
        self.totals = ExecutionTotals()
        self._workers = workers
        self._python = python
        # Outcomes of another interpreter may differ, and are not used.
        self._interpreter = python or platform.python_version()
        self._local = threading.local()
        self._stack = ExitStack()
        self._journal: Journal | None = None
        self._outcomes: dict[str, BatchOutcome] = {}
        self._counted: set[str] = set()
        if path is None:
            return
        lock = Lock(path)
        self._stack.callback(lock.release)
        try:
            rows = [] if restart else read_journal(path)
            self._outcomes = {
                row["key"]: _from_row(row) for row in rows if row["python"] == self._interpreter
            }
            self._journal = Journal(path)
            # Without the line that a kill left unfinished.
            self._journal.replace(rows)
        except (LookupError, TypeError, ValueError) as error:
            self.close()
            raise InputError(
                f"{path} is not a journal of executions ({error!r}); name another folder with -o, "
                "or begin again with --restart"
            ) from None
        except InputError:
            self.close()
            raise
        self._stack.callback(self._journal.close)

    def __enter__(self) -> "ExecutionJournal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the interpreters and close the journal."""
        self._stack.close()

    def run(
        self, batches: Sequence[Batch], *, on_outcome: Callable[[], None] | None = None
    ) -> list[BatchOutcome]:
        """Execute batches, or find their outcomes in the journal.

        Args:
            batches: The batches.
            on_outcome: Called for every outcome, from the thread that calls this.

        Returns:
            The outcomes, in the order of the batches.
        """
        keys = [batch.key for batch in batches]
        pending = {
            key: batch
            for key, batch in zip(keys, batches, strict=True)
            if key not in self._outcomes
        }
        for key in dict.fromkeys(keys):
            if key in self._outcomes and key not in self._counted:
                self._counted.add(key)
                self.totals.add(self._outcomes[key], is_resumed=True)
        for key, outcome in self._execute(pending.items()):
            self._outcomes[key] = outcome
            self._counted.add(key)
            self.totals.add(outcome)
            if self._journal is not None:
                self._journal.append(_to_row(key, self._interpreter, outcome))
            if on_outcome is not None:
                on_outcome()
        return [self._outcomes[key] for key in keys]

    def _execute(self, pending: Iterable[tuple[str, Batch]]) -> Iterator[tuple[str, BatchOutcome]]:
        if self._workers == 1:
            for key, batch in pending:
                yield key, run_batch(batch, self._recorder())
            return
        with ThreadPoolExecutor(self._workers) as pool:
            futures = {pool.submit(self._run_in_thread, batch): key for key, batch in pending}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            finally:
                for future in futures:
                    future.cancel()

    def _run_in_thread(self, batch: Batch) -> BatchOutcome:
        return run_batch(batch, self._recorder())

    def _recorder(self) -> PythonRecorder:
        """The recorder of this thread."""
        recorder: PythonRecorder | None = getattr(self._local, "recorder", None)
        if recorder is None:
            recorder = self._local.recorder = PythonRecorder(python=self._python)
            self._stack.callback(recorder.close)
        return recorder


def _to_row(key: str, interpreter: str, outcome: BatchOutcome) -> dict[str, Any]:
    details = {str(n): item.detail for n, item in enumerate(outcome.items) if item.detail}
    return {
        "key": key,
        "python": interpreter,
        "statuses": "".join(_LETTERS[item.status] for item in outcome.items),
        "details": details,
        "processes": outcome.processes,
        "cpu_seconds": outcome.cpu_seconds,
        "seconds": round(outcome.seconds, 6),
        "memory_kb": outcome.memory_kb,
    }


def _from_row(row: dict[str, Any]) -> BatchOutcome:
    details = row["details"]
    items = tuple(
        ItemOutcome(_STATUSES[letter], details.get(str(n), ""))
        for n, letter in enumerate(row["statuses"])
    )
    return BatchOutcome(
        items, row["processes"], row["cpu_seconds"], row["seconds"], row["memory_kb"]
    )
