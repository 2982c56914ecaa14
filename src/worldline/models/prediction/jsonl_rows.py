"""Rows of JSON Lines files, and their text fields.

`place` is the position of a row for error messages: "line 3 of programs.jsonl".
"""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError


def read_json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read a JSON Lines file, compressed (`.gz`) or not; yield each row with its place.

    Raises:
        InputError: the file cannot be read, or a line is not a JSON object.
    """
    for place, line in read_lines(path):
        yield place, parse_json_line(line, place)


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Read the lines of a file that are not empty, each with its place.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rt", encoding="utf-8-sig") as file:
                text = file.read()
        else:
            text = path.read_text(encoding="utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    return number_lines(text, str(path))


def number_lines(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a text that are not empty, each with its place."""
    # Only a newline ends a line of JSON: values may contain other line separators.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"line {number} of {name}", line


def parse_json_line(line: str | bytes, place: str) -> dict[str, Any]:
    """Parse one line of a JSON Lines file.

    Raises:
        InputError: the line is not a JSON object.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{place}: not JSON ({error}); each line must be one JSON object"
        ) from error
    if not isinstance(row, dict):
        raise InputError(f"{place}: expected a JSON object, found {type(row).__name__}")
    return row


def required_text(row: dict[str, Any], name: str, place: str) -> str:
    """A text field that must be present."""
    value = row.get(name)
    if isinstance(value, str):
        return value
    if name in row:
        raise InputError(f"{place}: {name!r} must be a string, found {type(value).__name__}")
    names = ", ".join(sorted(row)) or "nothing"
    raise InputError(f"{place}: needs {name!r}; the row has {names}")


def optional_text(row: dict[str, Any], name: str, place: str) -> str | None:
    """A text field; None if it is absent."""
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{place}: {name!r} must be a string, found {type(value).__name__}")
    return value
