"""`worldline record`: execute a program and list its steps."""

import json
import sys
from pathlib import Path
from typing import get_args

import click

from worldline.core.errors import InputError
from worldline.core.trace import Limits, Program, Trace, check_call, trace_to_json
from worldline.interfaces.api.programs import defined_functions, read_program_file
from worldline.interfaces.api.recording import record as record_program
from worldline.interfaces.cli.console import hint, output_console, warn_if_slow, write_result
from worldline.interfaces.cli.help_sections import command, section_option
from worldline.interfaces.cli.shared_options import (
    limit_options,
    python_option,
    quiet_option,
    tokenizer_option,
)
from worldline.interfaces.report import ending_text, print_line, trace_lines
from worldline.languages.python.recorder import Backend
from worldline.models.codecs import CODECS, SpecialToken
from worldline.models.tokenizers import count_segment_tokens, load_tokenizer

# Steps that are listed without --all.
LISTED = 200
# Codecs that can encode a trace; only their names, so that no other package is imported.
TEXT_CODECS = [name for name in CODECS if name != "chat"]


@command(
    examples=(
        "worldline record best.py --call 'best([3, 1, 2])'",
        "worldline record fib.js --call 'fib(5)'",
        "worldline record script.py --stdin input.txt",
        "echo 'print(1 + 2)' | worldline record -",
    )
)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--call",
    metavar="CALL",
    help="The call to trace, e.g. 'f(1, 3)'. By default, FILE runs as a script.",
)
@click.option(
    "--stdin",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE",
    help="File that the program reads as its standard input, or - for that of this command.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", *TEXT_CODECS]),
    metavar="FORMAT",
    default="text",
    help=f"Output format: text, json, or the prompt and trace encoded by a codec "
    f"({', '.join(TEXT_CODECS)}).  [default: text]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to this file instead of standard output.",
)
@click.option("--all", "is_all", is_flag=True, help=f"List all steps, not only the first {LISTED}.")
@quiet_option
@tokenizer_option
@python_option
@section_option(
    "Execution",
    "--recorder",
    "backend",
    type=click.Choice(get_args(Backend)),
    help="Recorder in C (core) or Python (settrace, slower); the traces are the same.",
)
@section_option(
    "Execution",
    "--threads",
    "has_threads",
    is_flag=True,
    help="Also record the threads that the program starts.",
)
@limit_options
def record(
    file: Path,
    call: str | None,
    stdin: Path | None,
    form: str,
    output: Path | None,
    is_all: bool,
    python: str | None,
    backend: Backend | None,
    has_threads: bool,
    tokenizer: str | None,
    limits: Limits,
) -> None:
    """Execute a program and list its steps.

    The program runs in the sandbox. The suffix of FILE names its language: .py, .js or .ts. FILE
    may be - for a Python program from standard input. For many programs, use
    `worldline trace`.
    """
    if file.name.endswith((".jsonl", ".jsonl.gz", ".parquet")):
        raise InputError(f"{file} has many programs; use: worldline trace {file} -o STORE")
    program = read_program(file, call, stdin)
    trace = record_program(
        program,
        limits=limits,
        python=python,
        import_from=[] if str(file) == "-" else [file.resolve().parent],
        backend=backend,
        threads=has_threads,
    )
    if backend is None:
        warn_if_slow(trace.origin.recorder)
    if form == "text":
        with output_console(output) as console:
            for line in trace_lines(trace, width=console.width, limit=None if is_all else LISTED):
                print_line(console, line)
            console.print(ending_text(trace), soft_wrap=True)
            if tokenizer is not None:
                console.print(tokens_text(trace, tokenizer), soft_wrap=True)
        hint_call(file, program)
        # Whatever a program does is a result; a program that cannot be loaded has none.
        sys.exit(int(trace.ending.reason == "not_loaded"))
    if form == "json":
        text = json.dumps(trace_to_json(trace)) + "\n"
    else:
        codec = CODECS[form]
        prompt, completion = codec.prompt(program), codec.encode(trace)
        # Messages of a conversation are separated by an empty line.
        parts = (*prompt, "".join(completion))
        text = "\n\n".join(parts) if codec.is_chat else "".join(parts)
    write_result(text, output)
    if not trace.ending.is_complete:
        reason = trace.ending.reason.replace("_", " ")
        click.echo(f"worldline: the trace is incomplete: {reason}, {trace.ending.detail}", err=True)


def hint_call(file: Path, program: Program) -> None:
    """Suggest --call for a file that does nothing but define functions."""
    functions = defined_functions(program) if program.call is None else []
    if functions:
        hint(f"{file} only defines functions: add --call, e.g. --call '{functions[0]}(...)'")


def tokens_text(trace: Trace, tokenizer: str) -> str:
    """The tokens of the prompt and of the trace with each codec."""
    counter = load_tokenizer(tokenizer)
    lines = []
    for name, codec in CODECS.items():
        if name == "chat":
            continue
        tokens = count_segment_tokens(codec.encode(trace), SpecialToken, counter)
        prompt = count_segment_tokens(codec.prompt(trace.program), SpecialToken, counter)
        lines.append(f"{name}: {prompt:,} tokens of prompt, {tokens:,} of trace ({counter.name})")
    return "\n".join(lines)


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
