"""Values of the program as text, as Rust's Debug writes them.

Values are read from memory directly. No code of the program is executed.
"""

import re
import struct
from typing import Any

import gdb

from ...native.debugger.float_text import float32_text
from ...native.debugger.memory_reader import UNINITIALIZED, MemoryReader, Reader, value_at
from .rust_collections import collection_items
from .rust_text import float_text, quote, quote_char
from .rust_types import (
    discriminant,
    find_field,
    find_pointer,
    is_enum,
    is_tuple,
    last_name,
    own_field,
    variants,
)

# Larger sizes are garbage.
MAX_SIZE = 1 << 32
_FORMATS = {1: "b", 2: "h", 4: "i", 8: "q"}
_CACHED_VARIANTS = 1000
_LIBRARIES = ("core::", "alloc::", "std::", "hashbrown::")
_RANGES = {
    "Range": ("", ".."),
    "RangeInclusive": ("", "..="),
    "RangeFrom": ("", ".."),
    "RangeTo": ("..", ""),
    "RangeToInclusive": ("..=", ""),
}
# Structs of the library that are written with their fields.
_WITH_FIELDS = ("Reverse", "PhantomData")
_TRANSPARENT = ("Wrapping", "Saturating")
_ERRORS = ("ParseIntError", "ParseFloatError", "ParseBoolError", "TryFromIntError", "Utf8Error")
# Size of the two counters of an Rc or Arc.
_COUNTERS = 16
# Structs of the library that contain one value; the name of its field in Debug's text.
_WITH_VALUE = {"Cell": "value", "RefCell": "value", "Mutex": "data", "RwLock": "data"}


