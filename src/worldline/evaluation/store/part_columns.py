"""Columns and texts of Parquet parts, read in parallel and without a row object per sample."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from worldline.evaluation.store.byte_search import find_bytes
from worldline.evaluation.store.columns import require_arrow
from worldline.evaluation.store.location import StoreLocation
from worldline.evaluation.store.parquet_parts import escape_surrogates, read_part_table

T = TypeVar("T")
# The values of each column, by its name.
Columns = dict[str, list[Any]]
# Arrow releases the GIL while it decodes; a remote store answers several requests at once.
_THREADS = 4


class PartRows:
    """The rows of one part, decoded from Arrow one at a time."""

    def __init__(self, location: StoreLocation, file: str) -> None:
        self._table = read_part_table(location, file, None)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        rows: list[dict[str, Any]] = self._table.slice(index, 1).to_pylist()
        return rows[0]


def read_part_columns(
    location: StoreLocation,
    files: Sequence[str],
    names: Collection[str],
    *,
    joined: Collection[str] = (),
) -> Iterator[Columns]:
    """Read columns of each part, in the order of the parts.

    Args:
        location: The store.
        files: Paths of the parts.
        names: The columns to read; a part that lacks one has no values for it.
        joined: Columns of lists of texts that are returned as one text a row, joined by blanks.
    """

    def read(file: str) -> Columns:
        return _to_lists(read_part_table(location, file, list(names)), joined)

    return _map_in_parallel(read, files)


def _to_lists(table: Any, joined: Collection[str]) -> Columns:
    import pyarrow.compute

    return {
        name: (pyarrow.compute.binary_join(column, " ") if name in joined else column).to_pylist()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Lower-case texts in UTF-8, one after the other.

    Attributes:
        data: The texts.
        starts: Where each text starts, and the end of the last one.
    """

    data: bytes
    starts: Sequence[int]

    def __repr__(self) -> str:
        return f"TextBlock({len(self.starts) - 1} texts, {len(self.data):,} bytes)"

    def find(self, text: str) -> Iterator[int]:
        """Yield the numbers of the texts that contain `text`, in any case."""
        yield from self.find_lower(lower_text(text))

    def find_lower(self, wanted: bytes) -> Iterator[int]:
        """Yield the numbers of the texts that contain the result of `lower_text`."""
        number, last = 0, len(self.starts) - 2
        if not wanted:
            yield from range(last + 1)
            return
        while number <= last:
            position = find_bytes(self.data, wanted, self.starts[number])
            if position < 0:
                return
            # Of empty texts at the same place, none is meant.
            number = bisect_right(self.starts, position) - 1
            # A match that extends into the next text is none.
            if self.data.find(wanted, position, self.starts[number + 1]) >= 0:
                yield number
            number += 1


def lower_text(text: str) -> bytes:
    """A text in lower case, as in a `TextBlock`."""
    pa = require_arrow()
    import pyarrow.compute

    lower = pyarrow.compute.utf8_lower(pa.scalar(escape_surrogates(text)))
    return str(lower.as_py()).encode()


def make_text_block(texts: Iterable[str]) -> TextBlock:
    """Convert texts to lower case, one after the other."""
    pa = require_arrow()
    return _text_block([pa.array(map(escape_surrogates, texts), pa.large_string())])


def read_text_blocks(
    location: StoreLocation, files: Sequence[str], keys: Collection[str], texts: Collection[str]
) -> Iterator[tuple[Columns, TextBlock]]:
    """Read the texts of each part, in the order of the parts.

    Args:
        location: The store.
        files: Paths of the parts.
        keys: Columns that are returned as values.
        texts: Columns whose texts are joined, row by row.
    """
    pa = require_arrow()

    def read(file: str) -> tuple[Columns, TextBlock]:
        table = read_part_table(location, file, [*keys, *texts])
        columns = [
            table[name].cast(pa.large_string()).combine_chunks()
            for name in texts
            if name in table.column_names
        ]
        return _to_lists(table.select(list(keys)), ()), _text_block(columns)

    return _map_in_parallel(read, files)


def _text_block(columns: Sequence[Any]) -> TextBlock:
    pa = require_arrow()
    import pyarrow.compute

    separator = pa.scalar("\n", pa.large_string())
    joined = pyarrow.compute.binary_join_element_wise(*columns, separator, null_handling="skip")
    lower = pyarrow.compute.utf8_lower(joined)
    _, offsets, data = lower.buffers()
    starts = array("q")
    starts.frombytes(offsets.to_pybytes()[: 8 * (len(lower) + 1)])
    return TextBlock(data.to_pybytes()[: starts[-1]] if data else b"", starts)


def _map_in_parallel(read: Callable[[str], T], files: Sequence[str]) -> Iterator[T]:
    if len(files) < 2:
        yield from map(read, files)
        return
    with ThreadPoolExecutor(_THREADS) as pool:
        yield from pool.map(read, files)
