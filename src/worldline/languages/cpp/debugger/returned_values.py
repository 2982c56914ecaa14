"""Value that a function returns, at its `ret` instruction: the calling convention of x86-64."""

from typing import Any

import gdb

from ...native.debugger.program_tables import Function
from ...native.debugger.return_registers import float_register, integer_register, read_content
from .value_reader import ValueReader

_REGISTER_BYTES = 16
_CLASSES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


def is_small_class(type: Any) -> bool:
    """Whether a class may be returned in registers; it depends on its constructors."""
    return type.code in _CLASSES and type.sizeof <= _REGISTER_BYTES


def returned_text(
    reader: ValueReader, function: Function, frame: Any, first_argument: "int | None"
) -> str:
    """The text of the value that a function returns.

    Args:
        reader: Reads values.
        function: The function.
        frame: Its frame, at the `ret`.
        first_argument: The first integer argument that it was called with, if its class is small.
    """
    type = function.type
    if type.code == gdb.TYPE_CODE_VOID:
        return "void"
    rax = integer_register(frame, "rax")
    if type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return reader.read(type.target(), rax)
    if type.code in _CLASSES and (not is_small_class(type) or rax == first_argument):
        return reader.read(type, rax)
    if type.code == gdb.TYPE_CODE_FLT and type.sizeof > 8:
        return repr(float(frame.read_register("st0")))
    return read_content(reader, type, frame, _registers(type, frame, rax))


def _registers(type: Any, frame: Any, rax: int) -> bytes:
    """The bytes of a value that is returned in registers."""
    general = [rax, integer_register(frame, "rdx")]
    floating = [float_register(frame, name) for name in ("xmm0", "xmm1")]
    content = b""
    for half in range(0, max(type.sizeof, 1), 8):
        source = floating if _is_floating(type, half, half + 8) else general
        content += source.pop(0).to_bytes(8, "little")
    return content


def _is_floating(type: Any, begin: int, end: int, offset: int = 0) -> bool:
    """Whether all scalars of a type between two offsets are floating-point numbers."""
    kinds = [code for place, code in _scalars(type, offset) if begin <= place < end]
    return bool(kinds) and all(code == gdb.TYPE_CODE_FLT for code in kinds)


def _scalars(type: Any, offset: int) -> Any:
    """The offsets and type codes of all scalars of a type."""
    type = type.strip_typedefs()
    if type.code in _CLASSES:
        for field in type.fields():
            if hasattr(field, "bitpos"):
                yield from _scalars(field.type, offset + field.bitpos // 8)
    elif type.code == gdb.TYPE_CODE_ARRAY:
        low, high = type.range()
        for index in range(high - low + 1):
            yield from _scalars(type.target(), offset + index * type.target().sizeof)
    else:
        yield offset, type.code
