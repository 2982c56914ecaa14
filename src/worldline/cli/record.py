"""`worldline record FILE --call 'f(1, 3)'`: run a program and show what it did."""

import json
from pathlib import Path

import click

from worldline.cli.console import make_console
from worldline.cli.options import limit_options, python_option
from worldline.codecs import CODECS, codec_named
from worldline.errors import ProgramError
from worldline.recorders import PythonRecorder
from worldline.report import ending_text, trace_lines
from worldline.trace import Limits, Program, check_call, trace_to_json

SHOWN = 200


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--call", help="The call to trace, as in 'f(1, 3)'. Without it the file is run.")
@click.option("--stdin", type=click.Path(path_type=Path), help="A file for the program to read.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", *CODECS]),
    default="text",
    show_default=True,
    help="For people, as JSON, or as a model's text (prompt and trace).",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
@click.option("--all", "is_all", is_flag=True, help=f"Show all steps, not just the first {SHOWN}.")
@python_option
@limit_options
def record(
    file: Path,
    call: str | None,
    stdin: Path | None,
    form: str,
    output: Path | None,
    is_all: bool,
    python: str | None,
    **limits: float,
) -> None:
    """Run a Python program and show its execution, step by step.

    The program runs with your rights: record only what you would run.
    """
    program = read_program(file, call, stdin)
    with PythonRecorder(python=python, import_from=[file.resolve().parent]) as recorder:
        trace = recorder.record(program, limits=Limits(**limits))  # type: ignore[arg-type]
    if form == "text":
        console = make_console()
        for line in trace_lines(trace, width=console.width, most=None if is_all else SHOWN):
            console.print(line, soft_wrap=True)
        console.print(ending_text(trace))
        return
    if form == "json":
        text = json.dumps(trace_to_json(trace)) + "\n"
    else:
        codec = codec_named(form)
        text = "".join(codec.prompt(program) + codec.encode(trace))
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
    if not trace.ending.is_complete:
        click.echo(
            f"worldline: the trace is not whole: {trace.ending.reason}, {trace.ending.detail}",
            err=True,
        )


def read_program(file: Path, call: str | None, stdin: Path | None) -> Program:
    """The program in a file, with the call to trace."""
    try:
        source = file.read_text(encoding="utf-8")
        given = stdin.read_text(encoding="utf-8") if stdin else ""
    except (OSError, UnicodeDecodeError) as error:
        raise ProgramError(f"cannot read the program: {error}") from error
    if call is not None:
        check_call(call)
    return Program(source, call, given)
