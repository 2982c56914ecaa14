"""Small functions from which `composition` builds programs, one module per data type."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from worldline.evaluation.benchmarks.functions import (
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
from worldline.evaluation.benchmarks.functions.catalogue import (
    CatalogFunction,
    DataType,
    check_catalogue,
    load_data_type,
)

_MODULES = {
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
TYPES: tuple[str, ...] = tuple(_MODULES)


# Cached and not done at import: reading the source of hundreds of functions takes a moment.
@cache
def data_types() -> Mapping[str, DataType]:
    """All data types by name, in the order of `TYPES`."""
    types = {name: load_data_type(name, module) for name, module in _MODULES.items()}
    check_catalogue(types.values())
    return MappingProxyType(types)


__all__ = ["TYPES", "CatalogFunction", "DataType", "data_types"]
