"""Column definitions of stored tables, and their Arrow schema."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from worldline.core.util.optional_imports import optional_import

ColumnType = Literal["text", "int", "float", "bool", "time", "ints", "floats", "flags", "texts"]


@dataclass(frozen=True, slots=True)
class Column:
    """One nullable column of a table."""

    name: str
    type: ColumnType
    description: str


def require_arrow() -> Any:
    """Import pyarrow, or raise an error that says how to install it."""
    with optional_import("runs are stored with pyarrow; install it with", extra="runs"):
        import pyarrow
        import pyarrow.parquet
    return pyarrow


def arrow_schema(columns: Sequence[Column]) -> Any:
    """Arrow schema of some columns.

    It has only lists and plain types: Hugging Face `datasets` rejects maps, and to read one field
    of a struct inside a list, all fields have to be read.
    """
    pa = require_arrow()
    arrow_types = {
        "text": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "time": pa.timestamp("ms", tz="UTC"),
        "ints": pa.list_(pa.int32()),
        "floats": pa.list_(pa.float32()),
        # Lists of 0 and 1.
        "flags": pa.list_(pa.int8()),
        "texts": pa.list_(pa.string()),
    }
    return pa.schema([(column.name, arrow_types[column.type]) for column in columns])
