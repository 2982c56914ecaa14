"""Values in the program's memory as text; the languages add the types."""

from collections.abc import Callable
from typing import Any

import gdb

# Reads the value at an address.
Reader = Callable[[int], str]

UNINITIALIZED = "<uninitialized>"
UNREADABLE = "<unreadable>"
_MAX_DEPTH = 20


def value_at(type: Any, address: int) -> Any:
    """The value of a type at an address."""
    return gdb.Value(address).cast(type.pointer()).dereference()


class MemoryReader:
    """Reads values, each at most about `limit` characters long."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._inferior = gdb.selected_inferior()
        self._readers: dict[str, Reader] = {}
        self._depth = 0
        self._string_size = 0

    def read(self, type: Any, address: int) -> str:
        """The text of the value of a type at an address; shortened if it is too long."""
        self._depth = 0
        self._string_size = 0
        text = self._read(type, address)
        if len(text) <= self.limit:
            return text
        is_string = text.startswith('"')
        length = f"{self._string_size + 2}" if is_string else f"more than {self.limit}"
        return f"{text[: self.limit]}… <cut: {length} characters>"

    def read_inner(self, type: Any, address: int) -> str:
        """The text of a value inside another one."""
        return self._read(type, address)

    def _read(self, type: Any, address: int) -> str:
        if self._depth > _MAX_DEPTH:
            return "<too deep>"
        self._depth += 1
        try:
            return self.reader(type)(address)
        except (gdb.MemoryError, OverflowError):
            return UNREADABLE
        finally:
            self._depth -= 1

    def memory(self, address: int, size: int) -> bytes:
        """The bytes at an address."""
        return bytes(self._inferior.read_memory(address, size)) if size else b""

    def reader(self, type: Any) -> Reader:
        """The function that reads values of a type."""
        type = type.strip_typedefs().unqualified()
        key = f"{type.code} {type.sizeof} {type}"
        if key not in self._readers:
            self._readers[key] = self._new_reader(type)
        return self._readers[key]

    def _new_reader(self, type: Any) -> Reader:
        return lambda address: f"<{type}>"

    def _word(self, address: int) -> int:
        return int.from_bytes(self.memory(address, 8), "little")

    def enclosed(self, texts: Any, opening: str, closing: str) -> str:
        """Texts between brackets, up to the limit: [1, 2]"""
        parts, length = [], 0
        for text in texts:
            parts.append(text)
            length += len(text) + 2
            if length > self.limit:
                break
        return f"{opening}{', '.join(parts)}{closing}"
