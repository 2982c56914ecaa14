"""Files, hints, warnings and interruptions of commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console

from worldline.core.errors import CostLimitError, InputError, MalformedRepliesError
from worldline.interfaces.cli.command_line import INTERRUPTED
from worldline.interfaces.cli.quiet import is_quiet
from worldline.interfaces.report import make_console


def hint(text: str) -> None:
    """Write a hint to standard error, unless the command is quiet."""
    if not is_quiet():
        click.echo(text, err=True)


def resume_hint(restart: bool) -> str:
    """How to continue an interrupted command.

    True -> "Run the same command again without --restart to resume."
    """
    return f"Run the same command again{' without --restart' if restart else ''} to resume."


@contextmanager
def resumable(restart: bool) -> Iterator[list[str]]:
    """End a command that can be resumed with one sentence on how to resume it.

    Ctrl-C and the cost limit end it with exit code 130, malformed replies with 2. Yields a list for
    what is to be said before that sentence.
    """
    details: list[str] = []
    try:
        yield details
    except KeyboardInterrupt:
        text = "".join(f": {detail}" for detail in details[-1:])
        click.echo(f"\nInterrupted{text}. {resume_hint(restart)}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except CostLimitError as error:
        text = "".join(f"; {detail}" for detail in details[-1:])
        click.echo(
            f"Stopped: {error}{text}. Raise --max-cost. {resume_hint(restart)}",
            err=True,
        )
        raise click.exceptions.Exit(INTERRUPTED) from None
    except MalformedRepliesError as error:
        text = "".join(f" {detail}; they are kept." for detail in details[-1:])
        raise MalformedRepliesError(f"{error}{text}") from None


@contextmanager
def output_console(path: Path | None) -> Iterator[Console]:
    """Make a console for results on standard output, or in a file."""
    if path is None:
        yield make_console()
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error
    with file:
        yield make_console(file)


def write_result(text: str, path: Path | None) -> None:
    """Write a text to standard output, or to a file."""
    if path is None:
        click.echo(text, nl=False)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error


def warn_if_slow(method: str) -> None:
    """Warn if programs are recorded in Python because the C recorder is not available."""
    if method == "settrace":
        click.echo(
            "worldline: the C recorder is not available for this interpreter; recording in "
            "Python takes about 40 times as long",
            err=True,
        )
