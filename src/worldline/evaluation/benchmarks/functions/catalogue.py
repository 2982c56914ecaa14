"""Catalogue of the functions in this package, by data type.

In a module of this package, each function with the single parameter `x` is in the catalogue: its
source text is part of the programs, and applying it gives the expected values. `draw_argument`
draws a first value. `is_valid` says which values the functions accept without raising, and limits
their size.
"""

import inspect
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from worldline.core.errors import InputError
from worldline.core.util.seeded_random import SeededRandom


@dataclass(frozen=True, slots=True)
class CatalogFunction:
    """A function of one argument, with its name in the catalogue and its expression.

    "string_reverse", "x[::-1]", str
    """

    name: str
    expression: str
    argument_type: type
    apply: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class DataType:
    """A data type, its functions, and the values that they are applied to.

    With `may_return_argument`, a chain may contain functions that return their argument.
    """

    name: str
    functions: tuple[CatalogFunction, ...]
    draw_argument: Callable[[SeededRandom], Any]
    is_valid: Callable[[Any], bool]
    may_return_argument: bool = False

    def __repr__(self) -> str:
        return f"<DataType {self.name}: {len(self.functions)} functions>"


def load_data_type(name: str, module: ModuleType) -> DataType:
    """Collect the functions of a module."""
    functions = [
        value
        for value in vars(module).values()
        if isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and list(inspect.signature(value).parameters) == ["x"]
    ]
    return DataType(
        name=name,
        functions=tuple(_catalog_function(name, function) for function in functions),
        draw_argument=module.draw_argument,
        is_valid=module.is_valid,
        may_return_argument=getattr(module, "MAY_RETURN_ARGUMENT", False),
    )


def check_catalogue(types: Collection[DataType]) -> None:
    """Refuse duplicate names, and duplicate expressions within a data type."""
    functions = [function for data_type in types for function in data_type.functions]
    names = Counter(function.name for function in functions)
    texts = Counter((d.name, f.argument_type, f.expression) for d in types for f in d.functions)
    for duplicate, count in [*names.items(), *texts.items()]:
        if count > 1:
            raise InputError(
                f"the catalogue has {duplicate!r} {count} times; change or drop one of them"
            )


def _catalog_function(data_type: str, function: FunctionType) -> CatalogFunction:
    """Read a function's expression from its source: two lines, the second is the return."""
    _, body = inspect.getsource(function).splitlines()
    annotation: Any = function.__annotations__["x"]
    return CatalogFunction(
        f"{data_type}_{function.__name__}",
        body.removeprefix("    return "),
        # list[int] -> list
        getattr(annotation, "__origin__", annotation),
        function,
    )
