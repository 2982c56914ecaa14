"""Types of the debug information: their fields, bases and names."""

import re
from typing import Any

import gdb


def is_closure(type: Any) -> bool:
    """Whether a class without a name is the type of a lambda; its fields are what it captures."""
    return not type.name and any((field.name or "").startswith("__") for field in type.fields())


def has_virtual_functions(type: Any) -> bool:
    """Whether objects of a class begin with the address of a table of virtual functions."""
    first = next((field for field in type.fields() if hasattr(field, "bitpos")), None)
    if first is None or first.bitpos:
        return False
    if first.is_base_class:
        return has_virtual_functions(first.type.strip_typedefs())
    return (first.name or "").startswith("_vptr")


def data_fields(type: Any, offset: int = 0) -> Any:
    """Fields of a class and its bases with their offsets, without static ones."""
    for field in type.fields():
        if not hasattr(field, "bitpos"):
            continue
        if field.is_base_class:
            yield from data_fields(field.type.strip_typedefs(), offset + field.bitpos // 8)
        elif not (field.name or "").startswith("_vptr"):
            yield field, offset + field.bitpos // 8


def lookup_type(name: str) -> Any:
    """The type of a name; None if the debug information does not have it."""
    try:
        if name.endswith("*"):
            return gdb.lookup_type(name[:-1].replace(" const", "").strip()).pointer()
        return gdb.lookup_type(name).strip_typedefs()
    except gdb.error:
        return None


def base_names(type: Any) -> "list[str]":
    """The names of a class and of its bases."""
    if type.code != gdb.TYPE_CODE_STRUCT:
        return []
    names = [type.name or ""]
    for field in type.fields():
        if field.is_base_class:
            names += base_names(field.type.strip_typedefs())
    return names


def tuple_items(type: Any, offset: int) -> Any:
    """The numbers, types and offsets of the items of a tuple."""
    for field in type.fields():
        if not hasattr(field, "bitpos"):
            continue
        inner = field.type.strip_typedefs()
        place = offset + field.bitpos // 8
        head = re.match(r"std::_Head_base<(\d+)", inner.name or "")
        if head is not None:
            yield int(head[1]), inner.template_argument(1), place
        elif field.is_base_class:
            yield from tuple_items(inner, place)
