"""Files of programs go in, however large; their rows come out one after the other.

A `.jsonl` or `.jsonl.gz` with a program a line, a `.parquet` with a program a row, or a folder of
these (not of folders within it); here or in a remote store. The fields are those that
`worldline.predict.questions` describes.
"""

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.predict import row_from_line
from worldline.store import column_names, count_rows, iterate_parts, place_of

_FIELDS = ("id", "code", "call", "input", "output", "context", "stdin", "expected", "facets")
_ENDINGS = (".jsonl", ".jsonl.gz", ".parquet")
_MARK = b"\xef\xbb\xbf"

# A row, and where it is; or why it is none.
Given = tuple[str, dict[str, Any] | None, str]


class Inputs:
    """The rows of all files, in the order of their names; `share` of them have been read."""

    def __init__(self, address: str | Path) -> None:
        self._place = place_of(address)
        self._files = self._found()
        self.size = sum(size for _, size in self._files)
        self._before = self._now = 0.0

    @property
    def share(self) -> float:
        """How much was read, from 0 to 1."""
        return (self._before + self._now) / self.size if self.size else 1.0

    def __iter__(self) -> Iterator[Given]:
        self._before = self._now = 0.0
        for path, size in self._files:
            yield from self._parquet(path, size) if path.endswith(".parquet") else self._lines(path)
            self._before, self._now = self._before + size, 0.0

    def _found(self) -> list[tuple[str, int]]:
        """The files, with their sizes in bytes."""
        place = self._place
        try:
            info = place.filesystem.get_file_info(place.path)
        except OSError as error:
            raise InputError(f"cannot read {place.address}: {error}") from error
        if info.is_file:
            if not place.path.endswith(_ENDINGS):
                raise InputError(f"{place.address} is no file of programs; {_wanted()}")
            return [(place.path, info.size)]
        files = {
            path: size for ending in _ENDINGS for path, size in place.sizes("", ending).items()
        }
        if not files:
            missing = "there is no file or folder" if info.type.value == 0 else "no programs in"
            raise InputError(f"{missing} {place.address}; {_wanted()}")
        return sorted(files.items())

    def _lines(self, path: str) -> Iterator[Given]:
        name = path.rpartition("/")[2]
        try:
            with self._place.filesystem.open_input_file(path) as file:
                raw = io.BufferedReader(file, 1 << 20)
                lines = gzip.GzipFile(fileobj=raw) if path.endswith(".gz") else raw
                for number, line in enumerate(lines, 1):
                    self._now = raw.tell()
                    if line := line.removeprefix(_MARK).strip():
                        yield _row(line, f"line {number} of {name}")
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"cannot read {path}: {error}") from error

    def _parquet(self, path: str, size: int) -> Iterator[Given]:
        name = path.rpartition("/")[2]
        there = set(column_names(self._place, path))
        rows = count_rows(self._place, [path])
        columns = [field for field in _FIELDS if field in there]
        for number, row in enumerate(iterate_parts(self._place, [path], columns=columns), 1):
            self._now = size * number / rows
            # A column that a row has nothing in is a field that it does not have.
            given = {field: value for field, value in row.items() if value is not None}
            place = f"row {number} of {name}"
            try:
                if isinstance(facets := given.get("facets"), str):
                    given["facets"] = json.loads(facets)
                named = _named(given, place)
                if not all(isinstance(value, str) for value in named.values()):
                    # Bytes, dates and the like have no place in a row.
                    json.dumps(named)
            except (ValueError, TypeError) as error:
                yield place, None, f"{place}: it has a field that is not JSON ({error})"
            else:
                yield place, named, ""


def _row(line: bytes, place: str) -> Given:
    try:
        row = row_from_line(line, place)
    except InputError as error:
        return place, None, str(error)
    return place, _named({field: row[field] for field in _FIELDS if field in row}, place), ""


def _named(fields: dict[str, Any], place: str) -> dict[str, Any]:
    """The same with a name, which is text: its place, where it has none."""
    id = fields.get("id")
    return {**fields, "id": place if id is None else str(id) if isinstance(id, int) else id}


def _wanted() -> str:
    return (
        "give a .jsonl, .jsonl.gz or .parquet with code and call a program, or a folder of "
        "such files"
    )
