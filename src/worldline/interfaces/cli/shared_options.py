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
from worldline.interfaces.cli.help_sections import section_option
from worldline.interfaces.cli.quiet import set_quiet

Command = TypeVar("Command", bound=Callable[..., Any])
_LIMITS = Limits()
_FORMATS = {"text": "text", "json": "one JSON object", "jsonl": "JSON lines", "csv": "CSV"}
_LIMIT_OPTIONS = (
    ("steps", int, "Maximum number of steps."),
    ("seconds", float, "Maximum wall time in seconds."),
    ("cpu_seconds", int, "Maximum CPU time in seconds."),
    ("memory_mb", int, "Maximum memory in MB."),
    ("value_chars", int, "Maximum characters of a value; longer ones are shortened."),
    ("trace_mb", int, "Maximum size of the trace in MB."),
    ("output_mb", int, "Maximum MB that the program may print, or write to one file."),
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
        help="Count tokens with this tokenizer: llama3, bytes, or a file.",
    )(command)


def trust_option(command: Command) -> Command:
    """`--trust`: show how far each result can be trusted."""
    return click.option(
        "--trust",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE.json",
        help="Show how far each result can be trusted, by this trust model from "
        "`worldline trust fit`.",
    )(command)


def workers_option(command: Command) -> Command:
    """`--workers`: the number of processes; None means one per core."""
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Worker processes; does not change the results.  [default: one per core]",
    )(command)


def first_option(command: Command) -> Command:
    """`--first`: only the first N items."""
    return click.option(
        "--first", type=click.IntRange(min=1), metavar="N", help="Process only the first N inputs."
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
        help="Hide progress and hints.",
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
        help=f"Output format: {', '.join(words)}.  [default: text]",
        metavar=f"[{'|'.join(choices)}]",
    )


def seed_option(command: Command) -> Command:
    """`--seed`: of everything that is random."""
    return click.option(
        "--seed", type=int, metavar="N", default=0, show_default=True, help="Random seed."
    )(command)


def lr_scale_option(command: Command) -> Command:
    """`--lr-scale`: learning rates of a training, relative to the default."""
    return click.option(
        "--lr-scale",
        type=click.FloatRange(min=0, min_open=True),
        metavar="F",
        default=1.0,
        show_default=True,
        help="Multiply the learning rates by F, such as 0.3 to train a finished model further.",
    )(command)


def exclude_option(command: Command) -> Command:
    """`--exclude`: programs that must not be in the result."""
    return click.option(
        "--exclude",
        multiple=True,
        metavar="NAME",
        help="Exclude programs that are in this file, folder or benchmark (repeatable). Programs "
        "of all known benchmarks are always excluded. If the data of a benchmark cannot be loaded, "
        "there is a warning, or an error if the benchmark is named here.",
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
            help="Set an option of the benchmark (repeatable); see `worldline bench --list`.",
        ),
        click.option(
            "--data",
            metavar="PATH",
            help="The benchmark's data file, or the folder that contains it.",
        ),
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
        default = getattr(defaults, name)
        # Only the CPU time may have no default; the sandbox then derives it from the wall time.
        note = "" if default is not None else "  [default: --seconds + 2]"
        wrapped = section_option(
            "Limits",
            f"--{name.replace('_', '-')}",
            name,
            type=click.FloatRange(min=0, min_open=True) if kind is float else click.IntRange(min=1),
            metavar="N",
            default=default,
            show_default=True,
            help=f"{text}{note}",
        )(wrapped)
    return wrapped


def open_source(name: str | Path) -> str | TextIO:
    """A file's name, or standard input for `-`."""
    return sys.stdin if str(name) == "-" else str(name)
