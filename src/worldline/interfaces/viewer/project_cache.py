"""Cache of the runs of a project, each read again when it changes."""

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

from worldline.analysis.diagnosis import OperationTallies
from worldline.core.errors import InputError, WorldlineError
from worldline.evaluation.runs import find_runs, read_manifest, read_verdicts
from worldline.evaluation.store import join_address
from worldline.interfaces.viewer.operation_cache import operation_tallies
from worldline.interfaces.viewer.project_documents import (
    ListedRun,
    build_differences,
    build_operation_changes,
    build_project_document,
)
from worldline.interfaces.viewer.run_cache import RunCache
from worldline.interfaces.viewer.run_versions import file_versions
from worldline.languages.python.recorder import Recorder
from worldline.models.tokenizers import Tokenizer

# Threads that read runs: a remote store answers slowly, but many requests at once.
_THREADS = 8
# Opened runs and comparisons that are kept in memory.
_OPENED = 8


class ProjectCache:
    """The runs in a folder or at an address.

    Args:
        address: The folder or address.
        recorder: Executes the programs whose traces are not stored.
        tokenizer: Counts tokens in opened runs.
        reexecute: Execute the program of every opened sample.
    """

    def __init__(
        self,
        address: str,
        recorder: Recorder,
        *,
        tokenizer: Tokenizer | None = None,
        reexecute: bool = False,
    ) -> None:
        self._address, self._recorder = address, recorder
        self._open: Callable[[list[str]], RunCache] = lambda locations: RunCache(
            locations, recorder, tokenizer=tokenizer, reexecute=reexecute
        )
        self._lock, self._opened_lock, self._operations_lock = Lock(), Lock(), Lock()
        # A second request for a document waits for the first one instead of building it, too.
        self._document_lock = Lock()
        self._runs: dict[str, ListedRun] = {}
        self._unreadable: dict[str, str] = {}
        self._opened: OrderedDict[tuple[str, ...], RunCache] = OrderedDict()
        self._tallies: dict[str, tuple[object, OperationTallies]] = {}
        self._documents: dict[str | None, tuple[object, dict[str, Any]]] = {}
        self._refresh()
        if not self._runs and not self._unreadable:
            raise InputError(f"{address} contains no run; create runs in it with worldline bench")

    def _refresh(self) -> None:
        """Read the runs that are new or that changed since they were read."""
        with self._lock:
            ids = find_runs(self._address)
            with ThreadPoolExecutor(_THREADS) as pool:
                results = dict(zip(ids, pool.map(self._read, ids), strict=True))
            self._runs = {id: run for id, run in results.items() if isinstance(run, ListedRun)}
            self._unreadable = {id: why for id, why in results.items() if isinstance(why, str)}

    def _read(self, id: str) -> ListedRun | str:
        """The run, or why it cannot be read."""
        location = self.location(id)
        try:
            manifest = read_manifest(location)
            version = (manifest, file_versions(location))
            known = self._runs.get(id)
            if known is not None and known.version == version:
                return known
            return ListedRun(id, version, manifest, read_verdicts(location))
        except WorldlineError as error:
            return str(error)

    def location(self, id: str) -> str:
        """The folder or address of a run."""
        return join_address(self._address, id)

    def document(self) -> dict[str, Any]:
        """The project as it is now."""
        self._refresh()
        return self._cached(
            None,
            lambda runs: build_project_document(self._address, runs, self._unreadable),
        )

    def differences(self, baseline: str) -> dict[str, Any]:
        """The differences of all runs to a baseline."""
        self._known(baseline)
        return self._cached(baseline, lambda runs: build_differences(runs, baseline))

    def _cached(
        self, key: str | None, build: Callable[[list[ListedRun]], dict[str, Any]]
    ) -> dict[str, Any]:
        with self._document_lock:
            runs = list(self._runs.values())
            version = ([(run.id, run.version) for run in runs], self._unreadable)
            cached = self._documents.get(key)
            if cached is None or cached[0] != version:
                cached = self._documents[key] = (version, build(runs))
            return cached[1]

    def operation_changes(self, a: str, b: str) -> list[dict[str, Any]]:
        """Which operations are predicted better and worse in the second run."""
        return build_operation_changes(self._operations(a), self._operations(b))

    def _operations(self, id: str) -> OperationTallies:
        run = self._known(id)
        # The recorder is one process, and counting uses a processor.
        with self._operations_lock:
            cached = self._tallies.get(id)
            if cached is None or cached[0] != run.version:
                tallies = operation_tallies(self.location(id), self._recorder)
                cached = self._tallies[id] = (run.version, tallies)
            return cached[1]

    def opened(self, *ids: str) -> RunCache:
        """One run, or two and their comparison; the last ones are kept in memory."""
        for id in ids:
            self._known(id)
        with self._opened_lock:
            if ids not in self._opened:
                self._opened[ids] = self._open([self.location(id) for id in ids])
            self._opened.move_to_end(ids)
            while len(self._opened) > _OPENED:
                self._opened.popitem(last=False)
            return self._opened[ids]

    def _known(self, id: str) -> ListedRun:
        if id not in self._runs:
            raise InputError(f"there is no run {id!r} in {self._address}")
        return self._runs[id]
