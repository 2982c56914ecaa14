"""Reader of runs, complete or in progress: manifest, rows, predictions and SQL queries."""

import json
import os
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.trace import Trace
from worldline.evaluation.runs.diagnose_predictions import KnownPossibility
from worldline.evaluation.runs.legacy import (
    RENAMING,
    upgrade_columns,
    upgrade_row,
    with_old_names,
)
from worldline.evaluation.runs.manifest import FILE, Manifest, manifest_from_json
from worldline.evaluation.runs.run_columns import COLUMNS
from worldline.evaluation.runs.sample_rows import (
    SCORED_SAMPLE_COLUMNS,
    columns_to_scored_samples,
    row_to_prediction,
    row_to_scored_sample,
)
from worldline.evaluation.runs.scored_sample import ScoredSample, Verdict
from worldline.evaluation.runs.stored_traces import decode_trace
from worldline.evaluation.store import (
    PartRows,
    QueryResult,
    QuerySource,
    StoreLocation,
    TextBlock,
    make_text_block,
    open_location,
    part_files,
    query,
    read_journal,
    read_part_columns,
    read_parts,
    read_text_blocks,
    rows_to_arrow,
)
from worldline.languages.python.recorder import Recorder, StoredTraceRecorder
from worldline.models.prediction import Prediction, StepScore, repeat_id

# The key of a row: the sample's name and the number of the repeat.
Key = tuple[str, int]


def find_manifest(location: StoreLocation) -> Manifest | None:
    """Read the manifest of a run; None if there is no run."""
    data = location.read(FILE)
    return None if data is None else manifest_from_json(data, location.address)


def rows_without_part(
    journal: Iterable[dict[str, Any]], done: Container[Key]
) -> dict[Key, dict[str, Any]]:
    """The rows of a journal that are in no part yet; of several for one sample, the last one."""
    rows = {(row["sample"], row["repeat"]): upgrade_row(row) for row in journal}
    return {key: row for key, row in rows.items() if key not in done}


def read_manifest(address: str | Path) -> Manifest:
    """Read the manifest of a run.

    Raises:
        InputError: There is no run at this location.
    """
    location = open_location(address)
    manifest = find_manifest(location)
    if manifest is None:
        raise InputError(
            f"{address} is not a run: it has no {FILE}; create runs with worldline bench, or "
            "worldline diagnose FILE -o RUN"
        )
    return manifest


def is_run(address: str | Path) -> bool:
    """Whether there is a run at a path or address."""
    if "://" in str(address):
        return open_location(address).read(FILE) is not None
    return Path(os.path.expanduser(address), FILE).is_file()


