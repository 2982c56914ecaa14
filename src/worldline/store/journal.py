"""Rows go in one by one; a file of JSON lines comes out, from which a kill takes none."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from worldline.errors import InputError


def read_journal(path: Path) -> list[dict[str, Any]]:
    """The rows in a journal; a last line that was cut when its writer was killed is left out."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    lines = text.split("\n")
    try:
        # What stands behind the last newline was never finished.
        return [json.loads(line) for line in lines[:-1] if line]
    except ValueError as error:
        raise InputError(
            f"{path} is damaged ({error}); begin the run anew with --restart"
        ) from None


def unfinished(path: Path) -> Path:
    """Where what replaces a journal is written first; a kill may leave it there."""
    return path.with_name(f".{path.name}.new")


class Journal:
    """Rows are appended, each in one write, so that a kill loses none that was added."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[bytes] | None = None

    def replace(self, rows: Iterable[dict[str, Any]]) -> None:
        """Hold exactly these rows. In one move: a kill leaves the old ones or the new ones."""
        self.close()
        fresh = unfinished(self.path)
        try:
            fresh.write_bytes(b"".join(map(_line, rows)))
            os.replace(fresh, self.path)
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error}") from error

    def append(self, row: dict[str, Any]) -> None:
        """Add one row, whole or, where there is no room for it, not at all."""
        try:
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("ab", buffering=0)
            end = os.fstat(self._file.fileno()).st_size
            try:
                _write_all(self._file, _line(row))
            except OSError:
                # The next row would be put behind half of this one.
                self._file.truncate(end)
                raise
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error}") from error

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _write_all(file: IO[bytes], data: bytes) -> None:
    """A disk that fills up takes a part of a write, says how much, and refuses only the next."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row).encode() + b"\n"
