"""Types of Rust's debug information: their names, fields and variants."""

import re
from typing import Any

import gdb

_SCALARS = (
    *(gdb.TYPE_CODE_INT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_FLT),
    *(gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_PTR),
)
STRUCT = gdb.TYPE_CODE_STRUCT


def last_name(type: Any) -> str:
    """The last part of a type's name, without its parameters: a::Point<i32> -> Point"""
    name = re.sub(r"\{[^{}]*\}", "", type.name or str(type))
    return name.partition("<")[0].rpartition("::")[2]


def is_tuple(type: Any) -> bool:
    """Whether a type is a tuple, or `()`."""
    return (type.name or "").startswith("(")


def is_enum(type: Any) -> bool:
    """Whether a struct of the debug information is an enum with variants."""
    fields = type.fields() if type.code == STRUCT else []
    if any(field.artificial for field in fields):
        return True
    # The only variant of an enum has the enum's name in its own.
    return len(fields) == 1 and fields[0].type.name == f"{type.name}::{fields[0].name}"


def discriminant(type: Any) -> "Any | None":
    """The field that tells the variants of an enum apart; None if it has only one."""
    return next((field for field in type.fields() if field.artificial), None)


def variants(type: Any) -> "list[Any]":
    """The fields of an enum that are its variants."""
    return [field for field in type.fields() if not field.artificial]


def find_field(type: Any, name: str, offset: int = 0) -> "tuple[Any, int] | None":
    """The type and offset of a field with a name; if there is none, in the fields of fields."""
    type = type.strip_typedefs()
    places = type.fields() if type.code == STRUCT else []
    for field in places:
        if field.name == name:
            return field.type.strip_typedefs(), offset + field.bitpos // 8
    inner = (find_field(field.type, name, offset + field.bitpos // 8) for field in places)
    return next((place for place in inner if place is not None), None)


def own_field(type: Any, *names: str) -> "tuple[Any, int] | None":
    """The type and offset of the first field that has one of these names."""
    for field in type.fields():
        if field.name in names:
            return field.type.strip_typedefs(), field.bitpos // 8
    return None


def find_pointer(type: Any, target: str = "", offset: int = 0) -> "tuple[Any, int] | None":
    """The target and offset of the first pointer in a type.

    Args:
        type: The type.
        target: How the name of what it points to has to begin.
        offset: The offset of the type itself.
    """
    type = type.strip_typedefs()
    if type.code == gdb.TYPE_CODE_PTR:
        inner = type.target().strip_typedefs()
        return (inner, offset) if (inner.name or "").startswith(target) else None
    if type.code != STRUCT:
        return None
    for field in type.fields():
        if field.type.sizeof:
            pointer = find_pointer(field.type, target, offset + field.bitpos // 8)
            if pointer is not None:
                return pointer
    return None


def is_copied(type: Any, copied: "frozenset[str]") -> bool:
    """Whether values of a type are copied, not moved.

    References count as copied, since `&mut` is borrowed again where it is used.

    Args:
        type: The type.
        copied: The names of the program's types that are.
    """
    type = type.strip_typedefs()
    if type.code == gdb.TYPE_CODE_ARRAY:
        return is_copied(type.target(), copied)
    if type.code in _SCALARS or type.code != STRUCT:
        return True
    name = type.name or ""
    if name.startswith(("&", "{closure", "fn(")) or "{closure_env" in name:
        return True
    if not is_tuple(type) and not name.startswith("core::option::Option<"):
        return last_name(type) in copied
    return all(
        is_copied(field.type, copied)
        for part in (variants(type) if is_enum(type) else [None])
        for field in (type if part is None else part.type).fields()
    )


def scalars(type: Any, offset: int = 0) -> "list[tuple[int, int, bool]] | None":
    """The offsets and sizes of the one or two scalars of a type, and whether they are floats.

    A value of two scalars is returned in two registers. None for other types, whose bytes are
    returned in registers as they are in memory.
    """
    type = type.strip_typedefs()
    if not type.sizeof:
        return []
    if type.code in _SCALARS:
        return [(offset, type.sizeof, type.code == gdb.TYPE_CODE_FLT)]
    if type.code != STRUCT:
        return None
    if is_enum(type):
        return _enum_scalars(type, offset)
    parts = [
        scalars(field.type, offset + field.bitpos // 8)
        for field in type.fields()
        if field.type.sizeof
    ]
    if len(parts) == 1:
        return parts[0]
    pair = [part[0] for part in parts if part is not None and len(part) == 1]
    return sorted(pair) if len(parts) == len(pair) == 2 else None


def _enum_scalars(type: Any, offset: int) -> "list[tuple[int, int, bool]] | None":
    tag = discriminant(type)
    parts = [scalars(field.type, offset + field.bitpos // 8) for field in _full(variants(type))]
    if tag is None:
        return parts[0] if len(parts) == 1 else None
    own = (offset + tag.bitpos // 8, tag.type.sizeof, False)
    if not parts:
        return [own]
    if any(part is None or len(part) > 2 for part in parts):
        return None
    known = [part for part in parts if part is not None]
    is_niche = any(start <= own[0] < start + size for part in known for start, size, _ in part)
    if is_niche:
        return known[0] if len(known) == 1 else None
    if all(part == known[0] and len(part) == 1 for part in known):
        return sorted([own, known[0][0]])
    return None


def _full(fields: "list[Any]") -> "list[Any]":
    """The variants that contain a value."""
    return [field for field in fields if any(each.type.sizeof for each in field.type.fields())]
