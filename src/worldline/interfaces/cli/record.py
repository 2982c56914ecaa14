"""`worldline record`: execute a program and list its steps."""

import json
import sys
from pathlib import Path

import click

from worldline.core.errors import InputError
from worldline.core.trace import Limits, Program, Trace, parse_schedule, trace_to_json
from worldline.interfaces.api.programs import defined_functions
from worldline.interfaces.api.recording import record as record_program
from worldline.interfaces.cli.console import hint, output_console, warn_if_slow, write_result
from worldline.interfaces.cli.help_sections import command, section_option
from worldline.interfaces.cli.program_options import (
    LISTED,
    all_steps_option,
    output_option,
    program_options,
    read_program,
    recorder_option,
)
from worldline.interfaces.cli.shared_options import (
    limit_options,
    python_option,
    quiet_option,
    tokenizer_option,
)
from worldline.interfaces.report import choice_lines, ending_text, print_line, trace_lines
from worldline.languages.python.recorder import Backend
from worldline.models.codecs import ANSWER_CODECS, CODECS, SpecialToken
from worldline.models.tokenizers import count_segment_tokens, load_tokenizer

# Codecs that can encode a trace; only their names, so that no other package is imported.
TEXT_CODECS = [name for name in CODECS if name not in ANSWER_CODECS]


@command(
    examples=(
        "worldline record best.py --call 'best([3, 1, 2])'",
        "worldline record fib.js --call 'fib(5)'",
        "worldline record script.py --stdin input.txt",
        "echo 'print(1 + 2)' | worldline record -",
    )
)
@program_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", *TEXT_CODECS]),
    metavar="FORMAT",
    default="text",
    help=f"Output format: text, json, or the prompt and trace encoded by a codec "
    f"({', '.join(TEXT_CODECS)}).  [default: text]",
)
@output_option
@all_steps_option
@quiet_option
@tokenizer_option
@python_option
@recorder_option
@section_option(
    "Execution",
    "--threads",
    "has_threads",
    is_flag=True,
    help="Also record the threads that a Python program starts: one runs at a time. Tasks of "
    "asyncio have lanes, too, and virtual time.",
)
@section_option(
    "Execution",
    "--schedule",
    metavar="SCHEDULE",
    help="Also record the threads, in this order, as `worldline schedules` lists it ('0*3 1'); or "
    "in a random order ('random:SEED').",
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
    schedule: str | None,
    tokenizer: str | None,
    limits: Limits,
) -> None:
    """Execute a program and list its steps.

    The program runs in the sandbox. The suffix of FILE names its language: .py, .js, .ts, .cpp,
    .java, .rs or .go. FILE may be - for a Python program from standard input. For many programs,
    use `worldline trace`.
    """
    if file.name.endswith((".jsonl", ".jsonl.gz", ".parquet")):
        raise InputError(f"{file} has many programs; use: worldline trace {file} -o STORE")
    program = read_program(file, call, stdin)
    order, seed = parse_order(schedule)
    trace = record_program(
        program,
        limits=limits,
        python=python,
        import_from=[] if str(file) == "-" else [file.resolve().parent],
        backend=backend,
        threads=has_threads or schedule is not None,
        schedule=order,
        schedule_seed=seed,
    )
    if backend is None:
        warn_if_slow(trace.origin.recorder)
    if form == "text":
        with output_console(output) as console:
            for line in trace_lines(trace, width=console.width, limit=None if is_all else LISTED):
                print_line(console, line)
            console.print(ending_text(trace), soft_wrap=True)
            for line in choice_lines(trace, width=console.width, limit=None if is_all else LISTED):
                print_line(console, line)
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


def parse_order(text: str | None) -> tuple[tuple[int, ...] | None, int | None]:
    """A schedule, and the seed of a random one.

    "0*2 1" -> (0, 0, 1), None; "random:7" -> None, 7
    """
    if text is None:
        return None, None
    if not text.startswith("random"):
        return parse_schedule(text), None
    seed = text.removeprefix("random").removeprefix(":") or "0"
    if not seed.isdecimal():
        raise InputError(f"--schedule {text}: write the seed as in random:7")
    return None, int(seed)


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
        if name in ANSWER_CODECS:
            continue
        tokens = count_segment_tokens(codec.encode(trace), SpecialToken, counter)
        prompt = count_segment_tokens(codec.prompt(trace.program), SpecialToken, counter)
        lines.append(f"{name}: {prompt:,} tokens of prompt, {tokens:,} of trace ({counter.name})")
    return "\n".join(lines)
