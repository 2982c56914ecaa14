"""Parquet parts of a store: rows are written as files, and read back."""

import hashlib
import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.evaluation.store.columns import Column, arrow_schema, require_arrow
from worldline.evaluation.store.location import PARTS_FOLDER, StoreLocation

ROW_GROUP = 500
# Characters in a row group; a group of huge rows has fewer rows.
_GROUP_CHARS = 20_000_000
COMPRESSION = {"compression": "zstd", "compression_level": 3}
_NUMBER_LISTS = ("ints", "floats", "flags")
# Rows in memory while a part is read row by row.
_BATCH = 100


def write_part(
    location: StoreLocation,
    columns: Sequence[Column],
    rows: Sequence[dict[str, Any]],
    *,
    name: str | None = None,
) -> None:
    """Write rows into a new part, by default with the next number as its name."""
    if name is None:
        digest = hashlib.sha256(json.dumps(rows, default=str).encode()).hexdigest()[:8]
        name = f"{len(part_files(location)) + 1:06d}-{digest}"
    location.write(f"{PARTS_FOLDER}/{name}.parquet", parquet_bytes(columns, rows))


def parquet_bytes(
    columns: Sequence[Column],
    rows: Sequence[dict[str, Any]],
    *,
    metadata: Mapping[str, str] | None = None,
) -> bytes:
    """Encode rows as a Parquet file, with optional metadata in its schema."""
    pa = require_arrow()
    sink = pa.BufferOutputStream()
    table = rows_to_arrow(columns, rows)
    pa.parquet.write_table(
        table.replace_schema_metadata(metadata) if metadata else table,
        sink,
        row_group_size=ROW_GROUP,
        **COMPRESSION,
    )
    data: bytes = sink.getvalue().to_pybytes()
    return data


class PartBuilder:
    """Incremental writer of one Parquet file.

    Rows are compressed a row group at a time, so that only one group is in memory as rows.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._texts = [column.name for column in columns if column.type == "text"]
        self._text_lists = [column.name for column in columns if column.type == "texts"]
        self._lists = [column.name for column in columns if column.type in _NUMBER_LISTS]
        self._n_others = len(columns) - sum(map(len, (self._texts, self._text_lists, self._lists)))
        self._pa = require_arrow()
        self._sink = self._pa.BufferOutputStream()
        self._writer: Any = None
        self._rows: list[dict[str, Any]] = []
        self._chars = 0

    def add(self, row: dict[str, Any]) -> None:
        """Add one row."""
        self._rows.append(row)
        self._chars += self._approximate_chars(row)
        if len(self._rows) == ROW_GROUP or self._chars > _GROUP_CHARS:
            self._flush()

    def finish(self) -> bytes | None:
        """Return the file; None if no row was added."""
        self._flush()
        if self._writer is None:
            return None
        self._writer.close()
        data: bytes = self._sink.getvalue().to_pybytes()
        return data

    def _approximate_chars(self, row: dict[str, Any]) -> int:
        """Characters of the texts of a row, and eight for each other value."""
        get, chars = row.get, 8 * self._n_others
        for name in self._texts:
            text = get(name)
            chars += 8 if text is None else len(text)
        for name in self._lists:
            values = get(name)
            chars += 8 if values is None else 8 * len(values)
        for name in self._text_lists:
            texts = get(name)
            chars += 8 if texts is None else 8 * len(texts) + len("".join(filter(None, texts)))
        return chars

    def _flush(self) -> None:
        if not self._rows:
            return
        table = rows_to_arrow(self._columns, self._rows)
        if self._writer is None:
            self._writer = self._pa.parquet.ParquetWriter(self._sink, table.schema, **COMPRESSION)
        self._writer.write_table(table)
        self._rows, self._chars = [], 0


def rows_to_arrow(columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> Any:
    """Convert rows to an Arrow table; a key that a row lacks becomes null."""
    pa = require_arrow()
    data = {
        column.name: _stored_values([row.get(column.name) for row in rows], column)
        for column in columns
    }
    return pa.table(data, schema=arrow_schema(columns))


def _stored_values(values: list[Any], column: Column) -> list[Any]:
    match column.type:
        case "text":
            return _stored_texts(values)
        case "texts":
            return [None if value is None else _stored_texts(value) for value in values]
        case "time":
            return [int(each * 1000) if isinstance(each, float) else each for each in values]
    return values


def _stored_texts(texts: list[str | None]) -> list[str | None]:
    if "".join(filter(None, texts)).isascii():
        return texts
    return [None if text is None else escape_surrogates(text) for text in texts]


def escape_surrogates(text: str) -> str:
    """Escape lone surrogates, which Parquet cannot store.

    "a\\ud800" -> "a\\\\ud800"
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def check_row(columns: Sequence[Column], row: dict[str, Any]) -> None:
    """Raise an InputError that names the row if one of its integers is too large to store."""
    for column in columns:
        if column.type == "int":
            value = row.get(column.name)
            fits = value is None or -(2**63) <= value < 2**63
        elif column.type == "ints":
            value = row.get(column.name)
            fits = not value or _fit_32_bits(value)
        else:
            continue
        if not fits:
            name = row.get("sample", row.get("id"))
            raise InputError(f"{name}: the number in `{column.name}` is too large to store")


