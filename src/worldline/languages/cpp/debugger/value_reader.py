"""Values of the program as text, in C++'s own notation.

Values are read from memory directly; those of classes of the standard library that are unknown here
through the printers of libstdc++. No code of the program is executed.
"""

import re
import struct
from typing import Any

import gdb

from ...native.debugger.memory_reader import UNINITIALIZED, Reader, value_at
from .container_items import item_addresses, value_offset
from .scalar_reader import PATTERN, ScalarReader
from .type_fields import (
    base_names,
    data_fields,
    has_virtual_functions,
    is_closure,
    lookup_type,
    tuple_items,
)
from .value_text import quote

# Larger sizes are garbage.
_MAX_SIZE = 1 << 32
_ADAPTERS = ("queue", "stack", "priority_queue")
# Exceptions whose message is after the pointer to their virtual functions.
_WITH_MESSAGE = frozenset(
    f"std::{name}"
    for name in (
        *("logic_error", "domain_error", "invalid_argument", "length_error", "out_of_range"),
        *("runtime_error", "range_error", "overflow_error", "underflow_error", "regex_error"),
        *("system_error", "ios_base::failure", "filesystem::filesystem_error"),
    )
)
_MESSAGE_OFFSET = 8
_EXCEPTIONS = _WITH_MESSAGE | {"std::exception", "std::bad_alloc", "std::bad_cast"}
_FORMATS = {1: "b", 2: "h", 4: "i", 8: "q"}


