"""Registers in which a function returns its value, on x86-64."""

from typing import Any

import gdb

from .memory_reader import MemoryReader

_MASK = (1 << 64) - 1
# Below the stack pointer: what the function has left there is no longer used.
_SCRATCH = 256


def integer_register(frame: Any, name: str) -> int:
    """The bits of a general register."""
    return int(frame.read_register(name)) & _MASK


def float_register(frame: Any, name: str) -> int:
    """The lower 64 bits of a vector register."""
    return int(frame.read_register(name)["v2_int64"][0]) & _MASK


def read_content(reader: MemoryReader, type: Any, frame: Any, content: bytes) -> str:
    """The text of a value with these bytes, which are not in memory.

    They are written below the stack for as long as they are read.
    """
    address = (int(frame.read_register("rsp")) & ~0xF) - _SCRATCH
    inferior = gdb.selected_inferior()
    saved = bytes(inferior.read_memory(address, len(content)))
    inferior.write_memory(address, content)
    try:
        return reader.read(type, address)
    finally:
        inferior.write_memory(address, saved)
