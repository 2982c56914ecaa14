"""Division of the input into shards, each named by a hash of its content."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeGuard

from worldline.core.errors import InputError
from worldline.data.tracing.duplicate_set import DuplicateSet
from worldline.data.tracing.program_inputs import InputRow
from worldline.models.prediction import parse_row_metadata

# Fields that identify a program: two rows with the same values are duplicates.
_IDENTITY_FIELDS = ("code", "context", "call", "input", "stdin", "language")


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """A row of the input.

    `source` is its position for messages ("line 3 of a.jsonl"). If it cannot be parsed, `fields`
    is None and `error` says why. `is_new`: no earlier row has the same program.
    """

    source: str
    fields: dict[str, Any] | None
    error: str = ""
    is_new: bool = True


@dataclass(frozen=True, slots=True)
class Shard:
    """Rows that are processed and stored together; `number` is the position of the first."""

    name: str
    number: int
    rows: tuple[ProgramRow, ...]

    def __repr__(self) -> str:
        return f"<Shard {self.name}: {len(self.rows)} rows>"


def make_shards(inputs: Iterable[Iterable[InputRow]], settings: str, size: int) -> Iterator[Shard]:
    """Divide inputs into shards, in order.

    A shard's name depends only on its rows, the rows before it and the settings. No shard has
    rows of two inputs: if an input is appended, the shards of the others stay the same.

    Args:
        inputs: Rows of each input.
        settings: Hash of the job's settings.
        size: Maximum number of rows in a shard.
    """
    seen = DuplicateSet()
    number = 0
    for input_rows in inputs:
        remaining = iter(input_rows)
        while batch := list(islice(remaining, size)):
            rows = [
                ProgramRow(
                    source,
                    fields,
                    error,
                    not _is_readable(fields) or seen.add(_program_hash(fields)),
                )
                for source, fields, error in batch
            ]
            yield _make_shard(number, rows, settings)
            number += len(rows)


def _is_readable(fields: dict[str, Any] | None) -> TypeGuard[dict[str, Any]]:
    """Whether the id, expected value and facets of a row are valid.

    If not, its program is not traced, and the next row with the same program is not a duplicate.
    """
    try:
        return fields is not None and bool(parse_row_metadata(fields, ""))
    except InputError:
        return False


def _program_hash(fields: dict[str, Any]) -> int:
    """64-bit hash of a program; among 100 million, the chance of a collision is 1 in 3,700."""
    text = json.dumps([fields.get(name) for name in _IDENTITY_FIELDS]).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _make_shard(number: int, rows: list[ProgramRow], settings: str) -> Shard:
    content = [settings, number, [[row.fields, row.error, row.is_new] for row in rows]]
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]
    return Shard(f"{number:012d}-{digest}", number, tuple(rows))