class ValueReader(ScalarReader):
    """Reads values, each at most about `limit` characters long."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        # Names of classes by the addresses of their tables of virtual functions.
        self._classes: dict[int, str] = {}

    def _new_reader(self, type: Any) -> Reader:
        code = type.code
        if code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            target = type.target()
            return lambda address: self._read(target, self._word(address))
        if code == gdb.TYPE_CODE_ARRAY:
            return self._array(type)
        if code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            return self._class(type)
        return super()._new_reader(type)

    def _array(self, type: Any) -> Reader:
        low, high = type.range()
        item = type.target()
        if str(item.strip_typedefs().unqualified()) == "char" and high >= low:

            def read(address: int) -> str:
                data = self.memory(address, high - low + 1)
                return UNINITIALIZED if not data.strip(PATTERN) else quote(data.partition(b"\0")[0])

            return read
        return lambda address: self._items(item, address, high - low + 1)

    def _items(self, type: Any, address: int, count: int) -> str:
        """Values that follow one another in memory: {1, 2}"""
        type = type.strip_typedefs().unqualified()
        size = type.sizeof
        count = min(count, self.limit)
        if type.code == gdb.TYPE_CODE_INT and size in _FORMATS and str(type) != "char":
            format = _FORMATS[size] if type.is_signed else _FORMATS[size].upper()
            data = self.memory(address, size * count)
            if size < 4 or PATTERN * size not in data:
                numbers = struct.unpack(f"<{count}{format}", data)
                return f"{{{', '.join(map(str, numbers))}}}"
        return self._braces(self._read(type, address + n * size) for n in range(count))

    def _braces(self, texts: Any, prefix: str = "") -> str:
        """Texts in braces, up to the limit."""
        return self.enclosed(texts, f"{prefix}{{", "}")

    def _class(self, type: Any) -> Reader:
        name = type.name or str(type)
        if "<lambda" in name.rpartition("::")[2] or is_closure(type):
            return lambda address: "<lambda>"
        if re.match(r"std::(__cxx11::)?basic_string<char,", name):
            return self._string
        if name.startswith("std::basic_string_view<char,"):
            return self._string_view
        if name.startswith("std::vector<") and not name.startswith("std::vector<bool"):
            return self._vector(type)
        if name.startswith("std::array<"):
            return self._array_class(type)
        if name.startswith("std::pair<"):
            return self._fields(type, "std::pair", names=False)
        if name.startswith("std::tuple<"):
            return self._tuple(type)
        if name.startswith("std::function<"):
            return lambda address: "<function>"
        if "iterator" in name.partition("<")[0]:
            return lambda address: "<iterator>"
        if name.startswith(("std::", "__gnu_cxx::")):
            return self._standard(type, name)
        if type.code == gdb.TYPE_CODE_UNION:
            name = f"union {name}"
        fields = self._fields(type, name, names=True)
        return self._polymorphic(name, fields) if has_virtual_functions(type) else fields

    def _polymorphic(self, name: str, fields: Reader) -> Reader:
        """An object that may be of a class that is derived from its type."""

        def read(address: int) -> str:
            other = self._dynamic_name(address)
            type = lookup_type(other) if other and other != name else None
            if type is None:
                return fields(address)
            return self._fields(type, other, names=True)(address)

        return read

    def _string(self, address: int) -> str:
        pointer, size = struct.unpack("<QQ", self.memory(address, 16))
        if size > _MAX_SIZE or pointer == 0:
            return UNINITIALIZED
        # A string ends with a zero byte; what does not is no string.
        if self.memory(pointer + size, 1) != b"\0":
            return UNINITIALIZED
        self._string_size = size
        return quote(self.memory(pointer, min(size, self.limit)))

    def _string_view(self, address: int) -> str:
        size, pointer = struct.unpack("<QQ", self.memory(address, 16))
        if size > _MAX_SIZE:
            return UNINITIALIZED
        return quote(self.memory(pointer, min(size, self.limit)))

    def _vector(self, type: Any) -> Reader:
        item = type.template_argument(0)
        size = item.sizeof

        def read(address: int) -> str:
            start, finish = struct.unpack("<QQ", self.memory(address, 16))
            length = finish - start
            if length < 0 or length % size or length > _MAX_SIZE:
                return UNINITIALIZED
            return self._items(item, start, length // size)

        return read

    def _array_class(self, type: Any) -> Reader:
        fields = [field for field in type.fields() if field.name == "_M_elems"]
        item, count = type.template_argument(0), int(type.template_argument(1))
        if not fields or not count:
            return lambda address: "{}"
        return lambda address: self._items(item, address, count)

    def _fields(self, type: Any, name: str, *, names: bool) -> Reader:
        """A class by its fields: Point{.x = 1, .y = 2}"""
        fields = list(data_fields(type))
        prefix = re.sub(r"^\(anonymous namespace\)::", "", name) if type.name else ""

        def read(address: int) -> str:
            texts = []
            for field, offset in fields:
                text = self._field(field, address + offset, type, address)
                label = f".{field.name} = " if names and field.name else ""
                texts.append(label + text)
            return self._braces(texts, prefix)

        return read

    def _field(self, field: Any, address: int, type: Any, whole: int) -> str:
        if field.bitsize:
            return str(int(value_at(type, whole)[field]))
        return self._read(field.type, address)

    def _tuple(self, type: Any) -> Reader:
        items = sorted(tuple_items(type, 0), key=lambda each: each[0])
        return lambda address: self._braces(
            (self._read(item, address + offset) for _, item, offset in items), "std::tuple"
        )

    def _standard(self, type: Any, name: str) -> Reader:
        """A class of the standard library."""
        short = re.sub(r"^std::(__cxx11::|__debug::)?", "", name.partition("<")[0])
        if name in _EXCEPTIONS or "std::exception" in base_names(type):
            return lambda address: self.exception(name, address)
        if short == "monostate":
            return lambda address: "std::monostate{}"
        if short == "bitset":
            return self._bitset(int(type.template_argument(0)))
        if short in _ADAPTERS:
            inner = type.template_argument(1)
            return lambda address: f"std::{short}{self._read(inner, address)}"
        if short == "optional":
            return self._optional(type)
        if short == "variant":
            return self._variant(type)
        if short in ("unique_ptr", "shared_ptr", "reference_wrapper"):
            return self._smart_pointer(type)
        if item_addresses(self.memory, short, type) is not None:
            return self._container(short, type)
        return lambda address: self._printed(short, value_at(type, address))

    def _container(self, name: str, type: Any) -> Reader:
        items = item_addresses(self.memory, name, type)
        assert items is not None
        item = type.template_argument(0)
        prefix = f"std::{name}" if name.endswith(("map", "set")) else ""
        offset = value_offset(type) if name.endswith("map") else 0
        value = type.template_argument(1) if offset else None

        def read(address: int) -> str:
            addresses = items(address)
            if addresses is None:
                return UNINITIALIZED
            if value is None:
                return self._braces((self._read(item, place) for place in addresses), prefix)
            pairs = (
                f"{{{self._read(item, place)}, {self._read(value, place + offset)}}}"
                for place in addresses
            )
            return self._braces(pairs, prefix)

        return read

    def _bitset(self, count: int) -> Reader:
        def read(address: int) -> str:
            number = int.from_bytes(self.memory(address, -(-count // 64) * 8), "little")
            return f'std::bitset("{number:0{count}b}")'

        return read

    def _optional(self, type: Any) -> Reader:
        item = type.template_argument(0)
        states = {0: "std::nullopt"}

        def read(address: int) -> str:
            is_set = self.memory(address + item.sizeof, 1)[0]
            return self._read(item, address) if is_set == 1 else states.get(is_set, UNINITIALIZED)

        return read

    def _variant(self, type: Any) -> Reader:
        index = next(
            ((field, offset) for field, offset in data_fields(type) if field.name == "_M_index"),
            None,
        )
        if index is None:
            return lambda address: "<std::variant>"
        (field, offset) = index

        def read(address: int) -> str:
            number = self.memory(address + offset, field.type.sizeof)[0]
            try:
                return self._read(type.template_argument(number), address)
            except (RuntimeError, gdb.error):
                return UNINITIALIZED  # there is no such alternative

        return read

    def _smart_pointer(self, type: Any) -> Reader:
        """A smart pointer without a deleter that has a state: the value that it points to."""
        item = type.template_argument(0)

        def read(address: int) -> str:
            pointer = self._word(address)
            return "&" + self._read(item, pointer) if pointer else "nullptr"

        return read

    def _printed(self, name: str, value: Any) -> str:
        """A class of the standard library, through its printer."""
        try:
            printer = gdb.default_visualizer(value)
            if printer is None or not hasattr(printer, "children"):
                return f"<std::{name}>"
            texts = [self._child(child) for _, child in printer.children()]
        except (gdb.error, AttributeError, RuntimeError, TypeError, ValueError):
            return f"<std::{name}>"
        return self._braces(texts, "" if name == "vector" else f"std::{name}")

    def exception(self, name: str, address: int) -> str:
        """An exception of the standard library, or one that is derived from it.

        std::out_of_range("vector")
        """
        name = self._dynamic_name(address) or name
        type = lookup_type(name)
        bases = base_names(type) if type is not None else [name]
        name = name.replace("__cxx11::", "")
        if not any(base.replace("__cxx11::", "") in _WITH_MESSAGE for base in bases):
            return f"{name}()"
        return f"{name}({self.c_string(self._word(address + _MESSAGE_OFFSET))})"

    def _dynamic_name(self, address: int) -> str:
        """The name of the class of an object with virtual functions; "" if it is unknown."""
        table = self._word(address)
        if table not in self._classes:
            symbol = gdb.execute(f"info symbol {table:#x}", to_string=True)
            # The first part of the table is that of the whole object.
            match = re.match(r"vtable for (.*?) \+ 16\b", symbol)
            self._classes[table] = match[1] if match is not None else ""
        return self._classes[table]

    def _child(self, child: Any) -> str:
        if not isinstance(child, gdb.Value):
            # Items of a vector<bool> are Python's.
            return str(child).lower() if isinstance(child, bool) else str(child)
        if child.address is not None:
            return self._read(child.type, int(child.address))
        return str(child)
