"""A run that was made, or is being made, is read: its manifest, its rows, and answers to SQL."""

import json
import os
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.predict import Prediction, StepScore, repeat_id
from worldline.runs.columns import COLUMNS
from worldline.runs.judged import Judged
from worldline.runs.manifest import FILE, Manifest, manifest_from_json
from worldline.runs.rows import JUDGED_COLUMNS, row_to_judged, row_to_prediction
from worldline.store import (
    Place,
    QueryResult,
    Source,
    part_files,
    place_of,
    query,
    read_journal,
    read_parts,
)

# A row is known by its sample's name and the number of its repeat.
Key = tuple[str, int]


def find_manifest(place: Place) -> Manifest | None:
    """The manifest of a run; none where there is no run."""
    data = place.read(FILE)
    return None if data is None else manifest_from_json(data, place.address)


def still_open(
    journal: Iterable[dict[str, Any]], done: Container[Key]
) -> dict[Key, dict[str, Any]]:
    """The journal's rows that are in no part; the last one of a sample counts."""
    rows = {(row["sample"], row["repeat"]): row for row in journal}
    return {key: row for key, row in rows.items() if key not in done}


def read_manifest(address: str | Path) -> Manifest:
    """The manifest of a run."""
    place = place_of(address)
    found = find_manifest(place)
    if found is None:
        raise InputError(
            f"{address} is no run: it has no {FILE}; runs are made by worldline bench, or "
            "worldline diagnose FILE -o RUN"
        )
    return found


def is_run(address: str | Path) -> bool:
    """Whether a path or an address is that of a run."""
    if "://" in str(address):
        return place_of(address).read(FILE) is not None
    return Path(os.path.expanduser(address), FILE).is_file()


def read_run(address: str | Path, *, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """The rows of a run, or some columns of them, those in no part yet last. It may be running."""
    read_manifest(address)
    place = place_of(address)
    # The journal first: a row that moves to a part in between is then seen twice, not never.
    journal = read_journal(place.journal)
    wanted = None if columns is None else list({*columns, "sample", "repeat"})
    rows = read_parts(place, columns=wanted)
    done = {(row["sample"], row["repeat"]) for row in rows}
    return rows + list(still_open(journal, done).values())


def read_judged(address: str | Path) -> list[Judged]:
    """What is counted and compared of a run's samples."""
    return [row_to_judged(row) for row in read_run(address, columns=JUDGED_COLUMNS)]


def read_predictions(address: str | Path) -> Iterator[Prediction]:
    """The predictions in a run, in the order in which they were made."""
    for number, row in enumerate(read_run(address), 1):
        yield row_to_prediction(row, f"row {number} of {address}")


class StoredPredictions:
    """The predictions of a run by their names, each read when it is asked for: of the parts, one is
    in memory at a time."""

    def __init__(self, address: str | Path) -> None:
        read_manifest(address)
        self._address, self._place = address, place_of(address)
        journal = read_journal(self._place.journal)
        self._part_of: dict[str, str] = {}
        done = set()
        for file in part_files(self._place):
            for row in read_parts(self._place, [file], columns=["sample", "repeat"]):
                self._part_of[repeat_id(row["sample"], row["repeat"])] = file
                done.add((row["sample"], row["repeat"]))
        self._open = _by_name(still_open(journal, done).values())
        self._read: tuple[str, dict[str, dict[str, Any]]] = ("", {})

    def __contains__(self, name: str) -> bool:
        return name in self._part_of or name in self._open

    def __getitem__(self, name: str) -> Prediction:
        rows, part = self._open, self._part_of.get(name)
        if part is not None:
            if part != self._read[0]:
                self._read = (part, _by_name(read_parts(self._place, [part])))
            rows = self._read[1]
        return row_to_prediction(rows[name], f"{name} in {self._address}")


def _by_name(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {repeat_id(row["sample"], row["repeat"]): row for row in rows}


def read_scores(address: str | Path) -> Iterator[tuple[str, tuple[StepScore, ...]]]:
    """The scores of every step of each sample, by its name, where the mode was `score`."""
    for row in read_run(address, columns=["scores"]):
        # A row of the journal has only what there is.
        scores = json.loads(row.get("scores") or "[]")
        if scores:
            yield row["sample"], tuple(StepScore(**score) for score in scores)


def query_runs(addresses: Sequence[str | Path], sql: str) -> QueryResult:
    """Ask runs in SQL: the view `samples` has the rows of all of them.

    query_runs(["runs/a"], "select outcome, count(*) from samples group by all").rows
    """
    sources = []
    for address in addresses:
        manifest, place = read_manifest(address), place_of(address)
        journal, files = read_journal(place.journal), part_files(place)
        rows: list[dict[str, Any]] = []
        if journal:
            keys = read_parts(place, files, columns=["sample", "repeat"])
            done = {(row["sample"], row["repeat"]) for row in keys}
            rows = list(still_open(journal, done).values())
        sources.append(Source(place, files, rows, manifest.facets))
    return query(sql, sources, COLUMNS)
