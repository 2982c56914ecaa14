"""Writer of runs: a manifest, Parquet parts, and a journal of the rows that are in no part yet."""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.util.files import temporary_path
from worldline.evaluation.runs.manifest import (
    FILE,
    Manifest,
    check_resumable,
    describe_session,
    manifest_to_json,
    merge_for_resume,
)
from worldline.evaluation.runs.run_columns import COLUMNS
from worldline.evaluation.runs.run_reader import find_manifest, rows_without_part
from worldline.evaluation.store import (
    Journal,
    Lock,
    StoreLocation,
    check_row,
    escape_surrogates,
    find_foreign_files,
    open_location,
    part_files,
    read_journal,
    read_parts,
    write_part,
)
from worldline.models.prediction import Question

_QUESTION_COLUMNS = ("program", "expected", "facets")
# Rows per part: few enough to read the journal quickly on resume, enough for a Parquet file.
PART_ROWS = 500


class RunWriter:
    """A run that is being written.

    A row is safe as soon as it is added. Samples with an infrastructure error are stored, too,
    until they are predicted again. A process killed at any moment leaves a run that is resumed by
    opening it again: every row is in a part or in the journal; if it is in both, the part counts.

    Args:
        address: The location of the run.
        restart: Delete the run and begin again.

    Raises:
        InputError: The location is a file, or a folder with foreign files.
    """

    def __init__(self, address: str | Path, *, restart: bool = False) -> None:
        self.location = open_location(address)
        _check_not_a_file(self.location)
        self._is_new = not self.location.is_remote and not Path(self.location.path).exists()
        self._lock = Lock(self.location.journal)
        try:
            if restart:
                _delete_run(self.location)
            self.manifest = find_manifest(self.location)
            if self.manifest is None and not restart:
                _check_no_foreign_files(self.location)
            self._done = {
                (row["sample"], row["repeat"]): _question_of(row)
                for row in read_parts(
                    self.location, columns=["sample", "repeat", *_QUESTION_COLUMNS]
                )
            }
            # Without a manifest, a journal on this machine belongs to a deleted run.
            journal = read_journal(self.location.journal) if self.manifest else []
            self._open_rows = rows_without_part(journal, self._done)
        except BaseException:
            self._lock.release()
            raise
        self._journal = Journal(self.location.journal)
        answered = {
            key: _question_of(row) for key, row in self._open_rows.items() if _is_answer(row)
        }
        self._done |= answered
        self._n_unsealed = len(answered)

    def begin(self, manifest: Manifest) -> None:
        """Write the manifest, before the first row is added.

        Raises:
            InputError: The run was begun with different settings.
        """
        if self.manifest is not None:
            check_resumable(self.manifest, manifest, self.location.address)
            manifest = merge_for_resume(self.manifest, manifest)
        self.manifest = replace(manifest, sessions=(*manifest.sessions, describe_session()))
        self.location.write(FILE, manifest_to_json(self.manifest))
        # Removes the incomplete line that a killed process may have left.
        self._journal.replace(self._open_rows.values())

    def expect(self, manifest: Manifest) -> None:
        """Raise the errors of `begin` before the model's name is known.

        Raises:
            InputError: The run was begun with different settings.
        """
        if self.manifest is not None:
            expected = replace(manifest, model=self.manifest.model)
            check_resumable(self.manifest, expected, self.location.address)

    def has(self, question: Question, repeat: int) -> bool:
        """Whether the run contains an answer to a question.

        Raises:
            InputError: It contains a question of the same name with a different program, expected
                value or facets.
        """
        known = self._done.get((escape_surrogates(question.id), repeat))
        if known is None:
            return False
        program, expected, facets = known
        conflict, new_facets = None, dict(question.facets)
        if program != question.program.hash:
            conflict = f"{question.id!r} with a different program"
        elif question.expected is not None and expected != escape_surrogates(question.expected):
            conflict = (
                f"{question.id!r} with the expected value {expected}, not {question.expected}"
            )
        elif facets is not None and json.loads(facets) != new_facets:
            conflict = f"{question.id!r} with the facets {facets}, not {json.dumps(new_facets)}"
        if conflict is not None:
            raise InputError(
                f"{self.location.address} holds {conflict}; choose a different run with -o, or "
                "start over with --restart"
            )
        return True

    def add(self, row: dict[str, Any]) -> None:
        """Append a row to the journal; from then on it is safe."""
        key = (row["sample"], row["repeat"])
        assert key not in self._done, f"{key} is in the run already"
        check_row(COLUMNS, row)
        self._journal.append(row)
        self._open_rows[key] = row
        if _is_answer(row):
            self._done[key] = _question_of(row)
            self._n_unsealed += 1
            if self._n_unsealed >= PART_ROWS:
                self._seal()

    def _seal(self) -> None:
        """Write the answers in the journal to a part; infrastructure errors stay in the journal."""
        answers = [row for row in self._open_rows.values() if _is_answer(row)]
        if answers:
            write_part(self.location, COLUMNS, answers)
        self._open_rows = {key: row for key, row in self._open_rows.items() if not _is_answer(row)}
        self._journal.replace(self._open_rows.values())
        self._n_unsealed = 0

    def close(self) -> None:
        """Write the journal's answers to a part, and release the lock."""
        try:
            if self.manifest is not None and self._n_unsealed:
                self._seal()
        finally:
            self._journal.close()
            self._lock.release()
            if self._is_new and self.manifest is None:
                # The run was never begun, e.g. because the engine cannot be reached.
                with suppress(OSError):
                    Path(self.location.path).rmdir()

    def __enter__(self) -> "RunWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _question_of(row: dict[str, Any]) -> tuple[str, str | None, str | None]:
    """The program, expected value and facets of a row, which a question must match."""
    expected = row.get("expected")
    return (
        row["program"],
        None if expected is None else escape_surrogates(expected),
        row.get("facets"),
    )


def _is_answer(row: dict[str, Any]) -> bool:
    """Whether the sample has an output; if not, it is predicted again."""
    return bool(row["finish"] != "infra_error")


def _check_not_a_file(location: StoreLocation) -> None:
    if not location.is_remote and Path(location.path).is_file():
        raise InputError(f"{location.address} is a file; choose a folder for the run with -o")


def _check_no_foreign_files(location: StoreLocation) -> None:
    """Raise an error if a folder contains files that do not belong to a run."""
    if part_files(location):
        raise InputError(
            f"{location.address} holds samples and no {FILE} that describes them; choose a "
            "different folder with -o"
        )
    foreign_files = find_foreign_files(location, FILE)
    if foreign_files:
        raise InputError(
            f"{location.address} holds {foreign_files[0]!r} and is not a run; choose a different "
            "folder with -o"
        )


def _delete_run(location: StoreLocation) -> None:
    """Delete a run's own files, and nothing else.

    The manifest is deleted last, so that a killed process leaves a run.
    """
    if find_manifest(location) is None:
        _check_no_foreign_files(location)
    for path in part_files(location):
        location.remove(path)
    for file in (location.journal, temporary_path(location.journal)):
        file.unlink(missing_ok=True)
    if location.read(FILE) is not None:
        location.remove(f"{location.path}/{FILE}")
