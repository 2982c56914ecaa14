"""Shards of a large job: the traces of some programs and what came of each, both or neither.

A store holds `traces.json`, what it is of; `parts/NAME.parquet`, the traces of a shard that were
kept; and `outcomes/NAME.parquet`, a row for every program of it. The second is written last: a
shard is finished when it is there, and readers look at no other part.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.store.columns import Column, require_arrow
from worldline.store.parts import PARTS_FOLDER, parquet_bytes, part_files
from worldline.store.place import UNFINISHED, Place, place_of

STORE_FILE = "traces.json"
OUTCOMES_FOLDER = "outcomes"
OUTCOME_COLUMNS: tuple[Column, ...] = (
    Column("number", "int", "the program's place in the input, from 0"),
    Column("id", "text", "its name"),
    Column("program", "text", "a hash of its text and input"),
    Column("outcome", "text", "kept, duplicate, contaminated, unsteady, time_limit …"),
    Column("detail", "text", "what more is known of that"),
    Column("steps", "int", "how many steps were recorded; none where it was not run"),
    Column("prompt_tokens", "int", "how many tokens a model is given; none if not counted"),
    Column("completion_tokens", "int", "how many it has to write"),
    Column("is_expected", "bool", "whether its result is what its file says"),
)
_COUNTS = "worldline"
# Nobody writes one file for longer.
_HALF_SECONDS = 3600


def write_shard(
    place: Place,
    name: str,
    traces: bytes | None,
    outcomes: Sequence[dict[str, Any]],
    counts: Mapping[str, Any],
) -> None:
    """Put a shard in place; `traces`: its part as a Parquet file, none where nothing was kept.

    Files appear whole, under one name. Of two that work on the same shard at once, the first to
    finish has made it.
    """
    if has_shard(place, name):
        return
    if traces is not None:
        place.write(_part(name), traces, is_shared=True)
    elif place.has(_part(name)):
        # Left by one that was ended before it had said what came of its programs.
        place.remove(f"{place.path}/{_part(name)}")
    about = {_COUNTS: json.dumps(counts)}
    rows = parquet_bytes(OUTCOME_COLUMNS, outcomes, about=about)
    place.write(f"{OUTCOMES_FOLDER}/{name}.parquet", rows, is_shared=True)


def _part(name: str) -> str:
    return f"{PARTS_FOLDER}/{name}.parquet"


def finished_shards(place: Place) -> list[str]:
    """The names of those that are there, in their order."""
    return [Path(path).stem for path in outcome_files(place)]


def is_unfinished(address: str | Path) -> bool:
    """Whether a store was begun, and not all of its shards are there."""
    place = place_of(address)
    about = place.read(STORE_FILE)
    if about is None:
        return False
    try:
        return bool(json.loads(about)["shards"] != len(finished_shards(place)))
    except (ValueError, LookupError, TypeError):
        return True


def has_shard(place: Place, name: str) -> bool:
    """Whether one is there."""
    return place.has(f"{OUTCOMES_FOLDER}/{name}.parquet")


def outcome_files(place: Place) -> list[str]:
    """The paths of what is known of the programs, a file a shard."""
    return place.files(OUTCOMES_FOLDER, ".parquet")


def shard_counts(place: Place, name: str) -> dict[str, Any]:
    """What was counted when a shard was made; its rows are not read."""
    pa = require_arrow()
    path = f"{place.path}/{OUTCOMES_FOLDER}/{name}.parquet"
    try:
        with place.filesystem.open_input_file(path) as file:
            about = pa.parquet.read_schema(file).metadata or {}
        found: dict[str, Any] = json.loads(about[_COUNTS.encode()])
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise InputError(
            f"cannot read {path}: {error!r}; remove it, and the same command makes it again"
        ) from error
    return found


def remove_shards(place: Place, names: Iterable[str]) -> None:
    """Take away what shards have written."""
    for name in names:
        # What makes it count goes first.
        for path in (f"{OUTCOMES_FOLDER}/{name}.parquet", _part(name)):
            if place.has(path):
                place.remove(f"{place.path}/{path}")


def remove_parts(place: Place) -> None:
    """Take away parts whose outcomes are not there: whoever wrote them was killed."""
    finished = set(finished_shards(place))
    for path in part_files(place):
        if Path(path).stem not in finished:
            place.remove(path)


def remove_unfinished(place: Place) -> None:
    """Take away the halves of files that were left by whoever was killed while writing."""
    for folder in ("", OUTCOMES_FOLDER, PARTS_FOLDER):
        for path in [] if place.is_remote else map(Path, place.files(folder, UNFINISHED)):
            with suppress(FileNotFoundError):
                # Others may be writing theirs.
                if time.time() - path.stat().st_mtime > _HALF_SECONDS:
                    path.unlink()
