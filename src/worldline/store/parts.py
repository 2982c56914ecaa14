"""Rows go in and Parquet files come out, and the other way round."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.store.columns import Column, arrow_schema, require_arrow
from worldline.store.place import Place

PARTS_FOLDER = "parts"
ROW_GROUP = 500
# Characters in the texts of a group: of huge rows there are fewer in one.
_GROUP_CHARS = 20_000_000
COMPRESSION = {"compression": "zstd", "compression_level": 3}
# Rows that are read at once where one is wanted after the other.
_BATCH = 100


def write_part(
    place: Place,
    columns: Sequence[Column],
    rows: Sequence[dict[str, Any]],
    *,
    name: str | None = None,
) -> None:
    """Put rows into a new part: one of that name, or the next one."""
    if name is None:
        digest = hashlib.sha256(json.dumps(rows, default=str).encode()).hexdigest()[:8]
        name = f"{len(part_files(place)) + 1:06d}-{digest}"
    place.write(f"{PARTS_FOLDER}/{name}.parquet", parquet_bytes(columns, rows))


def parquet_bytes(
    columns: Sequence[Column],
    rows: Sequence[dict[str, Any]],
    *,
    about: Mapping[str, str] | None = None,
) -> bytes:
    """Rows as a Parquet file, which may say something about itself."""
    pa = require_arrow()
    sink = pa.BufferOutputStream()
    table = rows_to_arrow(columns, rows)
    pa.parquet.write_table(
        table.replace_schema_metadata(about) if about else table,
        sink,
        row_group_size=ROW_GROUP,
        **COMPRESSION,
    )
    data: bytes = sink.getvalue().to_pybytes()
    return data


class PartBuilder:
    """Makes one Parquet file of rows that come one after the other; what is large is packed soon,
    so that not all of it is in memory as rows."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._pa = require_arrow()
        self._sink = self._pa.BufferOutputStream()
        self._writer: Any = None
        self._rows: list[dict[str, Any]] = []
        self._chars = 0

    def add(self, row: dict[str, Any]) -> None:
        """One more row."""
        self._rows.append(row)
        self._chars += sum(map(_chars, row.values()))
        if len(self._rows) == ROW_GROUP or self._chars > _GROUP_CHARS:
            self._pack()

    def finish(self) -> bytes | None:
        """The file; none where there was no row."""
        self._pack()
        if self._writer is None:
            return None
        self._writer.close()
        data: bytes = self._sink.getvalue().to_pybytes()
        return data

    def _pack(self) -> None:
        if not self._rows:
            return
        table = rows_to_arrow(self._columns, self._rows)
        if self._writer is None:
            self._writer = self._pa.parquet.ParquetWriter(self._sink, table.schema, **COMPRESSION)
        self._writer.write_table(table)
        self._rows, self._chars = [], 0


def _chars(value: Any) -> int:
    """About how much room a value takes."""
    if isinstance(value, list):
        return 8 * len(value) + sum(len(item) for item in value if isinstance(item, str))
    return len(value) if isinstance(value, str) else 8


def rows_to_arrow(columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> Any:
    """Rows as an Arrow table; what a row does not have is missing in it."""
    pa = require_arrow()
    data = {
        column.name: [_stored(row.get(column.name), column) for row in rows] for column in columns
    }
    return pa.table(data, schema=arrow_schema(columns))


def _stored(value: Any, column: Column) -> Any:
    if value is None:
        return None
    match column.kind:
        case "text":
            return as_stored(value)
        case "texts":
            return [None if text is None else as_stored(text) for text in value]
        case "time" if isinstance(value, float):
            return int(value * 1000)
    return value


def as_stored(text: str) -> str:
    """A text as a Parquet file holds it: half a surrogate pair is no character, and spelled out.

    "a\\ud800" -> "a\\\\ud800"
    """
    return text.encode("utf-8", "backslashreplace").decode()


def check_row(columns: Sequence[Column], row: dict[str, Any]) -> None:
    """Refuse a row with a number that no part could hold, while it can still be said of which."""
    for column in columns:
        value = row.get(column.name)
        if column.kind == "int" and value is not None:
            is_fitting = -(2**63) <= value < 2**63
        elif column.kind == "ints" and value:
            is_fitting = -(2**31) <= min(value) <= max(value) < 2**31
        else:
            continue
        if not is_fitting:
            name = row.get("sample", row.get("id"))
            raise InputError(f"{name}: its {column.name} is too large a number to be stored")


def part_files(place: Place) -> list[str]:
    """The paths of all parts, in the order in which they were written."""
    return place.files(PARTS_FOLDER, ".parquet")


def part_sizes(place: Place) -> dict[str, int]:
    """How many bytes each part has, by its name without folder and ending."""
    return {Path(path).stem: size for path, size in place.sizes(PARTS_FOLDER, ".parquet").items()}


def column_names(place: Place, path: str) -> list[str]:
    """The columns of one part."""
    pa = require_arrow()
    try:
        with place.filesystem.open_input_file(path) as file:
            names: list[str] = pa.parquet.read_schema(file).names
            return names
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"cannot read {path}: {error}") from error


def read_parts(
    place: Place, files: Sequence[str] | None = None, *, columns: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """The rows of all parts, or of some, or some columns of them."""
    pa = require_arrow()
    rows: list[dict[str, Any]] = []
    for path in part_files(place) if files is None else files:
        try:
            with place.filesystem.open_input_file(path) as file:
                table = pa.parquet.ParquetFile(file).read(columns=columns)
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"cannot read {path}: {error}") from error
        rows += table.to_pylist()
    return rows


def iterate_parts(
    place: Place, files: Sequence[str] | None = None, *, columns: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """The same, one row after the other; a few of them are in memory at a time."""
    pa = require_arrow()
    for path in part_files(place) if files is None else files:
        try:
            with place.filesystem.open_input_file(path) as file:
                parquet = pa.parquet.ParquetFile(file)
                for batch in parquet.iter_batches(batch_size=_BATCH, columns=columns):
                    yield from batch.to_pylist()
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"cannot read {path}: {error}") from error


def count_rows(place: Place, files: Sequence[str]) -> int:
    """How many rows parts hold, from what they say of themselves."""
    pa = require_arrow()
    count = 0
    for path in files:
        try:
            with place.filesystem.open_input_file(path) as file:
                count += pa.parquet.read_metadata(file).num_rows
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"cannot read {path}: {error}") from error
    return count
