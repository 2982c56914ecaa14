"""A run on disk: a manifest, Parquet parts, and the rows that are in no part yet."""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.predict import Question
from worldline.runs.columns import COLUMNS
from worldline.runs.manifest import (
    FILE,
    Manifest,
    check_same,
    gone_on_with,
    manifest_to_json,
    this_session,
)
from worldline.runs.reading import find_manifest, still_open
from worldline.store import (
    Journal,
    Lock,
    Place,
    as_stored,
    check_row,
    other_files,
    part_files,
    place_of,
    read_journal,
    read_parts,
    unfinished,
    write_part,
)

_ASKED_OF = ("program", "expected", "facets")
# Rows that make a part: few enough to read again at a resume, enough for a file.
PART_ROWS = 500


class Run:
    """A run that is being made. Each row is safe once it is added; samples that the infrastructure
    failed on are kept, too, until they have been asked again.

    A kill at any moment leaves a run that is gone on with by opening it again: rows are in a
    part or in the journal, and where a kill left one in both, the part's counts.
    """

    def __init__(self, address: str | Path, *, is_restarted: bool = False) -> None:
        self.place = place_of(address)
        _refuse_file(self.place)
        self._is_new = not self.place.is_remote and not Path(self.place.path).exists()
        self._lock = Lock(self.place.journal)
        try:
            if is_restarted:
                _clear(self.place)
            self.manifest = find_manifest(self.place)
            if self.manifest is None and not is_restarted:
                _refuse_strangers(self.place)
            self._done = {
                (row["sample"], row["repeat"]): _asked_of(row)
                for row in read_parts(self.place, columns=["sample", "repeat", *_ASKED_OF])
            }
            # Rows that are left on this machine of a run that is gone are not the next one's.
            journal = read_journal(self.place.journal) if self.manifest else []
            self._open = still_open(journal, self._done)
        except BaseException:
            self._lock.let_go()
            raise
        self._journal = Journal(self.place.journal)
        answered = {key: _asked_of(row) for key, row in self._open.items() if _is_answer(row)}
        self._done |= answered
        self._fresh = len(answered)

    def begin(self, manifest: Manifest) -> None:
        """Say what the run is of, before its first row; another one than it was begun as is
        refused."""
        if self.manifest is not None:
            check_same(self.manifest, manifest, self.place.address)
            manifest = gone_on_with(self.manifest, manifest)
        self.manifest = replace(manifest, sessions=(*manifest.sessions, this_session()))
        self.place.write(FILE, manifest_to_json(self.manifest))
        # Without the half of a line that a kill may have left.
        self._journal.replace(self._open.values())

    def expect(self, manifest: Manifest) -> None:
        """Refuse what `begin` would refuse, before the model's name is known."""
        if self.manifest is not None:
            expected = replace(manifest, model=self.manifest.model)
            check_same(self.manifest, expected, self.place.address)

    def has(self, question: Question, repeat: int) -> bool:
        """Whether a question need not be asked; one of the same name about another program, or
        with another value to expect or other facets, is refused."""
        known = self._done.get((as_stored(question.id), repeat))
        if known is None:
            return False
        program, expected, facets = known
        other, now = None, dict(question.facets)
        if program != question.program.hash:
            other = f"another program by the name of {question.id!r}"
        elif question.expected is not None and expected != as_stored(question.expected):
            other = f"{question.id!r} with the expected value {expected}, not {question.expected}"
        elif facets is not None and json.loads(facets) != now:
            other = f"{question.id!r} with the facets {facets}, not {json.dumps(now)}"
        if other is not None:
            raise InputError(
                f"{self.place.address} holds {other}; name another run with -o, or begin it anew "
                "with --restart"
            )
        return True

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row; from here on it is safe."""
        key = (row["sample"], row["repeat"])
        assert key not in self._done, f"{key} is there already"
        check_row(COLUMNS, row)
        self._journal.append(row)
        self._open[key] = row
        if _is_answer(row):
            self._done[key] = _asked_of(row)
            self._fresh += 1
            if self._fresh >= PART_ROWS:
                self._seal()

    def _seal(self) -> None:
        """Make a part of the open rows; what failed stays open, since it is asked again."""
        answers = [row for row in self._open.values() if _is_answer(row)]
        if answers:
            write_part(self.place, COLUMNS, answers)
        self._open = {key: row for key, row in self._open.items() if not _is_answer(row)}
        self._journal.replace(self._open.values())
        self._fresh = 0

    def close(self) -> None:
        """Put what is open into a part, and let others in."""
        try:
            if self.manifest is not None and self._fresh:
                self._seal()
        finally:
            self._journal.close()
            self._lock.let_go()
            if self._is_new and self.manifest is None:
                # It never began: an engine that is not there, or a mistyped command.
                with suppress(OSError):
                    Path(self.place.path).rmdir()

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _asked_of(row: dict[str, Any]) -> tuple[str, str | None, str | None]:
    """What a question of the same name must have in common with a row."""
    expected = row.get("expected")
    return row["program"], None if expected is None else as_stored(expected), row.get("facets")


def _is_answer(row: dict[str, Any]) -> bool:
    """Whether the model answered, in whatever way; else the sample is to be asked again."""
    return bool(row["finish"] != "error")


def _refuse_file(place: Place) -> None:
    if not place.is_remote and Path(place.path).is_file():
        raise InputError(f"{place.address} is a file; name a folder for the run with -o")


def _refuse_strangers(place: Place) -> None:
    """A folder that holds other things does not become a run."""
    if part_files(place):
        raise InputError(
            f"{place.address} holds samples and no {FILE} that says what they are of; name another "
            "folder with -o"
        )
    others = other_files(place, FILE)
    if others:
        raise InputError(
            f"{place.address} holds {others[0]!r} and is no run; name another folder with -o"
        )


def _clear(place: Place) -> None:
    """Take a run's own files away, and nothing else. The manifest goes last: what a kill leaves is
    still a run."""
    if find_manifest(place) is None:
        _refuse_strangers(place)
    for path in part_files(place):
        place.remove(path)
    for left in (place.journal, unfinished(place.journal)):
        left.unlink(missing_ok=True)
    if place.read(FILE) is not None:
        place.remove(f"{place.path}/{FILE}")
