"""`worldline record FILE`: run a program and show what it did."""

import json
import sys
import tokenize
from pathlib import Path
from typing import get_args

import click

from worldline.cli.console import output_console, print_line
from worldline.cli.options import limit_options, python_option, tokenizer_option
from worldline.cli.slow import say_if_slow
from worldline.codecs import CODECS, Special
from worldline.errors import InputError, ProgramError
from worldline.recorders import Method, PythonRecorder
from worldline.report import ending_text, trace_lines
from worldline.tokens import count_pieces, load_tokenizer
from worldline.trace import Limits, Program, Trace, check_call, trace_to_json

SHOWN = 200
# Formats that a trace can be written in.
TEXTS = {name: codec for name, codec in CODECS.items() if not codec.is_chat}


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--call", help="The call to trace, as in 'f(1, 3)'. Without it the file is run.")
@click.option(
    "--stdin",
    type=click.Path(path_type=Path, allow_dash=True),
    help="A file for the program to read; - for what is piped in.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", *TEXTS]),
    default="text",
    show_default=True,
    help="For people, as JSON, or as a model's text (prompt and trace).",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file."
)
@click.option("--all", "is_all", is_flag=True, help=f"Show all steps, not just the first {SHOWN}.")
@python_option
@click.option(
    "--recorder",
    "method",
    type=click.Choice(get_args(Method)),
    help="In C, or slower in Python; in C where that was built. The traces are the same.",
)
@click.option(
    "--threads",
    "has_threads",
    is_flag=True,
    help="Record the program's other threads, too, each step marked with its own.",
)
@tokenizer_option
@limit_options
def record(
    file: Path,
    call: str | None,
    stdin: Path | None,
    form: str,
    output: Path | None,
    is_all: bool,
    python: str | None,
    method: Method | None,
    has_threads: bool,
    tokenizer: str | None,
    limits: Limits,
) -> None:
    """Run a Python program and show its execution, step by step.

    It runs in a sandbox (`worldline sandbox check`). For many programs there is `worldline trace`.
    """
    if file.name.endswith((".jsonl", ".jsonl.gz", ".parquet")):
        raise InputError(f"{file} holds many programs: worldline trace {file} -o STORE")
    program = read_program(file, call, stdin)
    with PythonRecorder(
        python=python,
        import_from=[file.resolve().parent],
        method=method,
        has_threads=has_threads,
    ) as recorder:
        trace = recorder.record(program, limits=limits)
        if method is None:
            say_if_slow(recorder.method)
    if form == "text":
        with output_console(output) as console:
            for line in trace_lines(trace, width=console.width, most=None if is_all else SHOWN):
                print_line(console, line)
            console.print(ending_text(trace))
            if tokenizer is not None:
                console.print(tokens_text(trace, tokenizer))
        # Whatever a program does is a result; one that cannot be run is none.
        sys.exit(int(trace.ending.reason == "not_loaded"))
    if form == "json":
        text = json.dumps(trace_to_json(trace)) + "\n"
    else:
        codec = TEXTS[form]
        text = "".join(codec.prompt(program) + codec.encode(trace))
    if output is None:
        click.echo(text, nl=False)
    else:
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {output}: {error}") from error
    if not trace.ending.is_complete:
        click.echo(
            f"worldline: the trace is not whole: {trace.ending.reason}, {trace.ending.detail}",
            err=True,
        )


def tokens_text(trace: Trace, tokenizer: str) -> str:
    """How many tokens a model would be given, and would have to write, in each format."""
    counter = load_tokenizer(tokenizer)
    lines = []
    for name, codec in TEXTS.items():
        written = count_pieces(codec.encode(trace), Special, counter)
        given = count_pieces(codec.prompt(trace.program), Special, counter)
        lines.append(f"{name}: {given:,} tokens of prompt, {written:,} of trace ({counter.name})")
    return "\n".join(lines)


def read_program(file: Path, call: str | None, stdin: Path | None) -> Program:
    """The program in a file, with the call to trace."""
    try:
        with tokenize.open(file) as lines:
            source = lines.read()
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        raise ProgramError(f"cannot read the program: {error}") from error
    try:
        given = "" if stdin is None else read_stdin(stdin)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read what the program is to read: {error}") from error
    if call is not None:
        check_call(call)
    return Program(source, call, given)


def read_stdin(path: Path) -> str:
    """What a file holds, or what is piped in."""
    if str(path) == "-":
        return sys.stdin.read()
    return path.read_text(encoding="utf-8")
