"""Runs go in; what a server tells of them comes out, read again when they have changed."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

from worldline.diagnose import Sample
from worldline.errors import InputError
from worldline.intervene import INTERVENTIONS
from worldline.recorders import Recorder
from worldline.runs import intervention_run, is_run, read_manifest
from worldline.store import part_files, place_of
from worldline.tokens import Tokenizer
from worldline.viewer.documents import budget_document, report_document
from worldline.viewer.examined import ExaminedRun
from worldline.viewer.file import MOST_SAMPLES
from worldline.viewer.rows import Cell, Query, Table, find_rows

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Reading:
    """Runs as they were when they were read; budgets are counted when they are asked for."""

    state: object
    report: bytes
    tables: list[Table]
    runs: list[ExaminedRun]
    budgets: dict[int, dict[str, Any]] = field(default_factory=dict)


class ServedRuns:
    """One run, or two and what changed. A page gets one reading of them: its report, and rows and
    samples that go with it; the next page that is opened gets what has come since."""

    def __init__(
        self, addresses: Sequence[str], recorder: Recorder, *, tokenizer: Tokenizer | None = None
    ) -> None:
        self._addresses, self._recorder, self._tokenizer = addresses, recorder, tokenizer
        self._reading_lock = Lock()
        # One program at a time: the recorder is one process.
        self._recording_lock = Lock()
        self._reading = self._read(_state(addresses))

    def _read(self, state: object) -> _Reading:
        runs = [
            ExaminedRun(address, self._recorder, tokenizer=self._tokenizer)
            for address in self._addresses
        ]
        report, tables = report_document(self._addresses, [run.rows for run in runs])
        for run, document in zip(runs, report["runs"], strict=True):
            document["budget"]["can_count"] = run.can_count and len(run) <= MOST_SAMPLES
        return _Reading(state, as_json(report), tables, runs)

    def report(self) -> bytes:
        """The report, of what there is now."""
        with self._reading_lock:
            state = _state(self._addresses)
            if state != self._reading.state:
                self._reading = self._read(state)
            return self._reading.report

    def rows(self, run: int, query: Query) -> tuple[int, list[tuple[Cell, ...]]]:
        """How many rows of a run there are of a query, and those that it asks for."""
        return find_rows(_nth(self._reading.tables, run), query)

    def sample(self, run: int, name: str) -> dict[str, Any]:
        """A sample, executed now."""
        examined = _nth(self._reading.runs, run)
        with self._recording_lock:
            return examined.document(name)

    def budget(self, run: int) -> dict[str, Any]:
        """What the traces of a run take in every format: all its programs are executed for that."""
        reading = self._reading
        examined = _nth(reading.runs, run)
        if run not in reading.budgets:
            if len(examined) > MOST_SAMPLES:
                raise InputError(f"tokens are counted of up to {MOST_SAMPLES:,} samples")
            reading.budgets[run] = budget_document(
                read_manifest(examined.address),
                examined.rows,
                examined.costs(self._executed(examined)),
            )
        return reading.budgets[run]

    def _executed(self, run: ExaminedRun) -> Iterator[Sample]:
        for name in run.names:
            # Whoever opens a sample meanwhile waits for one program, not for all.
            with self._recording_lock:
                sample = run.sample(name)
            yield sample

    def gone(self) -> str | None:
        """The first of the runs that is no longer there."""
        return next((address for address in self._addresses if not is_run(address)), None)


def _state(addresses: Sequence[str]) -> object:
    """What is another one once a run, or what was tried on it, has been added to or begun anew."""
    runs = [
        address
        for run in addresses
        for address in (run, *(intervention_run(run, name) for name in INTERVENTIONS))
        if is_run(address)
    ]
    return tuple((run, read_manifest(run), *_files(run)) for run in runs)


def _files(address: str) -> tuple[object, ...]:
    place = place_of(address)
    try:
        journal = place.journal.stat()
    except FileNotFoundError:
        return (*part_files(place), None)
    return (*part_files(place), journal.st_size, journal.st_mtime_ns)


def _nth(items: Sequence[T], number: int) -> T:
    if not 0 <= number < len(items):
        raise InputError(f"there is no run {number}")
    return items[number]


def as_json(document: Any) -> bytes:
    """A document as it is sent."""
    return json.dumps(document, separators=(",", ":")).encode()
