"""Shards of a store of traces: the kept traces of some programs, and the outcome of each program.

A store contains `traces.json`, its settings; `parts/NAME.parquet`, the kept traces of a shard; and
`outcomes/NAME.parquet`, one row per program of the shard. The outcomes are written last: a shard is
finished when they exist, and readers ignore all other parts.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.evaluation.store.columns import Column, require_arrow
from worldline.evaluation.store.location import (
    PARTS_FOLDER,
    UNFINISHED_SUFFIX,
    StoreLocation,
    open_location,
)
from worldline.evaluation.store.parquet_parts import parquet_bytes, part_files, read_parts

STORE_FILE = "traces.json"
OUTCOMES_FOLDER = "outcomes"
OUTCOME_COLUMNS: tuple[Column, ...] = (
    Column("number", "int", "position of the program in the input, from 0"),
    Column("id", "text", "its name"),
    Column("program", "text", "a hash of its text and input"),
    Column("outcome", "text", "kept, duplicate, contaminated, non_deterministic, time_limit …"),
    Column("detail", "text", "more about the outcome"),
    Column("steps", "int", "number of recorded steps; null if it was not executed"),
    Column("prompt_tokens", "int", "tokens of the prompt; null if not counted"),
    Column("completion_tokens", "int", "tokens of the completion; null if not counted"),
    Column("is_expected", "bool", "whether its result is the expected one"),
    Column("isolation", "text", "group if it shared a process with others, else process"),
)
# Outcomes as stores of format 2 name them.
OLD_OUTCOMES: Mapping[str, str] = {
    "not_whole": "incomplete",
    "unsteady": "non_deterministic",  # words: allow (a stored value)
    "failed": "infra_error",
}
# Key of the counts in the metadata of an outcomes file.
_COUNTS_KEY = "worldline"
# Age at which an unfinished file is abandoned: writing one file never takes so long.
_ABANDONED_SECONDS = 3600


def write_shard(
    location: StoreLocation,
    name: str,
    traces: bytes | None,
    outcomes: Sequence[dict[str, Any]],
    counts: Mapping[str, Any],
) -> None:
    """Write a shard, unless another process has finished it already.

    Args:
        location: The store.
        name: Name of the shard.
        traces: Its part as a Parquet file; None if no trace was kept.
        outcomes: One row per program.
        counts: Totals, stored as metadata of the outcomes.
    """
    if has_shard(location, name):
        return
    if traces is not None:
        location.write(_part_file(name), traces, shared=True)
    elif location.has(_part_file(name)):
        # Left by a process that was killed before it wrote the outcomes.
        location.remove(f"{location.path}/{_part_file(name)}")
    metadata = {_COUNTS_KEY: json.dumps(counts)}
    rows = parquet_bytes(OUTCOME_COLUMNS, outcomes, metadata=metadata)
    location.write(_outcome_file(name), rows, shared=True)


def _part_file(name: str) -> str:
    return f"{PARTS_FOLDER}/{name}.parquet"


def _outcome_file(name: str) -> str:
    return f"{OUTCOMES_FOLDER}/{name}.parquet"


def finished_shards(location: StoreLocation) -> list[str]:
    """Names of the finished shards, in order."""
    return [Path(path).stem for path in outcome_files(location)]


def is_unfinished(address: str | Path) -> bool:
    """Whether a store was begun, and some of its shards are missing."""
    location = open_location(address)
    manifest = location.read(STORE_FILE)
    if manifest is None:
        return False
    try:
        return bool(json.loads(manifest)["shards"] != len(finished_shards(location)))
    except (ValueError, LookupError, TypeError):
        return True


def has_shard(location: StoreLocation, name: str) -> bool:
    """Whether the shard is finished."""
    return location.has(_outcome_file(name))


def outcome_files(location: StoreLocation) -> list[str]:
    """Paths of the outcome tables, one per finished shard."""
    return location.files(OUTCOMES_FOLDER, ".parquet")


def read_outcomes(address: str | Path) -> list[dict[str, Any]]:
    """Read the outcome of every program, in the order of the input; see `OUTCOME_COLUMNS`."""
    location = open_location(address)
    rows = read_parts(location, outcome_files(location))
    for row in rows:
        row["outcome"] = OLD_OUTCOMES.get(row["outcome"], row["outcome"])
    return sorted(rows, key=lambda row: int(row["number"]))


def shard_counts(location: StoreLocation, name: str) -> dict[str, Any]:
    """Read the totals of a shard, without reading its rows."""
    pa = require_arrow()
    path = f"{location.path}/{_outcome_file(name)}"
    try:
        with location.filesystem.open_input_file(path) as file:
            metadata = pa.parquet.read_schema(file).metadata or {}
        counts: dict[str, Any] = json.loads(metadata[_COUNTS_KEY.encode()])
        outcomes = {OLD_OUTCOMES.get(name, name): n for name, n in counts["outcomes"].items()}
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise InputError(
            f"cannot read {path}: {error!r}; delete it and run the same command again"
        ) from error
    return {**counts, "outcomes": outcomes}


def remove_shards(location: StoreLocation, names: Iterable[str]) -> None:
    """Delete the files of some shards."""
    for name in names:
        # The outcomes first: without them, the part is ignored.
        for path in (_outcome_file(name), _part_file(name)):
            if location.has(path):
                location.remove(f"{location.path}/{path}")


def remove_orphaned_parts(location: StoreLocation) -> None:
    """Delete parts without outcomes, left by processes that were killed."""
    finished = set(finished_shards(location))
    for path in part_files(location):
        if Path(path).stem not in finished:
            location.remove(path)


def remove_abandoned_files(location: StoreLocation) -> None:
    """Delete old unfinished files, left by processes that were killed while writing."""
    for folder in ("", OUTCOMES_FOLDER, PARTS_FOLDER):
        paths = [] if location.is_remote else location.files(folder, UNFINISHED_SUFFIX)
        for path in map(Path, paths):
            with suppress(FileNotFoundError):
                # Other processes may be writing the younger ones.
                if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                    path.unlink()
