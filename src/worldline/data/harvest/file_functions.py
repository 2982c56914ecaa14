"""Functions and calls of one file, found in this process or in a worker."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from worldline.data.harvest.function_slice import FunctionSlice
from worldline.data.harvest.literal_calls import find_literal_calls
from worldline.data.harvest.module_functions import slice_functions
from worldline.data.harvest.module_index import index_module
from worldline.data.harvest.source_packages import SourceFile


@dataclass(frozen=True, slots=True)
class FileFunctions:
    """What a file has for a harvest.

    Attributes:
        calls: calls with literal arguments: the source of the input, the function's name, the call.
        functions: the functions that are defined in it; None if it cannot be parsed. A test has
            none: its functions are not harvested.
    """

    calls: tuple[tuple[str, str, str], ...]
    functions: tuple[FunctionSlice, ...] | None


# Applies `find_functions` to files, in their order: the built-in `map`, or one with processes.
FileMap = Callable[
    [Callable[[SourceFile], FileFunctions], Iterable[SourceFile]], Iterator[FileFunctions]
]


def find_functions(file: SourceFile) -> FileFunctions:
    """Find the functions and calls of a file."""
    calls = tuple(find_literal_calls(file))
    if file.is_test:
        return FileFunctions(calls, ())
    index = index_module(file.text)
    return FileFunctions(calls, None if index is None else tuple(slice_functions(index)))
