"""A name and options as typed go in, a benchmark comes out.

A benchmark is one function and one line in `BENCHMARKS`. Its keyword-only arguments are its
options, and their annotations say how an option is read; `data` says where its files are.
"""

import difflib
import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from worldline.benchmarks.benchmark import Benchmark
from worldline.benchmarks.composition import composition
from worldline.benchmarks.cruxeval import cruxeval
from worldline.benchmarks.files import from_files
from worldline.benchmarks.humaneval import humaneval
from worldline.benchmarks.options import option_from_text, option_to_text
from worldline.benchmarks.permutation import permutation
from worldline.errors import InputError

BENCHMARKS: Mapping[str, Callable[..., Benchmark]] = {
    "cruxeval": cruxeval,
    "humaneval": humaneval,
    "permutation": permutation,
    "composition": composition,
}


@dataclass(frozen=True, slots=True)
class Description:
    """A benchmark in a listing. `options` are the defaults as one would type them; none where one
    has to be given."""

    name: str
    summary: str
    options: Mapping[str, str | None]


def load_benchmark(
    name: str, *, data: str | None = None, options: Mapping[str, str] | None = None
) -> Benchmark:
    """A benchmark by its name, or the files at a path.

    "permutation", options={"variables": "5", "lengths": "8,64"} -> that benchmark
    """
    options = options or {}
    if name in BENCHMARKS:
        make = BENCHMARKS[name]
        given = _read_options(name, make, options)
        if data is not None:
            if "data" not in inspect.signature(make).parameters:
                raise InputError(f"{name} is made, not read: it takes no data")
            given["data"] = data
        return make(**given)
    if not os.path.exists(name):
        raise InputError(_unknown("benchmark", name, BENCHMARKS) + "; or give a file or a folder")
    if options or data is not None:
        raise InputError(f"{name} is a file or folder of your own: it takes no options and no data")
    return from_files(name)


def describe_benchmarks() -> list[Description]:
    """What there is: names, a line about each, and the options with their defaults."""
    return [_describe(name, make) for name, make in BENCHMARKS.items()]


def _describe(name: str, make: Callable[..., Benchmark]) -> Description:
    options = {
        option: None if found.default is found.empty else option_to_text(found.default)
        for option, found in _options(make).items()
    }
    return Description(name, (inspect.getdoc(make) or "").split("\n")[0], options)


def _options(make: Callable[..., Benchmark]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(make, eval_str=True).parameters
    return {name: found for name, found in parameters.items() if found.kind == found.KEYWORD_ONLY}


def _read_options(
    name: str, make: Callable[..., Benchmark], options: Mapping[str, str]
) -> dict[str, Any]:
    known = _options(make)
    given: dict[str, Any] = {}
    for option, text in options.items():
        if option not in known:
            raise InputError(_unknown(f"option of {name}", option, known))
        try:
            given[option] = option_from_text(text, known[option].annotation)
        except ValueError as error:
            raise InputError(f"{name}: {option}={text}: {error}") from None
    missing = [option for option, found in known.items() if found.default is found.empty]
    missing = [option for option in missing if option not in given]
    if missing:
        raise InputError(f"{name} needs {', '.join(missing)} as well")
    return given


def _unknown(what: str, name: str, known: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return f"there is no {what} {name!r}{hint}; there is: {', '.join(known) or 'none'}"
