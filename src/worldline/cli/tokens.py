"""`worldline tokens WHAT`: what traces cost in each format, and what of them costs the most."""

import json
from collections.abc import Iterator
from pathlib import Path

import click

from worldline.benchmarks import load_benchmark
from worldline.cli.console import make_console
from worldline.cli.options import form_option, limit_options, python_option
from worldline.cli.progress import counting
from worldline.cli.record import read_program
from worldline.codecs import STEP_CODECS
from worldline.errors import InputError
from worldline.measures import measure_stability, measure_tokens
from worldline.recorders import PythonRecorder
from worldline.report import token_tables, tokens_to_json
from worldline.store import part_files, place_of, read_stored_traces
from worldline.tokens import load_tokenizer
from worldline.trace import Limits, Trace


@click.command()
@click.argument("what", metavar="WHAT")
@click.option("--call", help="The call to trace, where WHAT is one Python file.")
@click.option(
    "--tokenizer",
    metavar="NAME",
    default="llama3",
    show_default=True,
    help="Count with llama3, bytes, or a tokenizer.json or tokenizer.model.",
)
@click.option(
    "--codec",
    type=click.Choice(sorted(STEP_CODECS)),
    default="cwm",
    show_default=True,
    help="The format whose costly steps and variables are shown.",
)
@click.option("--first", type=click.IntRange(min=1), metavar="N", help="Only the first N.")
@click.option("--data", metavar="PATH", help="The benchmark's file, or the folder that has it.")
@click.option(
    "--most", type=click.IntRange(min=1), default=10, show_default=True, help="Rows in a table."
)
@click.option(
    "--stability",
    "is_stability",
    is_flag=True,
    help="Also how many tokens change for each character of a string that does.",
)
@form_option
@python_option
@limit_options
def tokens(
    what: str,
    call: str | None,
    tokenizer: str,
    codec: str,
    first: int | None,
    data: str | None,
    most: int,
    is_stability: bool,
    form: str,
    python: str | None,
    limits: Limits,
) -> None:
    """Count what executions cost in tokens, in each format, and say what dominates.

    WHAT is a Python file (with --call), a benchmark by its name, a file of programs (.jsonl), or a
    folder of traces that `worldline trace` wrote.
    """
    counter = load_tokenizer(tokenizer)
    traces = list(find_traces(what, call, data, first, python, limits))
    if not traces:
        raise InputError(f"there is nothing to count in {what}")
    costs = measure_tokens(traces, counter, codec=codec, most=most)
    stability = measure_stability(traces, counter) if is_stability else ()
    if form == "json":
        click.echo(json.dumps(tokens_to_json(costs, stability)))
    else:
        make_console().print(token_tables(costs, stability))


def find_traces(
    what: str,
    call: str | None,
    data: str | None,
    first: int | None,
    python: str | None,
    limits: Limits,
) -> Iterator[tuple[str, Trace]]:
    """The traces that are meant, with their names: recorded now, or read."""
    path = Path(what)
    if call is not None:
        program = read_program(path, call, None)
        with PythonRecorder(python=python, import_from=[path.resolve().parent]) as recorder:
            yield path.name, recorder.record(program, limits=limits)
        return
    if path.is_dir() and part_files(place_of(what)):
        for number, stored in enumerate(read_stored_traces(what)):
            if first is not None and number >= first:
                return
            yield stored.id, stored.trace
        return
    questions = load_benchmark(what, data=data).questions[:first]
    with (
        PythonRecorder(python=python) as recorder,
        counting("recording", len(questions)) as on_progress,
    ):
        for number, question in enumerate(questions, 1):
            yield question.id, recorder.record(question.program, limits=limits)
            on_progress(number, len(questions))
