"""Parquet columns of integer lists, read as flat memory.

No Python object is created for a number, so that large exports fit into memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import InputError
from worldline.evaluation.store.columns import require_arrow


@dataclass(frozen=True, slots=True)
class IntLists:
    """Concatenated lists of integers: list `n` is `numbers[starts[n]:starts[n + 1]]`.

    `numbers` holds 32-bit integers and `starts` 64-bit integers, in the machine's byte order.
    """

    numbers: memoryview
    starts: memoryview


def read_int_lists(files: Sequence[Path], columns: Sequence[str]) -> dict[str, IntLists]:
    """Read columns of integer lists from all files, in the order of the files."""
    pa = require_arrow()
    try:
        tables = [pa.parquet.read_table(file, columns=list(columns)) for file in files]
        table = pa.concat_tables(tables).combine_chunks()
        return {name: _int_lists(table.column(name)) for name in columns}
    except (OSError, KeyError, pa.ArrowException) as error:
        raise InputError(f"cannot read {files[0]} or a file next to it: {error}") from error


def _int_lists(column: object) -> IntLists:
    pa = require_arrow()
    chunks = column.chunks  # type: ignore[attr-defined]
    joined = pa.concat_arrays(chunks) if chunks else pa.array([], pa.list_(pa.int32()))
    joined = joined.cast(pa.large_list(pa.int32()))
    numbers, starts = joined.flatten(), joined.offsets
    return IntLists(_memory(numbers, 4), _memory(starts, 8))


def _memory(array: object, width: int) -> memoryview:
    """The part of the array's buffer that holds its numbers; the buffer may begin earlier."""
    buffer = array.buffers()[1]  # type: ignore[attr-defined]
    first, size = array.offset * width, len(array) * width  # type: ignore[attr-defined,arg-type]
    return memoryview(buffer)[first : first + size] if buffer else memoryview(b"")
