"""Numbers, characters, enumerators and pointers of the program as text."""

import struct
from typing import Any

import gdb

from ...native.debugger.float_text import float32_text
from ...native.debugger.memory_reader import UNINITIALIZED, MemoryReader, Reader, value_at
from .value_text import float_text, quote, quote_char

# What the compiler writes to variables that the program does not initialize.
PATTERN = b"\xfe"


class ScalarReader(MemoryReader):
    """Reads scalars; `ValueReader` adds the other types."""

    def _new_reader(self, type: Any) -> Reader:
        code = type.code
        if code == gdb.TYPE_CODE_BOOL:
            return self._bool
        if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR):
            return self._integer(type)
        if code == gdb.TYPE_CODE_FLT:
            return self._float(type)
        if code == gdb.TYPE_CODE_ENUM:
            return self._enum(type)
        if code == gdb.TYPE_CODE_PTR:
            return self._pointer(type)
        return super()._new_reader(type)

    # -- scalars ---------------------------------------------------------------------------------

    def _bool(self, address: int) -> str:
        return {0: "false", 1: "true"}.get(self.memory(address, 1)[0], UNINITIALIZED)

    def _integer(self, type: Any) -> Reader:
        size, name = type.sizeof, str(type)
        if name in ("char", "wchar_t", "char16_t", "char32_t", "char8_t"):
            return lambda address: quote_char(int.from_bytes(self.memory(address, size), "little"))
        is_signed = type.is_signed
        unset = PATTERN * size if size >= 4 else None

        def read(address: int) -> str:
            data = self.memory(address, size)
            if data == unset:
                return UNINITIALIZED
            return str(int.from_bytes(data, "little", signed=is_signed))

        return read

    def _float(self, type: Any) -> Reader:
        size = type.sizeof
        if size not in (4, 8):
            return lambda address: float_text(float(value_at(type, address)))
        unset = PATTERN * size

        def read(address: int) -> str:
            data = self.memory(address, size)
            if data == unset:
                return UNINITIALIZED
            if size == 4:
                return float32_text(struct.unpack("<f", data)[0])
            return float_text(struct.unpack("<d", data)[0])

        return read

    def _enum(self, type: Any) -> Reader:
        names = {field.enumval: field.name for field in type.fields()}
        size = type.sizeof
        prefix = str(type).rpartition("::")[0]

        def read(address: int) -> str:
            number = int.from_bytes(self.memory(address, size), "little", signed=True)
            name = names.get(number, names.get(number & ((1 << 8 * size) - 1)))
            if name is None:
                return str(number)
            return name if "::" in name or not prefix else f"{prefix}::{name}"

        return read

    def _pointer(self, type: Any) -> Reader:
        target = type.target().strip_typedefs().unqualified()
        if target.code == gdb.TYPE_CODE_FUNC:
            return lambda address: "<function>" if self._word(address) else "nullptr"
        is_text = str(target) == "char"

        def read(address: int) -> str:
            data = self.memory(address, 8)
            pointer = int.from_bytes(data, "little")
            if data == PATTERN * 8:
                return UNINITIALIZED
            if pointer == 0:
                return "nullptr"
            return self.c_string(pointer) if is_text else f"{pointer:#x}"

        return read

    def c_string(self, address: int) -> str:
        """The text of a string that ends with a zero byte."""
        data = b""
        while b"\0" not in data and len(data) <= self.limit:
            # Do not read beyond a page, of which the next may not exist.
            size = min(256, 4096 - (address + len(data)) % 4096)
            data += self.memory(address + len(data), size)
        return quote(data.partition(b"\0")[0])
