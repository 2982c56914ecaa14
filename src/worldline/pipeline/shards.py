"""Rows of programs go in; shards come out, each with a name made from what is in it."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeGuard

from worldline.errors import InputError
from worldline.pipeline.inputs import Given
from worldline.pipeline.seen import Seen
from worldline.predict import said_beside

# What makes a program: two rows that agree in these are one.
_CONTENT = ("code", "context", "call", "input", "stdin")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the input. Where it is no program, `why` says so; `is_new`: no row before it holds
    the same program."""

    place: str
    fields: dict[str, Any] | None
    why: str = ""
    is_new: bool = True


@dataclass(frozen=True, slots=True)
class Shard:
    """Some rows that are worked on, and stored, together; `number` is the first one's place."""

    name: str
    number: int
    rows: tuple[Row, ...]


def cut_into_shards(inputs: Iterable[Iterable[Given]], settings: str, size: int) -> Iterator[Shard]:
    """Shards of at most `size` programs, in the order of the inputs, none of two of them: with one
    more input behind them, the others' shards are the same.

    The same rows, behind the same rows, and the same settings have the same name, always.
    """
    seen = Seen()
    number = 0
    for given in inputs:
        rest = iter(given)
        while part := list(islice(rest, size)):
            rows = [
                Row(place, fields, why, not _is_readable(fields) or seen.add(_content(fields)))
                for place, fields, why in part
            ]
            yield _shard(number, rows, settings)
            number += len(rows)


def _is_readable(fields: dict[str, Any] | None) -> TypeGuard[dict[str, Any]]:
    """Whether what a row says beside its program can be read. If not, the program is not stored,
    and the next row with it is no duplicate."""
    try:
        return fields is not None and bool(said_beside(fields, ""))
    except InputError:
        return False


def _content(fields: dict[str, Any]) -> int:
    """A number for a program. Of a hundred million, two share one with a chance of 1 in 3,700."""
    text = json.dumps([fields.get(name) for name in _CONTENT]).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _shard(number: int, rows: list[Row], settings: str) -> Shard:
    told = json.dumps([settings, number, [[row.fields, row.why, row.is_new] for row in rows]])
    digest = hashlib.sha256(told.encode()).hexdigest()[:16]
    return Shard(f"{number:012d}-{digest}", number, tuple(rows))