def _fit_32_bits(numbers: list[int]) -> bool:
    try:
        array("i", numbers)
    except OverflowError:
        return False
    return True


def part_files(location: StoreLocation) -> list[str]:
    """Paths of all parts, in the order in which they were written."""
    return location.files(PARTS_FOLDER, ".parquet")


def part_sizes(location: StoreLocation) -> dict[str, int]:
    """Size of each part in bytes, by its name without folder and suffix."""
    sizes = location.sizes(PARTS_FOLDER, ".parquet")
    return {Path(path).stem: size for path, size in sizes.items()}


def column_names(location: StoreLocation, path: str) -> list[str]:
    """Names of the columns of one part."""
    pa = require_arrow()
    try:
        with location.filesystem.open_input_file(path) as file:
            names: list[str] = pa.parquet.read_schema(file).names
            return names
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"cannot read {path}: {error}") from error


def read_parts(
    location: StoreLocation,
    files: Sequence[str] | None = None,
    *,
    columns: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """Read the rows of all parts into memory.

    Args:
        location: The store.
        files: Paths of the parts to read; by default all.
        columns: Names of the columns to read; by default all.
    """
    rows: list[dict[str, Any]] = []
    for path in part_files(location) if files is None else files:
        rows += read_part_table(location, path, columns).to_pylist()
    return rows


def read_part_table(location: StoreLocation, path: str, columns: Sequence[str] | None) -> Any:
    """Read one part into an Arrow table, without the columns that it lacks."""
    pa = require_arrow()
    try:
        with location.filesystem.open_input_file(path) as file:
            return pa.parquet.ParquetFile(file).read(columns=columns)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"cannot read {path}: {error}") from error


def iterate_parts(
    location: StoreLocation,
    files: Sequence[str] | None = None,
    *,
    columns: Sequence[str] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows that `read_parts` returns, with only a few of them in memory."""
    pa = require_arrow()
    for path in part_files(location) if files is None else files:
        try:
            with location.filesystem.open_input_file(path) as file:
                parquet = pa.parquet.ParquetFile(file)
                for batch in parquet.iter_batches(batch_size=_BATCH, columns=columns):
                    yield from batch.to_pylist()
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"cannot read {path}: {error}") from error


def count_rows(location: StoreLocation, files: Sequence[str]) -> int:
    """Count the rows of some parts from their metadata."""
    pa = require_arrow()
    count = 0
    for path in files:
        try:
            with location.filesystem.open_input_file(path) as file:
                count += pa.parquet.read_metadata(file).num_rows
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"cannot read {path}: {error}") from error
    return count
