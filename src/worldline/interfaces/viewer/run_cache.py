"""Cache of the runs that the viewer serves, read again when they change."""

import gc
import json
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from threading import Lock, Thread
from typing import Any, TypeVar

from worldline.analysis.diagnosis import Sample
from worldline.analysis.interventions import INTERVENTIONS
from worldline.analysis.trust import TrustModel
from worldline.core.errors import InputError, WorldlineError
from worldline.evaluation.runs import intervention_run, is_run, read_manifest
from worldline.evaluation.store import open_location
from worldline.interfaces.report import operations_to_json
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.interfaces.viewer.facet_counts import count_facets
from worldline.interfaces.viewer.html_report import MAX_REPORT_SAMPLES
from worldline.interfaces.viewer.report_cache import cached_report, store_report
from worldline.interfaces.viewer.run_documents import build_report_document, build_token_usage
from worldline.interfaces.viewer.run_versions import file_versions
from worldline.interfaces.viewer.sample_table import Cell, Query, Table, query_rows
from worldline.interfaces.viewer.text_index import TextIndex, read_text_index
from worldline.languages.python.recorder import Recorder
from worldline.models.tokenizers import Tokenizer

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The runs at the time they were read. Tokens and operations are counted on request."""

    fingerprint: object
    report: bytes
    tables: Future[list[Table]]
    runs: list[DiagnosedRun]
    token_usage: dict[int, dict[str, Any]] = field(default_factory=dict)
    text_indexes: dict[int, TextIndex] = field(default_factory=dict)
    operations: dict[int, dict[str, Any]] = field(default_factory=dict)


class RunCache:
    """One run, or two and their comparison.

    `report` reads the runs again if they changed. Rows and samples are those of the last report,
    so that an open page stays consistent while its run grows.
    """

    def __init__(
        self,
        locations: Sequence[str],
        recorder: Recorder,
        *,
        tokenizer: Tokenizer | None = None,
        reexecute: bool = False,
        trust_model: TrustModel | None = None,
    ) -> None:
        self._locations, self._recorder, self._tokenizer = locations, recorder, tokenizer
        self._reexecute, self._trust_model = reexecute, trust_model
        self._snapshot_lock = Lock()
        self._index_lock = Lock()
        # The recorder is one process: it executes one program at a time.
        self._recorder_lock = Lock()
        self._snapshot = self._read(_fingerprint(locations))

    def _read(self, fingerprint: object) -> _Snapshot:
        # Hardly any of the new objects is garbage: looking for it takes a third of the time.
        with _without_collection():
            return self._build_snapshot(fingerprint)

    def _build_snapshot(self, fingerprint: object) -> _Snapshot:
        runs = [
            DiagnosedRun(
                location,
                self._recorder,
                tokenizer=self._tokenizer,
                reexecute=self._reexecute,
                trust_model=self._trust_model,
            )
            for location in self._locations
        ]
        cached = None if self._trust_model else cached_report(fingerprint)
        if cached is not None:
            return _Snapshot(fingerprint, cached.report, _in_background(cached.read_tables), runs)
        report, tables = build_report_document(runs)
        for run, document in zip(runs, report["runs"], strict=True):
            can_count = run.has_tokenizer and len(run) <= MAX_REPORT_SAMPLES
            document["token_usage"]["can_count"] = can_count
            is_measurable = run.has_predicted_steps and len(run) <= MAX_REPORT_SAMPLES
            document["can_measure_operations"] = is_measurable
        text = to_json(report)
        # Of a smaller run, the report also depends on the tokenizer, and takes little time. With a
        # trust model, it depends on that.
        if self._trust_model is None and all(len(run) > MAX_REPORT_SAMPLES for run in runs):
            Thread(target=store_report, args=(fingerprint, text, tables), daemon=True).start()
        ready: Future[list[Table]] = Future()
        ready.set_result(tables)
        return _Snapshot(fingerprint, text, ready, runs)

    def report(self) -> bytes:
        """The report of the runs as they are now, as JSON."""
        with self._snapshot_lock:
            fingerprint = _fingerprint(self._locations)
            if fingerprint != self._snapshot.fingerprint:
                self._snapshot = self._read(fingerprint)
            return self._snapshot.report

    def rows(self, run: int, query: Query) -> tuple[int, list[tuple[Cell, ...]]]:
        """The number of rows of a run that match a query, and the page it asks for."""
        snapshot = self._snapshot
        table = _item(snapshot.tables.result(), run)
        if not query.search and run not in snapshot.text_indexes:
            # A sample may be opened next, or searched.
            Thread(target=self._prepare, args=(snapshot, run), daemon=True).start()
        return query_rows(table, query, self._matching_samples(snapshot, run, query.search))

    def facet_counts(self, run: int, query: Query) -> dict[str, dict[str, Any]]:
        """The number of samples that each value of each menu would show."""
        snapshot = self._snapshot
        table = _item(snapshot.tables.result(), run)
        return count_facets(table, query, self._matching_samples(snapshot, run, query.search))

    def _matching_samples(self, snapshot: _Snapshot, run: int, search: str) -> Container[Cell]:
        """The names of the samples whose row, program or output contains a text."""
        return self._text_index(snapshot, run).search(search) if search else frozenset()

    def _prepare(self, snapshot: _Snapshot, run: int) -> None:
        # A run that cannot be read any more is an error of the request, not of the server.
        with suppress(WorldlineError):
            snapshot.runs[run].prepare()
            self._text_index(snapshot, run)

    def _text_index(self, snapshot: _Snapshot, run: int) -> TextIndex:
        """The texts of a run; read when they are first needed."""
        with self._index_lock:
            if run not in snapshot.text_indexes:
                snapshot.text_indexes[run] = read_text_index(
                    snapshot.runs[run].location, snapshot.tables.result()[run]
                )
            return snapshot.text_indexes[run]

    def sample(self, run: int, name: str) -> dict[str, Any]:
        """Diagnose a sample and return its document."""
        diagnosed = _item(self._snapshot.runs, run)
        with self._recorder_lock:
            return diagnosed.document(name)

    def token_usage(self, run: int) -> dict[str, Any]:
        """The token usage of a run with its formats counted, which reads all its traces."""
        snapshot = self._snapshot
        diagnosed = _item(snapshot.runs, run)
        if run not in snapshot.token_usage:
            if len(diagnosed) > MAX_REPORT_SAMPLES:
                raise InputError(
                    f"tokens are counted for runs of at most {MAX_REPORT_SAMPLES:,} samples"
                )
            costs = diagnosed.token_costs(self._diagnose_all(diagnosed))
            snapshot.token_usage[run] = build_token_usage(diagnosed, costs)
        return snapshot.token_usage[run]

    def operations(self, run: int) -> dict[str, Any]:
        """The accuracy of a run by operation, which reads all its traces."""
        snapshot = self._snapshot
        diagnosed = _item(snapshot.runs, run)
        if run not in snapshot.operations:
            if len(diagnosed) > MAX_REPORT_SAMPLES:
                raise InputError(
                    f"operations are measured for runs of at most {MAX_REPORT_SAMPLES:,} samples; "
                    f"use: worldline report {diagnosed.location} --by operation"
                )
            counter = diagnosed.operation_counter()
            for sample in self._diagnose_all(diagnosed):
                counter.add(sample)
            snapshot.operations[run] = operations_to_json(counter.results())
        return snapshot.operations[run]

    def _diagnose_all(self, run: DiagnosedRun) -> Iterator[Sample]:
        for name in run.names:
            # A sample that is opened meanwhile waits for one program, not for all.
            with self._recorder_lock:
                sample = run.diagnose(name)
            yield sample

    def deleted_run(self) -> str | None:
        """The first run that no longer exists."""
        return next((location for location in self._locations if not is_run(location)), None)


def _in_background(work: Callable[[], T]) -> Future[T]:
    """Start work in a thread that does not keep the process alive."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001
            # Raised again where the result is asked for.
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future


@contextmanager
def _without_collection() -> Iterator[None]:
    """Create objects without garbage collection, and exempt them from later ones."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def _fingerprint(locations: Sequence[str]) -> object:
    """A value that changes when a run, or an intervention on it, gets rows or is restarted."""
    runs = [
        location
        for run in locations
        for location in (run, *(intervention_run(run, name) for name in INTERVENTIONS))
        if is_run(location)
    ]
    return tuple(
        (run, open_location(run).path, asdict(read_manifest(run)), *file_versions(run))
        for run in runs
    )


def _item(items: Sequence[T], index: int) -> T:
    if not 0 <= index < len(items):
        raise InputError(f"there is no run {index}")
    return items[index]


def to_json(document: Any) -> bytes:
    """A document as compact JSON."""
    return json.dumps(document, separators=(",", ":")).encode()
