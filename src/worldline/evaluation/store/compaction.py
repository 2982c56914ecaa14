"""Compaction of a store: many small files are copied into a few large ones."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.evaluation.store.columns import require_arrow
from worldline.evaluation.store.location import PARTS_FOLDER, StoreLocation, open_location
from worldline.evaluation.store.parquet_parts import COMPRESSION, ROW_GROUP, part_sizes
from worldline.evaluation.store.trace_shards import (
    OUTCOMES_FOLDER,
    STORE_FILE,
    finished_shards,
    is_unfinished,
    shard_counts,
)

PART_MB = 256


def compact_store(
    address: str | Path,
    target: str | Path,
    *,
    part_mb: int = PART_MB,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Copy a store into a new one with larger parts; the rows and their order stay the same.

    Row groups stay small, so that one trace can be read without reading a whole part.

    Args:
        address: The store to copy; it must be finished.
        target: The new store.
        part_mb: Approximate size of a new part.
        on_progress: Called with the number of copied shards and of all shards.

    Returns:
        The number of parts of the new store.

    Raises:
        InputError: The store is not finished or is damaged, or the target exists.
    """
    old, new = open_location(address), open_location(target)
    manifest = old.read(STORE_FILE)
    names = finished_shards(old)
    if manifest is None or not names:
        raise InputError(
            f"{address} is not a trace store with finished shards; create one with worldline trace"
        )
    if is_unfinished(address):
        raise InputError(f"{address} is not finished: run its `worldline trace` command again")
    if new.read(STORE_FILE) is not None or finished_shards(new):
        raise InputError(
            f"{target} already exists; choose a different folder with -o, or delete this one if "
            "its command was interrupted"
        )
    if "compacted_from" not in json.loads(manifest):
        _check_parts(old, names)
    # Written first, so that readers ignore parts whose outcomes are not written yet.
    new_manifest = {**json.loads(manifest), "compacted_from": str(address), "shards": None}
    new.write(STORE_FILE, json.dumps(new_manifest, indent=1).encode() + b"\n")
    shards = iter(enumerate(names, 1))
    parts = done = 0
    while done < len(names):
        done = _write_part(old, new, f"{parts:06d}", shards, part_mb << 20, on_progress, len(names))
        parts += 1
    new_manifest["shards"] = parts
    new.write(STORE_FILE, json.dumps(new_manifest, indent=1).encode() + b"\n")
    return parts


def _check_parts(location: StoreLocation, names: list[str]) -> None:
    """Check that every part exists and has the size that was counted when it was written."""
    sizes = part_sizes(location)
    for name in names:
        if shard_counts(location, name)["bytes"] != sizes.get(name, 0):
            raise InputError(
                f"the traces of {name} in {location.address} are missing or damaged: run its "
                "`worldline trace` command again"
            )


def _write_part(
    old: StoreLocation,
    new: StoreLocation,
    name: str,
    shards: Iterator[tuple[int, str]],
    size: int,
    on_progress: Callable[[int, int], None],
    total: int,
) -> int:
    """Copy shards until the part is large enough, and return the number of the last one."""
    number = total
    # The outcomes are written last: they make the part count.
    writers = {
        folder: _TableWriter(new, f"{folder}/{name}.parquet")
        for folder in (PARTS_FOLDER, OUTCOMES_FOLDER)
    }
    for number, shard in shards:
        for folder, writer in writers.items():
            writer.copy(old, f"{folder}/{shard}.parquet")
        on_progress(number, total)
        if writers[PARTS_FOLDER].size >= size:
            break
    for writer in writers.values():
        writer.finish()
    return number


class _TableWriter:
    """A new Parquet file into which the rows of other files are copied."""

    def __init__(self, location: StoreLocation, name: str) -> None:
        self._location, self._name = location, name
        self._pa = require_arrow()
        self._sink = self._pa.BufferOutputStream()
        self._writer: Any = None

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return int(self._sink.tell())

    def copy(self, location: StoreLocation, name: str) -> None:
        """Append the rows of a file, if it exists."""
        if not location.has(name):
            return
        pa = self._pa
        try:
            with location.filesystem.open_input_file(f"{location.path}/{name}") as file:
                table = pa.parquet.ParquetFile(file).read()
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"cannot read {name} in {location.address}: {error}") from error
        if self._writer is None:
            schema = table.schema.remove_metadata()
            self._writer = pa.parquet.ParquetWriter(self._sink, schema, **COMPRESSION)
        self._writer.write_table(table.replace_schema_metadata(None), row_group_size=ROW_GROUP)

    def finish(self) -> None:
        """Write the file to its location, if it has rows."""
        if self._writer is None:
            return
        self._writer.close()
        self._location.write(self._name, self._sink.getvalue().to_pybytes())
