"""Text of a thrown object, from its address and its type."""

import re

import gdb

from .type_fields import base_names, lookup_type
from .value_reader import ValueReader

# The debug information of a class may lack the bases of its bases.
_EXCEPTION_BASES = frozenset(["std::exception", "std::logic_error", "std::runtime_error"])


def thrown_text(reader: ValueReader, address: int, type_info: int) -> str:
    """The text of a thrown object: std::out_of_range("vector")

    Args:
        reader: Reads values.
        address: Where the object is.
        type_info: Where its `std::type_info` is.
    """
    name = _type_name(type_info)
    type = lookup_type(name)
    if type is None or name.startswith("std::") or _EXCEPTION_BASES.intersection(base_names(type)):
        return reader.exception(name, address)
    return reader.read(type, address)


def _type_name(type_info: int) -> str:
    """The name of a type: 0x… -> "std::out_of_range" """
    symbol = gdb.execute(f"info symbol {type_info:#x}", to_string=True)
    match = re.match(r"typeinfo for (.*?)(?: \+ \d+)?(?: in section .*)?$", symbol.strip())
    return match[1] if match is not None else "<exception>"
