"""Value that a Rust function returns, at its `ret` instruction."""

from typing import Any

from ...native.debugger.program_tables import Function
from ...native.debugger.return_registers import float_register, integer_register, read_content
from .rust_reader import RustReader
from .rust_types import scalars

REGISTER_BYTES = 16


def returned_text(
    reader: RustReader, function: Function, frame: Any, first_argument: "int | None"
) -> str:
    """The text of the value that a function returns.

    Args:
        reader: Reads values.
        function: The function.
        frame: Its frame, at the `ret`.
        first_argument: The first argument that it was called with, if its value is small.
    """
    type = function.type
    rax = integer_register(frame, "rax")
    if type.sizeof > REGISTER_BYTES or (rax == first_argument and scalars(type) is None):
        return reader.read(type, rax)
    return read_content(reader, type, frame, _registers(type, frame))


def _registers(type: Any, frame: Any) -> bytes:
    """The bytes of a value that is returned in registers."""
    general = [integer_register(frame, name) for name in ("rax", "rdx")]
    floating = [float_register(frame, name) for name in ("xmm0", "xmm1")]
    parts = scalars(type)
    if parts is None or any(size > 8 for _, size, _ in parts):
        return b"".join(each.to_bytes(8, "little") for each in general)
    content = bytearray(REGISTER_BYTES)
    for offset, size, is_float in parts:
        bits = (floating if is_float else general).pop(0)
        content[offset : offset + size] = bits.to_bytes(8, "little")[:size]
    return bytes(content)
