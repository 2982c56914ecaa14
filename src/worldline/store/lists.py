"""Columns of lists of whole numbers come out of Parquet files as flat memory, without a Python
object for each number."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from worldline.errors import InputError
from worldline.store.columns import require_arrow


@dataclass(frozen=True, slots=True)
class IntLists:
    """Lists one behind the other: the list `n` is `numbers[starts[n]:starts[n + 1]]`.

    `numbers` holds 32-bit integers, `starts` 64-bit ones, as this machine orders their bytes.
    """

    numbers: memoryview
    starts: memoryview


def read_int_lists(files: Sequence[Path], columns: Sequence[str]) -> dict[str, IntLists]:
    """Columns of lists of whole numbers, from all files in their order."""
    pa = require_arrow()
    try:
        tables = [pa.parquet.read_table(file, columns=list(columns)) for file in files]
        table = pa.concat_tables(tables).combine_chunks()
        return {name: _int_lists(table.column(name)) for name in columns}
    except (OSError, KeyError, pa.ArrowException) as error:
        raise InputError(f"cannot read {files[0]} and its like: {error}") from error


def _int_lists(column: object) -> IntLists:
    pa = require_arrow()
    chunks = column.chunks  # type: ignore[attr-defined]
    joined = pa.concat_arrays(chunks) if chunks else pa.array([], pa.list_(pa.int32()))
    joined = joined.cast(pa.large_list(pa.int32()))
    numbers, starts = joined.flatten(), joined.offsets
    return IntLists(_memory(numbers, 4), _memory(starts, 8))


def _memory(array: object, width: int) -> memoryview:
    """The numbers of an array alone: its memory may begin before it."""
    buffer = array.buffers()[1]  # type: ignore[attr-defined]
    first, size = array.offset * width, len(array) * width  # type: ignore[attr-defined,arg-type]
    return memoryview(buffer)[first : first + size] if buffer else memoryview(b"")
