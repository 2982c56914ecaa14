"""The program of a command: file, call and input; and options of commands that list steps."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from worldline.core.errors import InputError
from worldline.core.trace import Program, check_call
from worldline.interfaces.api.programs import read_program_file
from worldline.interfaces.cli.help_sections import section_option
from worldline.languages.python.recorder import Backend

Command = TypeVar("Command", bound=Callable[..., Any])
# Steps that are listed without --all.
LISTED = 200


def program_options(command: Command) -> Command:
    """FILE, `--call` and `--stdin`: the program to execute, for `read_program`."""
    return _program_options(
        command, "The call to execute, e.g. 'f(1, 3)'. By default, FILE runs as a script."
    )


def game_options(command: Command) -> Command:
    """FILE, `--call` and `--stdin` of a game, which has to be called."""
    return _program_options(command, "The call of the generator function, e.g. 'coins(3)'; needed.")


def _program_options(command: Command, help_of_call: str) -> Command:
    for option in (
        click.option(
            "--stdin",
            type=click.Path(path_type=Path, allow_dash=True),
            metavar="FILE",
            help="File that the program reads as its standard input, or - for that of this "
            "command.",
        ),
        click.option("--call", metavar="CALL", help=help_of_call),
        click.argument("file", type=click.Path(path_type=Path, allow_dash=True)),
    ):
        command = option(command)
    return command


def output_option(command: Command) -> Command:
    """`-o`: a file for the result."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write to this file instead of standard output.",
    )(command)


def all_steps_option(command: Command) -> Command:
    """`--all`, given to the command as `is_all`."""
    return click.option(
        "--all", "is_all", is_flag=True, help=f"List all steps, not only the first {LISTED}."
    )(command)


def recorder_option(command: Command) -> Command:
    """`--recorder`, given to the command as `backend`."""
    return section_option(
        "Execution",
        "--recorder",
        "backend",
        type=click.Choice(get_args(Backend)),
        help="Recorder in C (core) or Python (settrace, slower); the traces are the same.",
    )(command)


def read_program(file: Path, call: str | None, stdin: Path | None) -> Program:
    """Read a program from a file or from standard input, with its call and its own input."""
    if str(file) == str(stdin) == "-":
        raise InputError("the program and its input cannot both be read from standard input")
    text = "" if stdin is None else read_stdin(stdin)
    if str(file) != "-":
        return read_program_file(file, call, stdin=text)
    if call is not None:
        check_call(call)
    return Program(read_stdin(file), call, text)


def read_stdin(path: Path) -> str:
    """Read a file, or standard input for `-`."""
    try:
        if str(path) == "-":
            return sys.stdin.read()
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