class RustReader(MemoryReader):
    """Reads values, each at most about `limit` characters long."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        # Readers of variants by the enum's name and its discriminant's bytes.
        self._variants: dict[tuple[str, bytes], Reader] = {}

    def _new_reader(self, type: Any) -> Reader:
        code = type.code
        if code == gdb.TYPE_CODE_BOOL:
            return self._bool
        if code == gdb.TYPE_CODE_CHAR:
            return self._char
        if code == gdb.TYPE_CODE_VOID or (code == gdb.TYPE_CODE_INT and not type.sizeof):
            return lambda address: "()"
        if code == gdb.TYPE_CODE_INT:
            size, is_signed = type.sizeof, type.is_signed
            return lambda address: str(
                int.from_bytes(self.memory(address, size), "little", signed=is_signed)
            )
        if code == gdb.TYPE_CODE_FLT:
            return self._float(type.sizeof)
        if code == gdb.TYPE_CODE_ENUM:
            return self._names(type)
        if code == gdb.TYPE_CODE_PTR:
            return self._pointer(type)
        if code == gdb.TYPE_CODE_ARRAY:
            low, high = type.range()
            item = type.target()
            return lambda address: self.items(item, address, high - low + 1)
        if code == gdb.TYPE_CODE_STRUCT:
            return self._enum(type) if is_enum(type) else self._struct(type)
        return super()._new_reader(type)

    # -- scalars ---------------------------------------------------------------------------------

    def _bool(self, address: int) -> str:
        return {0: "false", 1: "true"}.get(self.memory(address, 1)[0], UNINITIALIZED)

    def _char(self, address: int) -> str:
        return quote_char(int.from_bytes(self.memory(address, 4), "little")) or UNINITIALIZED

    def _float(self, size: int) -> Reader:
        def read(address: int) -> str:
            data = self.memory(address, size)
            if size == 4:
                return float_text(float32_text(struct.unpack("<f", data)[0]))
            return float_text(repr(struct.unpack("<d", data)[0]))

        return read

    def _names(self, type: Any) -> Reader:
        """An enum whose variants have no values."""
        names = {field.enumval: field.name.rpartition("::")[2] for field in type.fields()}
        size = type.sizeof

        def read(address: int) -> str:
            data = self.memory(address, size)
            signed, unsigned = (
                int.from_bytes(data, "little", signed=is_signed) for is_signed in (True, False)
            )
            return str(names.get(signed, names.get(unsigned, UNINITIALIZED)))

        return read

    def _pointer(self, type: Any) -> Reader:
        """A reference or a Box; the debug information does not tell them from raw pointers."""
        target = type.target().strip_typedefs()
        if target.code == gdb.TYPE_CODE_FUNC:
            return lambda address: "<function>"
        if target.code == gdb.TYPE_CODE_VOID:
            return lambda address: "<pointer>"

        def read(address: int) -> str:
            pointer = self._word(address)
            return self._read(target, pointer) if pointer else "<null>"

        return read

    # -- sequences -------------------------------------------------------------------------------

    def items(self, type: Any, address: int, count: int) -> str:
        """Values that follow one another in memory: [1, 2]"""
        type = type.strip_typedefs()
        size = type.sizeof
        if count > MAX_SIZE:
            return UNINITIALIZED
        count = min(count, self.limit)
        if type.code == gdb.TYPE_CODE_INT and size in _FORMATS:
            format = _FORMATS[size] if type.is_signed else _FORMATS[size].upper()
            numbers = struct.unpack(f"<{count}{format}", self.memory(address, size * count))
            return f"[{', '.join(map(str, numbers))}]"
        texts = (self._read(type, address + n * size) for n in range(count))
        return self.enclosed(texts, "[", "]")

    def string(self, address: int, size: int) -> str:
        """A string of `size` bytes."""
        if size > MAX_SIZE:
            return UNINITIALIZED
        self._string_size = size
        # A character has up to four bytes.
        return quote(self.memory(address, min(size, 4 * self.limit)))

    def _fat_pointer(self, type: Any) -> "Reader | None":
        """A pointer with a length or a table of methods; None if it is not one."""
        fields = {field.name: field for field in type.fields()}
        if set(fields) == {"pointer", "vtable"}:
            name = last_name_of_trait(type.name or "")
            return lambda address: f"<dyn {name}>"
        if set(fields) != {"data_ptr", "length"}:
            return None
        item = fields["data_ptr"].type.target()
        pointer_at, length_at = (fields[name].bitpos // 8 for name in ("data_ptr", "length"))
        name = type.name or ""
        is_text = name.endswith(("&str", "&mut str", "const str")) or "<str" in name

        def read(address: int) -> str:
            pointer, length = (self._word(address + at) for at in (pointer_at, length_at))
            if is_text:
                return self.string(pointer, length)
            return self.items(item, pointer, length)

        return read

    # -- structs and enums -----------------------------------------------------------------------

    def _struct(self, type: Any) -> Reader:
        name = type.name or ""
        fat = self._fat_pointer(type)
        if fat is not None:
            return fat
        if is_tuple(type):
            return self._fields(type, "")
        if "{closure_env" in name:
            return lambda address: "<closure>"
        if name.startswith(("fn(", "unsafe fn(", "extern ")) or "{fn_item" in name:
            return lambda address: "<function>"
        if name.startswith(_LIBRARIES):
            return self._library(type, last_name(type))
        return self._fields(type, last_name(type))

    def _library(self, type: Any, name: str) -> Reader:
        """A struct of the standard library."""
        if name in _RANGES:
            return self._range(type, *_RANGES[name])
        if name in _WITH_VALUE:
            return self._with_value(type, name, _WITH_VALUE[name])
        if name in ("Rc", "Arc", "Box", "Pin"):
            return self._shared(type)
        if name in _TRANSPARENT:
            inner = type.template_argument(0)
            return lambda address: self._read(inner, address)
        if name in (*_WITH_FIELDS, *_ERRORS):
            return self._fields(type, name)
        collection = collection_items(self, type, name)
        if collection is not None:
            return collection
        return lambda address: f"<{name}>"

    def _with_value(self, type: Any, name: str, label: str) -> Reader:
        inner = type.template_argument(0)
        position = own_field(type, label)
        if position is None:
            return lambda address: f"<{name}>"
        offset = position[1]
        return lambda address: f"{name} {{ {label}: {self._read(inner, address + offset)} }}"

    def _shared(self, type: Any) -> Reader:
        """A pointer with a counter: the value that it points to."""
        position = find_pointer(type)
        if position is None or position[0].code != gdb.TYPE_CODE_STRUCT:
            return lambda address: f"<{last_name(type)}>"
        target, offset = position
        length = find_field(type, "length")
        if length is not None:
            return self._shared_slice(type, offset, length[1])
        value = own_field(target, "value", "data")
        if value is None:
            return lambda address: self._read(target, self._word(address + offset))
        inner, place = value
        return lambda address: self._read(inner, self._word(address + offset) + place)

    def _shared_slice(self, type: Any, pointer_at: int, length_at: int) -> Reader:
        """A string or slice behind two counters."""
        if "<str" not in (type.name or ""):
            return lambda address: f"<{last_name(type)}>"
        return lambda address: self.string(
            self._word(address + pointer_at) + _COUNTERS, self._word(address + length_at)
        )

    def _range(self, type: Any, before: str, between: str) -> Reader:
        ends = [field for field in type.fields() if field.name in ("start", "end", "idx")]
        ends.sort(key=lambda field: field.name != "start")

        def read(address: int) -> str:
            texts = [self._read(field.type, address + field.bitpos // 8) for field in ends]
            return f"{before}{texts[0]}{between}{''.join(texts[1:])}" if texts else ".."

        return read

    def _fields(self, type: Any, name: str) -> Reader:
        """A struct or variant by its fields: Point { x: 1 }, Some(3), (1, 2)"""
        fields = [field for field in type.fields() if not field.artificial]
        if not fields:
            return lambda address: name or "()"
        is_positional = all(field.name.startswith("__") for field in fields)

        def read(address: int) -> str:
            texts = (
                ("" if is_positional else f"{field.name}: ")
                + self._read(field.type, address + field.bitpos // 8)
                for field in fields
            )
            if not is_positional:
                return self.enclosed(texts, f"{name} {{ ", " }")
            is_single = not name and len(fields) == 1
            return self.enclosed(texts, f"{name}(", ",)" if is_single else ")")

        return read

    def _enum(self, type: Any) -> Reader:
        tag = discriminant(type)
        is_transparent = last_name(type) == "Cow"
        if tag is None:
            return self._variant(type, is_transparent)
        offset, size, name = tag.bitpos // 8, tag.type.sizeof, type.name or str(type)

        def read(address: int) -> str:
            key = (name, self.memory(address + offset, size))
            if key not in self._variants:
                if len(self._variants) > _CACHED_VARIANTS:
                    self._variants.clear()
                resolved = value_at(type, address).type
                self._variants[key] = self._variant(resolved, is_transparent)
            return self._variants[key](address)

        return read

    def _variant(self, type: Any, is_transparent: bool) -> Reader:
        """The variant of an enum whose discriminant has been read."""
        active = variants(type)
        if len(active) != 1:
            return lambda address: UNINITIALIZED
        if is_transparent:
            (inner,) = active[0].type.fields()
            return lambda address: self._read(inner.type, address + inner.bitpos // 8)
        return self._fields(active[0].type, active[0].name)


def last_name_of_trait(name: str) -> str:
    """The trait of a pointer: `&dyn program::Shape` -> Shape"""
    trait = re.search(r"dyn (?:\w+::)*(\w+)", name)
    return trait[1] if trait is not None else "object"
