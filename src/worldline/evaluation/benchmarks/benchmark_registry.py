"""Registry of benchmarks, which are loaded by name, with options given as text.

A benchmark is a function and an entry in `BENCHMARKS`, or an entry point of another package. Its
keyword-only parameters are its options, which are parsed according to their annotations. A
parameter `data` is the file or folder with its published data.
"""

import difflib
import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import InputError
from worldline.core.plugins import Registry
from worldline.evaluation.benchmarks.benchmark import Benchmark
from worldline.evaluation.benchmarks.chance import chance
from worldline.evaluation.benchmarks.composition import composition
from worldline.evaluation.benchmarks.cruxeval import cruxeval
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.evaluation.benchmarks.hidden import hidden
from worldline.evaluation.benchmarks.humaneval import humaneval
from worldline.evaluation.benchmarks.humaneval_x import humaneval_x
from worldline.evaluation.benchmarks.option_parser import format_option, parse_option
from worldline.evaluation.benchmarks.paths import paths
from worldline.evaluation.benchmarks.permutation import permutation
from worldline.evaluation.benchmarks.program_files import load_program_files
from worldline.evaluation.benchmarks.threads import threads

BENCHMARKS: Registry[Callable[..., Benchmark]] = Registry(
    "worldline.benchmarks",
    {
        "cruxeval": cruxeval,
        "cruxeval-x": cruxeval_x,
        "humaneval": humaneval,
        "humaneval-x": humaneval_x,
        "permutation": permutation,
        "composition": composition,
        "paths": paths,
        "chance": chance,
        "hidden": hidden,
        "threads": threads,
    },
    error=InputError,
)


@dataclass(frozen=True, slots=True)
class BenchmarkDescription:
    """A benchmark in a listing.

    `options` maps the name of each option to its default as typed; None if it is required.
    """

    name: str
    summary: str
    options: Mapping[str, str | None]


def load_benchmark(
    name: str, *, data: str | None = None, options: Mapping[str, str] | None = None
) -> Benchmark:
    """Load a benchmark by its name, or the program files at a path.

    load_benchmark("permutation", options={"variables": "5", "lengths": "8,64"})

    Args:
        name: Name in the registry, or path of a file or folder of programs.
        data: File or folder with the published data; by default see `published_data`.
        options: Options of the benchmark, as typed.

    Raises:
        InputError: The name or an option is unknown, or the data cannot be read.
    """
    options = options or {}
    if name in BENCHMARKS:
        function = BENCHMARKS[name]
        arguments = _parse_options(name, function, options)
        if data is not None:
            if "data" not in inspect.signature(function).parameters:
                raise InputError(f"{name} is generated: it takes no data; omit --data")
            arguments["data"] = data
        return function(**arguments)
    if not os.path.exists(name):
        message = _unknown_name("benchmark", name, BENCHMARKS)
        raise InputError(f"{message}; or give a file or a folder")
    if options or data is not None:
        raise InputError(
            f"{name} is a file or folder: it takes no options and no data; omit --set and --data"
        )
    return load_program_files(name)


def describe_benchmarks() -> list[BenchmarkDescription]:
    """Describe all benchmarks: name, summary line, and options with their defaults."""
    return [_describe(name, function) for name, function in BENCHMARKS.items()]


def _describe(name: str, function: Callable[..., Benchmark]) -> BenchmarkDescription:
    options = {
        option: None if parameter.default is parameter.empty else format_option(parameter.default)
        for option, parameter in _option_parameters(function).items()
    }
    summary = (inspect.getdoc(function) or "").split("\n")[0]
    return BenchmarkDescription(name, summary, options)


def _option_parameters(function: Callable[..., Benchmark]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(function, eval_str=True).parameters
    return {
        name: parameter
        for name, parameter in parameters.items()
        if parameter.kind == parameter.KEYWORD_ONLY
    }


def _parse_options(
    name: str, function: Callable[..., Benchmark], options: Mapping[str, str]
) -> dict[str, Any]:
    parameters = _option_parameters(function)
    values: dict[str, Any] = {}
    for option, text in options.items():
        if option not in parameters:
            raise InputError(_unknown_name(f"option of {name}", option, parameters))
        try:
            values[option] = parse_option(text, parameters[option].annotation)
        except ValueError as error:
            raise InputError(f"{name}: {option}={text}: {error}") from None
    missing = [
        option
        for option, parameter in parameters.items()
        if parameter.default is parameter.empty and option not in values
    ]
    if missing:
        raise InputError(
            f"{name} needs a value for {', '.join(missing)}; give --set {missing[0]}=VALUE"
        )
    return values


def _unknown_name(what: str, name: str, known: Mapping[str, object]) -> str:
    matches = difflib.get_close_matches(name, known, n=1)
    hint = f" (did you mean {matches[0]}?)" if matches else ""
    return f"there is no {what} {name!r}{hint}; available: {', '.join(known) or 'none'}"
