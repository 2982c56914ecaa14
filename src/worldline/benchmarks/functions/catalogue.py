"""The files of this folder go in; data types, each with its functions, come out.

In a file, each function of `x` is one to ask about: its text stands in the programs, and it says
itself what they return. `argument` draws a value to begin with; `fits` says which values the
functions take without raising, and how long and how large they may become.
"""

import inspect
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from worldline.benchmarks.draws import Draws
from worldline.errors import InputError


@dataclass(frozen=True, slots=True)
class Function:
    """A function of one argument: its name in the catalogue, its expression, and itself.

    "string_reverse", "x[::-1]"; `takes` is the type of its argument.
    """

    name: str
    expression: str
    takes: type
    apply: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class DataType:
    """A data type, its functions, and which values they are applied to.

    `may_keep`: a function may give back what it got, and still belong into a chain.
    """

    name: str
    functions: tuple[Function, ...]
    argument: Callable[[Draws], Any]
    fits: Callable[[Any], bool]
    may_keep: bool = False


def read_type(name: str, module: ModuleType) -> DataType:
    """What a file of this folder says of a data type."""
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and list(inspect.signature(value).parameters) == ["x"]
    ]
    return DataType(
        name=name,
        functions=tuple(_function(name, each) for each in found),
        argument=module.argument,
        fits=module.fits,
        may_keep=getattr(module, "MAY_KEEP", False),
    )


def check_catalogue(types: Collection[DataType]) -> None:
    """Refuse a name that two functions have, and two functions of a type that are written alike."""
    functions = [each for data_type in types for each in data_type.functions]
    names = Counter(each.name for each in functions)
    texts = Counter((d.name, f.takes, f.expression) for d in types for f in d.functions)
    for what, times in [*names.items(), *texts.items()]:
        if times > 1:
            raise InputError(
                f"the catalogue has {what!r} {times} times; change or drop one of them"
            )


def _function(data_type: str, function: FunctionType) -> Function:
    """One function with its text: two lines, of which the second returns an expression."""
    _, body = inspect.getsource(function).splitlines()
    takes: Any = function.__annotations__["x"]
    return Function(
        f"{data_type}_{function.__name__}",
        body.removeprefix("    return "),
        # Of list[int], the list.
        getattr(takes, "__origin__", takes),
        function,
    )
