"""Append-only JSONL journal whose rows survive SIGKILL."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from worldline.core.errors import InputError
from worldline.core.util.files import write_file


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a journal, without a last line that a kill left unfinished.

    Raises:
        InputError: The file cannot be read, or a line before the last one is damaged.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    lines = text.split("\n")
    try:
        # Text after the last newline is an unfinished row.
        return [json.loads(line) for line in lines[:-1] if line]
    except ValueError as error:
        raise InputError(f"{path} is damaged ({error}); start again with --restart") from None


class Journal:
    """Append-only file of JSON rows, each written with one write call."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[bytes] | None = None

    def replace(self, rows: Iterable[dict[str, Any]]) -> None:
        """Replace all rows atomically: a kill leaves either the old rows or the new ones."""
        self.close()
        try:
            write_file(self.path, b"".join(map(_line, rows)))
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error}") from error

    def append(self, row: dict[str, Any]) -> None:
        """Append one row; if the disk is full, no part of it stays in the file."""
        try:
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("ab", buffering=0)
            end = os.fstat(self._file.fileno()).st_size
            try:
                _write_all(self._file, _line(row))
            except OSError:
                # Otherwise, the next row would be appended to half of this one.
                self._file.truncate(end)
                raise
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error}") from error

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _write_all(file: IO[bytes], data: bytes) -> None:
    """Write all bytes: on a disk that is almost full, one write call may write only some."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row).encode() + b"\n"