def read_run(address: str | Path, *, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Read the rows of a run, which may be in progress.

    Args:
        address: The location of the run.
        columns: The columns to read, in addition to `sample` and `repeat`; by default all.

    Returns:
        The rows; those that are in no part yet are last.
    """
    read_manifest(address)
    location = open_location(address)
    # The journal is read first: a row that moves to a part meanwhile is seen twice, not missed.
    journal = read_journal(location.journal)
    requested = None if columns is None else with_old_names((*columns, "sample", "repeat"))
    rows = [upgrade_row(row) for row in read_parts(location, columns=requested)]
    done = {(row["sample"], row["repeat"]) for row in rows}
    return rows + list(rows_without_part(journal, done).values())


def read_scored_samples(address: str | Path) -> list[ScoredSample]:
    """Read the scored samples of a run, which may be in progress."""
    read_manifest(address)
    location = open_location(address)
    # As in `read_run`, the journal is read first.
    journal = read_journal(location.journal)
    samples: list[ScoredSample] = []
    for columns in read_part_columns(
        location,
        part_files(location),
        with_old_names(SCORED_SAMPLE_COLUMNS),
        joined=["program_kinds"],
    ):
        samples += columns_to_scored_samples(upgrade_columns(columns))
    done = {(sample.sample, sample.repeat) for sample in samples} if journal else ()
    return samples + [
        row_to_scored_sample(row) for row in rows_without_part(journal, done).values()
    ]


def read_run_texts(
    address: str | Path, columns: Sequence[str]
) -> Iterator[tuple[list[str], TextBlock]]:
    """Read texts of a run for a search, some samples at a time.

    Args:
        address: The location of the run.
        columns: The columns of text; those of a sample are one text.

    Returns:
        The names of the samples, and their texts. A sample that moves to a part meanwhile is
        there twice.
    """
    location = open_location(address)
    journal = read_journal(location.journal)
    texts = with_old_names(columns)
    for keys, block in read_text_blocks(
        location, part_files(location), ("sample", "repeat"), texts
    ):
        yield list(map(repeat_id, keys["sample"], keys["repeat"])), block
    rows = rows_without_part(journal, ()).values()
    if rows:
        names = [repeat_id(row["sample"], row["repeat"]) for row in rows]
        yield (
            names,
            make_text_block("\n".join(row.get(name) or "" for name in columns) for row in rows),
        )


def read_answers(address: str | Path) -> list[tuple[str, str | None, Verdict]]:
    """Read the question, the answer and the verdict of each sample of a run."""
    rows = read_run(address, columns=("answer", "verdict"))
    return [(row["sample"], row.get("answer"), row["verdict"]) for row in rows]


def read_expected_answers(address: str | Path) -> list[tuple[str, str | None, str | None]]:
    """Read the question, the answer and the expected value of each sample of a run."""
    rows = read_run(address, columns=("answer", "expected"))
    return [(row["sample"], row.get("answer"), row.get("expected")) for row in rows]


def read_predictions(address: str | Path) -> Iterator[Prediction]:
    """Read the predictions of a run, in the order in which they were stored."""
    columns = [column.name for column in COLUMNS if column.name != "trace"]
    for number, row in enumerate(read_run(address, columns=columns), 1):
        yield row_to_prediction(row, f"row {number} of {address}")


class StoredPredictions:
    """The predictions, verdicts and traces of a run by name; at most one part is in memory."""

    def __init__(self, address: str | Path) -> None:
        read_manifest(address)
        self._address, self._location = address, open_location(address)
        journal = read_journal(self._location.journal)
        # The part of a sample, and its number in it.
        self._places: dict[str, tuple[str, int]] = {}
        done: set[Key] = set()
        files = part_files(self._location)
        for file, keys in zip(
            files, read_part_columns(self._location, files, ("sample", "repeat")), strict=True
        ):
            names = map(repeat_id, keys["sample"], keys["repeat"])
            self._places.update((name, (file, number)) for number, name in enumerate(names))
            if journal:
                done.update(zip(keys["sample"], keys["repeat"], strict=True))
        self._open_rows = _rows_by_name(rows_without_part(journal, done).values())
        self._part: tuple[str, PartRows] | None = None
        self._last: tuple[str, dict[str, Any]] = ("", {})

    def __iter__(self) -> Iterator[str]:
        return iter((*self._places, *self._open_rows))

    def __contains__(self, name: str) -> bool:
        return name in self._places or name in self._open_rows

    def __getitem__(self, name: str) -> Prediction:
        return row_to_prediction(self._row(name), self._location_of(name))

    def scored_sample(self, name: str) -> ScoredSample:
        """The verdict on a sample."""
        return row_to_scored_sample(self._row(name))

    def actual_trace(self, name: str) -> Trace | None:
        """The stored trace of a sample's program; None if it is not stored."""
        text = self._row(name).get("trace")
        if text is None:
            return None
        return decode_trace(text, self[name].program, self._location_of(name))

    def possibility(self, name: str) -> KnownPossibility | None:
        """Whether a sample is possible, as it was stored; None if its program has no choices."""
        row = self._row(name)
        outcome = row.get("possibility")
        return None if outcome is None else (outcome, row.get("possibility_reason") or "")

    def recorder_of(self, name: str, otherwise: Recorder, *, steps: int | None = None) -> Recorder:
        """A recorder of a sample's program that executes it only if its trace is not stored.

        Args:
            name: The name of the sample.
            otherwise: Executes the program.
            steps: The limit on steps, if the trace has to be as long as that allows. Without it,
                the steps that are compared with the prediction are enough.
        """
        trace = self.actual_trace(name)
        if trace is None or (steps is not None and trace.limits.steps != steps):
            return otherwise
        return StoredTraceRecorder([trace])

    def _location_of(self, name: str) -> str:
        return f"{name} in {self._address}"

    def _row(self, name: str) -> dict[str, Any]:
        if name not in self._places:
            return self._open_rows[name]
        if name != self._last[0]:
            file, number = self._places[name]
            if self._part is None or file != self._part[0]:
                self._part = file, PartRows(self._location, file)
            self._last = name, upgrade_row(self._part[1][number])
        return self._last[1]


def _rows_by_name(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {repeat_id(row["sample"], row["repeat"]): row for row in rows}


def read_scores(address: str | Path) -> Iterator[tuple[str, tuple[StepScore, ...]]]:
    """Read the step scores of every sample that was predicted in `score` mode, with its name."""
    for row in read_run(address, columns=["scores"]):
        # A row of the journal contains only columns with a value.
        scores = json.loads(row.get("scores") or "[]")
        if scores:
            yield row["sample"], tuple(StepScore(**score) for score in scores)


def read_run_table(address: str | Path) -> Any:
    """Read every column of a run's samples into one Arrow table."""
    return rows_to_arrow(COLUMNS, read_run(address))


def query_runs(addresses: Sequence[str | Path], sql: str) -> QueryResult:
    """Query runs with SQL; the view `samples` contains the rows of all runs.

    query_runs(["runs/a"], "select outcome, count(*) from samples group by all").rows

    Args:
        addresses: The locations of the runs.
        sql: A query in DuckDB's dialect.
    """
    sources = []
    for address in addresses:
        manifest, location = read_manifest(address), open_location(address)
        journal, files = read_journal(location.journal), part_files(location)
        rows: list[dict[str, Any]] = []
        if journal:
            keys = read_parts(location, files, columns=["sample", "repeat"])
            done = {(row["sample"], row["repeat"]) for row in keys}
            rows = list(rows_without_part(journal, done).values())
        sources.append(QuerySource(location, files, rows, manifest.facets))
    return query(sql, sources, COLUMNS, legacy_names=RENAMING)
