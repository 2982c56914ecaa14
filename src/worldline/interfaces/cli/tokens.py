"""`worldline tokens`: count the tokens of traces with each codec."""

import json
from collections.abc import Iterator
from pathlib import Path

import click

from worldline.core.errors import InputError
from worldline.core.trace import Limits, Trace
from worldline.evaluation.benchmarks import load_benchmark
from worldline.evaluation.metrics import measure_token_churn, measure_tokens
from worldline.evaluation.store import open_location, part_files, read_stored_traces
from worldline.interfaces.api.programs import read_program_file
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.shared_options import (
    benchmark_options,
    first_option,
    format_option,
    limit_options,
    python_option,
    quiet_option,
)
from worldline.interfaces.report import make_console, token_tables, tokens_to_json
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.codecs import STEP_CODECS
from worldline.models.tokenizers import load_tokenizer


@command(
    examples=(
        "worldline tokens best.py --call 'best([3, 1])' --tokenizer bytes",
        "worldline tokens cruxeval --first 100",
    )
)
@click.argument("source", metavar="SOURCE")
@click.option("--call", metavar="CALL", help="The call to trace, if SOURCE is a .py file.")
@click.option(
    "--tokenizer",
    metavar="NAME",
    default="llama3",
    show_default=True,
    help="Tokenizer: llama3, bytes, or a file.",
)
@click.option(
    "--codec",
    type=click.Choice(sorted(STEP_CODECS)),
    metavar="NAME",
    default="cwm",
    show_default=True,
    help="Codec for the list of the most expensive steps and variables.",
)
@first_option
@benchmark_options
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    metavar="N",
    default=10,
    show_default=True,
    help="Number of steps and variables to list.",
)
@click.option(
    "--stability",
    "has_churn",
    is_flag=True,
    help="Also count how many tokens change per changed character of a string.",
)
@format_option()
@quiet_option
@python_option
@limit_options
def tokens(
    source: str,
    call: str | None,
    tokenizer: str,
    codec: str,
    first: int | None,
    data: str | None,
    options: dict[str, str],
    rows: int,
    has_churn: bool,
    form: str,
    python: str | None,
    limits: Limits,
) -> None:
    """Count the tokens of traces with each codec.

    SOURCE is a Python file (with --call), the name of a benchmark, a file of programs (.jsonl),
    or a store that `worldline trace` wrote.
    """
    counter = load_tokenizer(tokenizer)
    if call is not None:
        traces = [_recorded(Path(source), call, python, limits)]
    elif Path(source).is_dir() and part_files(open_location(source)):
        traces = list(_stored(source, first))
    else:
        traces = list(_of_benchmark(source, data, options, first, python, limits))
    if not traces:
        raise InputError(f"{source} has no traces or programs")
    costs = measure_tokens(traces, counter, codec=codec, most=rows)
    churn = measure_token_churn(traces, counter) if has_churn else ()
    if form == "json":
        click.echo(json.dumps(tokens_to_json(costs, churn)))
    else:
        console = make_console()
        console.print(token_tables(costs, churn, width=console.width))


def _recorded(path: Path, call: str, python: str | None, limits: Limits) -> tuple[str, Trace]:
    """The trace of one Python file, with its name."""
    program = read_program_file(path, call)
    with ProgramRecorder(python=python, import_from=[path.resolve().parent]) as recorder:
        return path.name, recorder.record(program, limits=limits)


def _stored(store: str, first: int | None) -> Iterator[tuple[str, Trace]]:
    """The traces of a store, with their names."""
    for number, stored in enumerate(read_stored_traces(store)):
        if first is not None and number >= first:
            return
        yield stored.id, stored.trace


def _of_benchmark(
    name: str,
    data: str | None,
    options: dict[str, str],
    first: int | None,
    python: str | None,
    limits: Limits,
) -> Iterator[tuple[str, Trace]]:
    """The traces of a benchmark or a file of programs, recorded now, with their names."""
    questions = load_benchmark(name, data=data, options=options).questions[:first]
    with (
        ProgramRecorder(python=python) as recorder,
        report_progress("recording", len(questions)) as reporter,
    ):
        for number, question in enumerate(questions, 1):
            yield question.id, recorder.record(question.program, limits=limits)
            reporter.count(number, len(questions))
