"""Functions of our own to compose programs of, a file each data type."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from worldline.benchmarks.functions import (
    bitwise,
    booleans,
    characters,
    dicts,
    floats,
    integers,
    lists,
    mixed,
    sets,
    strings,
    tuples,
)
from worldline.benchmarks.functions.catalogue import (
    DataType,
    Function,
    check_catalogue,
    read_type,
)

_FILES = {
    "bool": booleans,
    "bitwise": bitwise,
    "integer": integers,
    "float": floats,
    "character": characters,
    "string": strings,
    "list": lists,
    "set": sets,
    "dict": dicts,
    "tuple": tuples,
    "mixed": mixed,
}
TYPES: tuple[str, ...] = tuple(_FILES)


# Reading hundreds of functions takes a moment that not every import should pay.
@cache
def data_types() -> Mapping[str, DataType]:
    """All data types by name, in the order to read them in."""
    found = {name: read_type(name, module) for name, module in _FILES.items()}
    check_catalogue(found.values())
    return MappingProxyType(found)


__all__ = ["TYPES", "DataType", "Function", "data_types"]
