"""The columns of a table: their names, what is in them, and what they are about."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from worldline.errors import InputError

Kind = Literal["text", "int", "float", "bool", "time", "ints", "flags", "texts"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column; any value may be missing."""

    name: str
    kind: Kind
    about: str


def require_arrow() -> Any:
    """pyarrow, or an error that says how to get it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(
            "runs are stored with pyarrow; install it with: pip install 'worldline[runs]'"
        ) from None
    return pyarrow


def arrow_schema(columns: Sequence[Column]) -> Any:
    """The columns as Arrow has them. Lists and plain types only: maps are refused by Hugging Face
    `datasets`, and structs inside lists are read whole where one field is asked for."""
    pa = require_arrow()
    kinds = {
        "text": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "time": pa.timestamp("ms", tz="UTC"),
        "ints": pa.list_(pa.int32()),
        # 0 or 1, many of them.
        "flags": pa.list_(pa.int8()),
        "texts": pa.list_(pa.string()),
    }
    return pa.schema([(column.name, kinds[column.kind]) for column in columns])
