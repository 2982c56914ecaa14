"""Options that several commands share."""

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

import click

from worldline.trace import Limits

Command = TypeVar("Command", bound=Callable[..., Any])
_LIMITS = Limits()


def python_option(command: Command) -> Command:
    """`--python`: the interpreter that programs run with."""
    return click.option(
        "--python",
        metavar="PATH",
        help="Run programs with this interpreter (CPython 3.10 or later) instead of this one.",
    )(command)


def tokenizer_option(command: Command) -> Command:
    """`--tokenizer`: count tokens, too."""
    return click.option(
        "--tokenizer",
        metavar="NAME",
        help="Count tokens with llama3, bytes, or a tokenizer.json or tokenizer.model.",
    )(command)


def workers_option(command: Command) -> Command:
    """`--workers`: how many processes do the work; none where it was left to us."""
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        help="Processes; they change nothing but the time.  [default: one a core]",
    )(command)


def form_option(command: Command) -> Command:
    """`--format`: for people or for machines, given to the command as `form`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="For people, or as one JSON object.",
    )(command)


def limit_options(command: Callable[..., Any], *, defaults: Limits = _LIMITS) -> Callable[..., Any]:
    """`--steps` and its like: what a recording may use, given to the command as `limits`."""

    @functools.wraps(command)
    def with_limits(**options: Any) -> Any:
        limits = Limits(**{field.name: options.pop(field.name) for field in fields(Limits)})
        return command(**options, limits=limits)

    wrapped: Callable[..., Any] = with_limits
    for name, kind, text in (
        ("output_mb", int, "printed, in MB"),
        ("trace_mb", int, "trace, in MB"),
        ("value_chars", int, "characters of one value; longer ones are cut and say so"),
        ("memory_mb", int, "memory, in MB"),
        ("cpu_seconds", int, "time of a processor, in seconds"),
        ("seconds", float, "time, in seconds"),
        ("steps", int, "steps"),
    ):
        wrapped = click.option(
            f"--{name.replace('_', '-')}",
            name,
            type=click.FloatRange(min=0, min_open=True) if kind is float else click.IntRange(min=1),
            default=getattr(defaults, name),
            show_default=True,
            help=f"Limit: {text}.",
        )(wrapped)
    return wrapped
