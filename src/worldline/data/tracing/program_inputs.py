"""Streaming reader of program files of any size.

A `.jsonl` or `.jsonl.gz` file with a program per line, a `.parquet` file with a program per row, or
a folder of these (without its subfolders); local or in a remote store. The fields are described in
`worldline.models.prediction.question_reader`.
"""

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.trace import DEFAULT_LANGUAGE
from worldline.evaluation.store import column_names, count_rows, iterate_parts, open_location
from worldline.models.prediction import parse_json_line

_FIELDS = (
    "id", "code", "call", "input", "output", "context", "stdin", "language", "expected", "facets",
)  # fmt: skip
_SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

# Source of a row ("line 3 of a.jsonl"), its fields, and the error if it cannot be parsed.
InputRow = tuple[str, dict[str, Any] | None, str]


class ProgramInputs:
    """Rows of all files at an address, in the order of the files' names.

    `size` is the size of the files in bytes.
    """

    def __init__(self, address: str | Path) -> None:
        self._location = open_location(address)
        self._files = self._list_files()
        self.size = sum(size for _, size in self._files)
        self._bytes_before = self._bytes_in_file = 0.0

    @property
    def fraction_read(self) -> float:
        """Fraction of the input that was read, from 0 to 1."""
        read = self._bytes_before + self._bytes_in_file
        return read / self.size if self.size else 1.0

    def __iter__(self) -> Iterator[InputRow]:
        self._bytes_before = self._bytes_in_file = 0.0
        for path, size in self._files:
            if path.endswith(".parquet"):
                yield from self._parquet_rows(path, size)
            else:
                yield from self._json_rows(path)
            self._bytes_before, self._bytes_in_file = self._bytes_before + size, 0.0

    def _list_files(self) -> list[tuple[str, int]]:
        """Paths of the files, with their sizes in bytes."""
        location = self._location
        try:
            info = location.filesystem.get_file_info(location.path)
        except OSError as error:
            raise InputError(f"cannot read {location.address}: {error}") from error
        if info.is_file:
            if not location.path.endswith(_SUFFIXES):
                raise InputError(
                    f"{location.address} is not a file of programs; {_supported_files()}"
                )
            return [(location.path, info.size)]
        files = {
            path: size for suffix in _SUFFIXES for path, size in location.sizes("", suffix).items()
        }
        if not files:
            missing = "there is no file or folder" if info.type.value == 0 else "no programs in"
            raise InputError(f"{missing} {location.address}; {_supported_files()}")
        return sorted(files.items())

    def _json_rows(self, path: str) -> Iterator[InputRow]:
        name = path.rpartition("/")[2]
        try:
            with self._location.filesystem.open_input_file(path) as file:
                raw = io.BufferedReader(file, 1 << 20)
                lines = gzip.GzipFile(fileobj=raw) if path.endswith(".gz") else raw
                for number, line in enumerate(lines, 1):
                    self._bytes_in_file = raw.tell()
                    if line := line.removeprefix(_BYTE_ORDER_MARK).strip():
                        yield _parse_line(line, f"line {number} of {name}")
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"cannot read {path}: {error}") from error

    def _parquet_rows(self, path: str, size: int) -> Iterator[InputRow]:
        name = path.rpartition("/")[2]
        available = set(column_names(self._location, path))
        row_count = count_rows(self._location, [path])
        columns = [field for field in _FIELDS if field in available]
        for number, row in enumerate(iterate_parts(self._location, [path], columns=columns), 1):
            self._bytes_in_file = size * number / row_count
            # A null is a field that the row does not have.
            fields = {field: value for field, value in row.items() if value is not None}
            source = f"row {number} of {name}"
            try:
                if isinstance(facets := fields.get("facets"), str):
                    fields["facets"] = json.loads(facets)
                fields = _normalize(fields, source)
                if not all(isinstance(value, str) for value in fields.values()):
                    # Bytes, dates and similar types are not allowed.
                    json.dumps(fields)
            except (ValueError, TypeError) as error:
                yield source, None, f"{source}: it has a field that is not JSON ({error})"
            else:
                yield source, fields, ""


def _parse_line(line: bytes, source: str) -> InputRow:
    try:
        row = parse_json_line(line, source)
    except InputError as error:
        return source, None, str(error)
    fields = {field: row[field] for field in _FIELDS if field in row}
    return source, _normalize(fields, source), ""


def _normalize(fields: dict[str, Any], source: str) -> dict[str, Any]:
    """Make the id a text, by default the row's source, and drop the default language."""
    id = fields.get("id")
    if fields.get("language") == DEFAULT_LANGUAGE:
        # Stated or not, it is the same program, in a shard of the same name.
        fields = {name: value for name, value in fields.items() if name != "language"}
    return {**fields, "id": source if id is None else str(id) if isinstance(id, int) else id}


def _supported_files() -> str:
    return (
        "give a .jsonl, .jsonl.gz or .parquet file with the code and call of each program, or a "
        "folder of such files"
    )
