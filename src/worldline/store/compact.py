"""A store of many small files goes in; one of a few large ones comes out, with the same rows."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.store.columns import require_arrow
from worldline.store.parts import COMPRESSION, PARTS_FOLDER, ROW_GROUP, part_sizes
from worldline.store.place import Place, place_of
from worldline.store.shards import (
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
    """Write what a store holds into a new one, in parts of about that size; returns how many.

    The traces stay in their order, in groups of rows that are small enough to fetch one. The old
    store is left as it is. `on_progress` is told how many of how many shards are done.
    """
    old, new = place_of(address), place_of(target)
    manifest = old.read(STORE_FILE)
    names = finished_shards(old)
    if manifest is None or not names:
        raise InputError(f"{address} is no store of worldline trace, or nothing in it is finished")
    if is_unfinished(address):
        raise InputError(f"{address} is not finished: give its `worldline trace` command again")
    if new.read(STORE_FILE) is not None or finished_shards(new):
        raise InputError(
            f"{target} is there already; name another folder with -o, or remove it, if its "
            "command was stopped"
        )
    if "compacted_from" not in json.loads(manifest):
        _check_parts(old, names)
    # First, so that readers take no part for whole whose outcomes are not there yet.
    told = {**json.loads(manifest), "compacted_from": str(address), "shards": None}
    new.write(STORE_FILE, json.dumps(told, indent=1).encode() + b"\n")
    shards = iter(enumerate(names, 1))
    parts = done = 0
    while done < len(names):
        done = _write_part(old, new, f"{parts:06d}", shards, part_mb << 20, on_progress, len(names))
        parts += 1
    new.write(STORE_FILE, json.dumps({**told, "shards": parts}, indent=1).encode() + b"\n")
    return parts


def _check_parts(place: Place, names: list[str]) -> None:
    """Every part is there, as large as it was written."""
    sizes = part_sizes(place)
    for name in names:
        if shard_counts(place, name)["bytes"] != sizes.get(name, 0):
            raise InputError(
                f"the traces of {name} in {place.address} are gone or damaged: give its `worldline "
                "trace` command again"
            )


def _write_part(
    old: Place,
    new: Place,
    name: str,
    shards: Iterator[tuple[int, str]],
    size: int,
    on_progress: Callable[[int, int], None],
    total: int,
) -> int:
    """Copy shards until the part is large enough; returns the number of the last."""
    number = total
    # The outcomes come last: they make the part count.
    writers = {
        folder: _Writer(new, f"{folder}/{name}.parquet")
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


class _Writer:
    """One new file, written as rows come, and put in place when all is written."""

    def __init__(self, place: Place, name: str) -> None:
        self._place, self._name = place, name
        self._pa = require_arrow()
        self._sink = self._pa.BufferOutputStream()
        self._writer: Any = None

    @property
    def size(self) -> int:
        """Bytes so far."""
        return int(self._sink.tell())

    def copy(self, place: Place, name: str) -> None:
        """Add the rows of a file, if there is one."""
        if not place.has(name):
            return
        pa = self._pa
        try:
            with place.filesystem.open_input_file(f"{place.path}/{name}") as file:
                table = pa.parquet.ParquetFile(file).read()
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"cannot read {name} in {place.address}: {error}") from error
        if self._writer is None:
            schema = table.schema.remove_metadata()
            self._writer = pa.parquet.ParquetWriter(self._sink, schema, **COMPRESSION)
        self._writer.write_table(table.replace_schema_metadata(None), row_group_size=ROW_GROUP)

    def finish(self) -> None:
        """Put it in place, if there is anything in it."""
        if self._writer is None:
            return
        self._writer.close()
        self._place.write(self._name, self._sink.getvalue().to_pybytes())
