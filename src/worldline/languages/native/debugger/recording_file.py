"""Recording of one program: rows for the steps, written as they happen.

The file and its rows are those of recorder/recording_protocol.py: the length of the complete rows
in the first eight bytes, the rows from byte 64 on.
"""

import json
import os
from typing import Any

_FIRST_ROW = 64


class LimitReached(Exception):  # noqa: N818
    """A limit on the recording was reached; its text is the reason."""


class RecordingFile:
    """The rows of a recording, and its limits."""

    def __init__(self, fd: int, limits: "dict[str, Any]", secret: str) -> None:
        self._fd = fd
        self._limits = limits
        self._secret = secret
        self._bytes = 0
        self._scope_of: dict[int, int] = {}
        self.steps = 0
        self.scopes = 0
        self.notes: list[str] = []

    def _write(self, row: "list[Any]") -> None:
        data = json.dumps(row).encode() + b"\n"
        os.pwrite(self._fd, data, _FIRST_ROW + self._bytes)
        self._bytes += len(data)
        os.pwrite(self._fd, self._bytes.to_bytes(8, "little"), 0)

    def step(self, *row: Any) -> None:
        """Write a step."""
        if self.steps >= self._limits["steps"]:
            raise LimitReached("step_limit")
        if self._bytes > self._limits["trace_mb"] * 1_000_000:
            raise LimitReached("trace_limit")
        self._write(list(row))
        self.steps += 1

    def scope(self, key: int, *fields: Any) -> int:
        """Write a new scope of the function with this key; the result is its number."""
        known = self._scope_of.setdefault(key, self.scopes)
        self._write(["scope", *fields] if known == self.scopes else ["again", known])
        self.scopes += 1
        return self.scopes - 1

    def end(self, reason: str, detail: str = "") -> None:
        """Write the ending."""
        self._write(["end", reason, detail, self.notes])
        self._write(["epilogue", self.steps, self.scopes, self._secret])
