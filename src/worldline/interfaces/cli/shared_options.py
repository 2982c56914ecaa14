"""Options that several commands share: one name and one meaning everywhere."""

import functools
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from worldline.core.errors import InputError
from worldline.core.trace import Limits
from worldline.interfaces.cli.console import set_quiet
from worldline.interfaces.cli.help_sections import section_option

Command = TypeVar("Command", bound=Callable[..., Any])
_LIMITS = Limits()
_FORMATS = {"text": "text", "json": "one JSON object", "jsonl": "JSON lines", "csv": "CSV"}
_LIMIT_OPTIONS = (
    ("steps", int, "Steps."),
    ("seconds", float, "Wall time in seconds."),
    ("cpu_seconds", int, "CPU time in seconds."),
    ("memory_mb", int, "Memory in MB."),
    ("value_chars", int, "Characters of one value; the rest is left out."),
    ("trace_mb", int, "Size of the trace in MB."),
    ("output_mb", int, "Printed output in MB."),
)


def python_option(command: Command) -> Command:
    """`--python`: the interpreter that executes programs."""
    return section_option(
        "Execution",
        "--python",
        metavar="PATH",
        help="Execute programs with this CPython (3.10 or later).",
    )(command)


def tokenizer_option(command: Command) -> Command:
    """`--tokenizer`: count tokens, too."""
    return click.option(
        "--tokenizer",
        metavar="NAME",
        help="Count tokens: llama3, bytes, or a tokenizer file.",
    )(command)


def workers_option(command: Command) -> Command:
    """`--workers`: the number of processes; None means one per core."""
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Processes; results do not depend on it.  [default: one per core]",
    )(command)


def first_option(command: Command) -> Command:
    """`--first`: only the first N items."""
    return click.option(
        "--first", type=click.IntRange(min=1), metavar="N", help="Only the first N."
    )(command)


def restart_option(command: Command) -> Command:
    """`--restart`: begin again."""
    return click.option("--restart", is_flag=True, help="Delete earlier results and begin again.")(
        command
    )


def quiet_option(command: Command) -> Command:
    """`--quiet`: no progress and no hints."""
    return click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=set_quiet,
        help="No progress, no hints.",
    )(command)


def format_option(*formats: str) -> Callable[[Command], Command]:
    """`--format`, given to the command as `form`: for people or for programs."""
    choices = formats or ("text", "json")
    words = [_FORMATS[name] for name in choices if name in _FORMATS]
    return click.option(
        "--format",
        "form",
        type=click.Choice(choices),
        default="text",
        help=f"Output: {', '.join(words)}.  [default: text]",
        metavar=f"[{'|'.join(choices)}]",
    )


def exclude_option(command: Command) -> Command:
    """`--exclude`: programs that must not be in the result."""
    return click.option(
        "--exclude",
        multiple=True,
        metavar="NAME",
        help="Exclude the programs of this file or benchmark (repeatable). Benchmarks are always "
        "excluded; naming one makes missing data an error.",
    )(command)


def benchmark_options(command: Command) -> Command:
    """`--data` and `--set`: where a benchmark's data is, and its own options."""
    for option in (
        click.option(
            "--set",
            "options",
            multiple=True,
            metavar="NAME=VALUE",
            callback=_pairs,
            help="Option of the benchmark (repeatable); see `bench --list`.",
        ),
        click.option("--data", metavar="PATH", help="The benchmark's file, or the folder with it."),
    ):
        command = option(command)
    return command


def _pairs(_: click.Context, __: click.Parameter, options: tuple[str, ...]) -> dict[str, str]:
    """("lengths=5",) -> {"lengths": "5"}"""
    pairs = {}
    for option in options:
        name, sign, value = option.partition("=")
        if not sign:
            raise InputError(f"--set {option!r} needs a value, as in --set {option}=5")
        pairs[name] = value
    return pairs


def limit_options(command: Callable[..., Any], *, defaults: Limits = _LIMITS) -> Callable[..., Any]:
    """`--steps` and others, given to the command as `limits`: what an execution may use."""

    @functools.wraps(command)
    def with_limits(**options: Any) -> Any:
        limits = Limits(**{field.name: options.pop(field.name) for field in fields(Limits)})
        return command(**options, limits=limits)

    wrapped: Callable[..., Any] = with_limits
    for name, kind, text in reversed(_LIMIT_OPTIONS):
        wrapped = section_option(
            "Limits",
            f"--{name.replace('_', '-')}",
            name,
            type=click.FloatRange(min=0, min_open=True) if kind is float else click.IntRange(min=1),
            metavar="N",
            default=getattr(defaults, name),
            show_default=True,
            help=text,
        )(wrapped)
    return wrapped


def open_source(name: str | Path) -> str | TextIO:
    """A file's name, or standard input for `-`."""
    return sys.stdin if str(name) == "-" else str(name)
