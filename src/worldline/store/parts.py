"""Rows go in and Parquet files come out, and the other way round."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from worldline.errors import InputError
from worldline.store.columns import Column, arrow_schema, require_arrow
from worldline.store.place import Place

FOLDER = "parts"
_ROW_GROUP = 500


def write_part(place: Place, columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> None:
    """Put rows into a new part."""
    pa = require_arrow()
    number = len(part_files(place)) + 1
    digest = hashlib.sha256(json.dumps(rows, default=str).encode()).hexdigest()[:8]
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(
        rows_to_arrow(columns, rows),
        sink,
        compression="zstd",
        compression_level=3,
        row_group_size=_ROW_GROUP,
    )
    place.write(f"{FOLDER}/{number:06d}-{digest}.parquet", sink.getvalue().to_pybytes())


def rows_to_arrow(columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> Any:
    """Rows as an Arrow table; what a row does not have is missing in it."""
    pa = require_arrow()
    data = {
        column.name: [_stored(row.get(column.name), column) for row in rows] for column in columns
    }
    return pa.table(data, schema=arrow_schema(columns))


def _stored(value: Any, column: Column) -> Any:
    if column.kind == "text" and isinstance(value, str):
        # Half a surrogate pair is no character, and no Parquet file holds one.
        return value.encode("utf-8", "backslashreplace").decode()
    if column.kind == "time" and isinstance(value, float):
        return int(value * 1000)
    return value


def part_files(place: Place) -> list[str]:
    """The paths of all parts, in the order in which they were written."""
    return place.files(FOLDER, ".parquet")


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
