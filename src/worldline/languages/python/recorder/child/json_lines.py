"""JSON lines, written without anything that a program can replace."""

import builtins
import errno
import os
from fcntl import F_DUPFD_CLOEXEC, fcntl
from json.encoder import encode_basestring_ascii as quote
from os import close, closerange, write
from types import ModuleType
from typing import Any

# A function looks names up in the `__builtins__` that its module had when it was defined. With
# a copy there, the recorder keeps its `repr` and `dict`, whatever the program does to them.
OWN_BUILTINS = ModuleType("builtins")
vars(OWN_BUILTINS).update(vars(builtins))
__builtins__ = OWN_BUILTINS

# High enough that a program gets the same file descriptors as without the recorder.
_FIRST_FD = 100


def to_line(row: "list[Any]") -> bytes:
    """["line", 3, 0, {"x": "1"}] -> b'["line",3,0,{"x":"1"}]' and a newline"""
    return encode(row).encode() + b"\n"


def encode(value: Any) -> str:
    """Encode a row as JSON: strings, ints, bools, None, and lists and dicts of them."""
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is list:
        return "[" + ",".join([encode(item) for item in value]) + "]"
    if kind is dict:
        pairs = [f"{quote(key)}:{encode(item)}" for key, item in value.items()]
        return "{" + ",".join(pairs) + "}"
    if kind is int:
        return f"{value}"
    return {None: "null", True: "true", False: "false"}[value]


def write_all(fd: int, data: bytes) -> None:
    """Write all bytes, in as many calls as it takes."""
    while data:
        data = data[write(fd, data) :]


def protect_descriptor(fd: int) -> int:
    """Move a file descriptor so that a program that closes all of its own keeps it open."""
    protected = int(fcntl(fd, F_DUPFD_CLOEXEC, _FIRST_FD))
    close(fd)

    def close_others(fd: int) -> None:
        if fd == protected:
            raise OSError(errno.EBADF, "Bad file descriptor")
        close(fd)

    def closerange_others(low: int, high: int, /) -> None:
        closerange(low, min(high, protected))
        closerange(max(low, protected + 1), high)

    os.close, os.closerange = close_others, closerange_others
    return protected
