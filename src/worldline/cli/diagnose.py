"""`worldline diagnose RECORDED.jsonl`: where each recorded prediction leaves reality."""

import json
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import get_args

import click
from rich.text import Text

from worldline.align import Where
from worldline.cli.console import make_console, print_line, progress
from worldline.cli.options import limit_options, python_option, tokenizer_option
from worldline.diagnose import CauseName, Diagnosis, Outcome, Sample, ValueKind
from worldline.errors import InputError
from worldline.predict import Prediction, read_recorded
from worldline.recorders import PythonRecorder
from worldline.report import sample_lines, summarize, summary_tables, summary_to_json
from worldline.runs import (
    Manifest,
    Run,
    confirmed_causes,
    examine,
    expects,
    is_run,
    keep_recorded,
    read_interventions,
    read_judged,
    read_predictions,
    sample_to_json,
    with_confirmed,
)
from worldline.tokens import load_tokenizer
from worldline.trace import Limits

WORDS = {word for names in (Outcome, Where, ValueKind, CauseName) for word in get_args(names)}


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    show_default=True,
    help="For people; one JSON object; or a line of JSON a sample.",
)
@click.option(
    "--only",
    metavar="WORD",
    multiple=True,
    help="List only samples with this outcome, place, value kind or cause; may be repeated.",
)
@click.option("--summary", "is_summary", is_flag=True, help="The tables alone.")
@click.option(
    "-o", "--output", metavar="RUN", help="Keep what is found as a run, to query and compare."
)
@click.option("--restart", "is_restarted", is_flag=True, help="Begin the run anew.")
@python_option
@tokenizer_option
@limit_options
def diagnose(
    files: tuple[str, ...],
    form: str,
    only: tuple[str, ...],
    is_summary: bool,
    output: str | None,
    is_restarted: bool,
    python: str | None,
    tokenizer: str | None,
    limits: Limits,
) -> None:
    """Execute the programs in files of recorded predictions and say where each one went wrong.

    Each line of a FILE is a JSON object with `id`, `output` (the model's text), and `code` and
    `call` (or `context`); or FILE is a run. The programs run in a sandbox.
    """
    unknown = set(only) - WORDS
    if unknown:
        raise InputError(f"--only {sorted(unknown)[0]!r} is not one of {', '.join(sorted(WORDS))}")
    if is_restarted and not output:
        raise InputError("--restart is for a run: name it with -o")
    samples = examine_files(
        files, python, tokenizer, limits, output=output, is_restarted=is_restarted
    )
    for file in filter(is_run, files):
        confirmed = confirmed_causes(read_judged(file), read_interventions(file))
        samples = [with_confirmed(sample, confirmed) for sample in samples]
    summary = summarize([sample.diagnosis for sample in samples])
    listed = [s for s in samples if not only or words_of(s.diagnosis) & set(only)]
    if form != "text" and is_summary:
        click.echo(json.dumps(summary_to_json(summary)))
    elif form == "jsonl":
        for sample in listed:
            click.echo(json.dumps(sample_to_json(sample)))
    elif form == "json":
        rows = [sample_to_json(sample) for sample in listed]
        click.echo(json.dumps({"summary": summary_to_json(summary), "samples": rows}, indent=1))
    else:
        console = make_console()
        console.print(summary_tables(summary))
        if not is_summary:
            if only:
                console.print(Text(f"The {len(listed)} that are {' or '.join(only)}", "bold"))
            for line in sample_lines([s.diagnosis for s in listed], width=console.width):
                print_line(console, line)
        hint_comprehensions(samples)
    if output:
        click.echo(f"kept in {output}; next: worldline report {output}", err=True)


def words_of(diagnosis: Diagnosis) -> set[str]:
    """The words that a sample can be asked for by."""
    words = (diagnosis.facts.outcome, diagnosis.where, diagnosis.kind)
    return {word for word in words if word} | ({diagnosis.cause.name} if diagnosis.cause else set())


def read_file(file: str) -> Iterator[Prediction]:
    """The predictions in a file of JSON lines, or in a run."""
    return read_predictions(file) if is_run(file) else read_recorded(file)


def examine_files(
    files: tuple[str, ...],
    python: str | None,
    tokenizer: str | None,
    limits: Limits,
    *,
    output: str | None = None,
    is_restarted: bool = False,
) -> list[Sample]:
    """Read all predictions, execute and diagnose each, with progress, and keep them if wanted."""
    counter = load_tokenizer(tokenizer) if tokenizer else None
    predictions = [p for file in files for p in read_file(file)]
    if not predictions:
        raise InputError(f"no predictions in {', '.join(files)}; each line must be one JSON object")
    samples = []
    with (
        PythonRecorder(python=python) as recorder,
        Run(output, is_restarted=is_restarted) if output else nullcontext() as run,
        progress("diagnosing", len(predictions)) as bar,
    ):
        if run is None:
            found: Iterable[Sample] = (
                examine(prediction, recorder, limits=limits, tokenizer=counter)
                for prediction in predictions
            )
        else:
            models = {prediction.model for prediction in predictions}
            manifest = Manifest(
                benchmark="recorded",
                options={"files": [Path(file).name for file in files]},
                questions=len(predictions),
                model=models.pop() if len(models) == 1 else "",
                engine="recorded",
                tokenizer=tokenizer,
                limits=limits,
            )
            found = keep_recorded(
                run, predictions, recorder, manifest, is_right=expects, tokenizer=counter
            )
        for sample in found:
            samples.append(sample)
            bar.advance(bar.task_ids[0])
    return samples


def hint_comprehensions(samples: list[Sample]) -> None:
    """Say so where a comparison was coarser than it could be."""
    alignments = [sample.diagnosis.facts.alignment for sample in samples]
    folded = sum(alignment is not None and alignment.is_folded for alignment in alignments)
    if folded:
        click.echo(
            f"\n{folded} predictions step through comprehensions, which this Python does not do; "
            "--python python3.11 compares those steps, too.",
            err=True,
        )
