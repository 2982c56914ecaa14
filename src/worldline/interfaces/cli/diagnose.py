"""`worldline diagnose`: find the first wrong step of recorded predictions."""

import csv
import io
import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, get_args

import click
from rich.text import Text

from worldline.analysis.alignment import DivergenceKind
from worldline.analysis.diagnosis import CauseName, Diagnosis, Outcome, Sample, ValueKind, label
from worldline.core.errors import InputError, WorldlineError
from worldline.core.trace import Limits
from worldline.core.util.text import pluralize
from worldline.evaluation.runs import sample_to_json
from worldline.interfaces.api.diagnosing import diagnose_predictions
from worldline.interfaces.api.recording import read_trace_file
from worldline.interfaces.cli.console import hint, resumable
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.shared_options import (
    first_option,
    format_option,
    limit_options,
    open_source,
    python_option,
    quiet_option,
    restart_option,
    tokenizer_option,
)
from worldline.interfaces.report import (
    make_console,
    print_line,
    sample_lines,
    summarize,
    summary_tables,
    summary_to_json,
)

FILTERS = {
    name for names in (Outcome, DivergenceKind, ValueKind, CauseName) for name in get_args(names)
}


@command(
    examples=(
        "worldline diagnose predictions.jsonl",
        "worldline diagnose predictions.jsonl --only str --only copy_error",
        "worldline diagnose predictions.jsonl -o runs/mine",
    )
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option("text", "json", "jsonl", "csv")
@click.option(
    "--only",
    metavar="NAME",
    multiple=True,
    help="List only samples with this outcome (diverged), kind of divergence (state), kind of "
    "value (str) or cause (copy_error); repeatable: any match counts.",
)
@click.option("--summary", "is_summary", is_flag=True, help="Print the tables only, no samples.")
@first_option
@click.option(
    "--skip-invalid", is_flag=True, help="Skip lines that are not predictions, with a warning."
)
@click.option(
    "--trace",
    "traces",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Compare with this trace (--format json of `run` or `record`) instead of executing its "
    "program (repeatable).",
)
@click.option("-o", "--output", metavar="RUN", help="Also store the samples as a run.")
@restart_option
@quiet_option
@tokenizer_option
@python_option
@limit_options
def diagnose(
    files: tuple[str, ...],
    form: str,
    only: tuple[str, ...],
    is_summary: bool,
    first: int | None,
    skip_invalid: bool,
    traces: tuple[Path, ...],
    output: str | None,
    restart: bool,
    python: str | None,
    tokenizer: str | None,
    limits: Limits,
) -> None:
    """Find the first wrong step of each prediction.

    Executes each program in the sandbox and compares the predicted execution with the actual one.
    FILE is a JSON lines file with id, output (the model's text), code and call (or context, the
    exact program text that the model saw); a sample file of lm-eval; a log of Inspect; a run; or -
    for standard input.
    """
    unknown = set(only) - FILTERS
    if unknown:
        names = ", ".join(sorted(FILTERS))
        raise InputError(f"--only {sorted(unknown)[0]!r} is not one of {names}")
    if restart and not output:
        raise InputError("--restart is for a run: name it with -o")
    samples = _diagnose(
        files,
        output=output,
        traces=[read_trace_file(path) for path in traces],
        first=first,
        skip_invalid=skip_invalid,
        restart=restart,
        python=python,
        tokenizer=tokenizer,
        limits=limits,
    )
    listed = [s for s in samples if not only or filters_of(s.diagnosis) & set(only)]
    if form == "text":
        _print(samples, listed, only, is_summary=is_summary)
        hint_comprehensions(samples)
    else:
        summary = summary_to_json(summarize([sample.diagnosis for sample in samples]))
        click.echo(_machine_text(form, summary, listed, is_summary=is_summary), nl=False)
    if output:
        hint(f"stored in {output}; next: worldline report {output}")


def _diagnose(
    files: Sequence[str], *, skip_invalid: bool, restart: bool, output: str | None, **options: Any
) -> list[Sample]:
    """Diagnose with a progress bar; a run can be resumed."""
    invalid: list[WorldlineError] = []
    with ExitStack() as stack:
        if output:
            stack.enter_context(resumable(restart))
        reporter = stack.enter_context(report_progress("diagnosing", None))
        samples = diagnose_predictions(
            [open_source(file) for file in files],
            output=output,
            restart=restart,
            on_invalid=invalid.append if skip_invalid else None,
            on_start=lambda total: reporter.update(0, total=total),
            on_sample=lambda sample: reporter.advance(),
            **options,
        )
    if invalid:
        number = pluralize(len(invalid), "line")
        click.echo(f"worldline: skipped {number}; the first: {invalid[0]}", err=True)
    return samples


def _print(
    samples: list[Sample], listed: list[Sample], only: Sequence[str], *, is_summary: bool
) -> None:
    console = make_console()
    console.print(summary_tables(summarize([sample.diagnosis for sample in samples])))
    if is_summary:
        return
    if only:
        names = " or ".join(label(name) for name in only)
        console.print(Text(f"{names}: {pluralize(len(listed), 'sample')}", "bold"))
    for line in sample_lines([s.diagnosis for s in listed], width=console.width):
        print_line(console, line)


def _machine_text(
    form: str, summary: dict[str, Any], samples: list[Sample], *, is_summary: bool
) -> str:
    """The result as one JSON object, as JSON lines, or as CSV."""
    if is_summary:
        return f"{json.dumps(summary)}\n"
    rows = [sample_to_json(sample) for sample in samples]
    if form == "json":
        return f"{json.dumps({'summary': summary, 'samples': rows}, indent=1)}\n"
    if form == "jsonl":
        return "".join(f"{json.dumps(row)}\n" for row in rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0] if rows else ())
    for row in rows:
        writer.writerow(
            json.dumps(value) if isinstance(value, dict | list) else value for value in row.values()
        )
    return text.getvalue()


def filters_of(diagnosis: Diagnosis) -> set[str]:
    """The names by which --only lists a sample."""
    names = (diagnosis.facts.outcome, diagnosis.where, diagnosis.kind)
    cause = {diagnosis.cause.name} if diagnosis.cause else set()
    return {name for name in names if name} | cause


def hint_comprehensions(samples: list[Sample]) -> None:
    """Say that steps within comprehensions were not compared, if another Python shows them."""
    alignments = [sample.diagnosis.facts.alignment for sample in samples]
    number = sum(
        alignment is not None
        and alignment.excludes_comprehensions
        # The formats for chat models never ask for these steps.
        and not alignment.predicted.omits_expression_frames
        for alignment in alignments
    )
    if number:
        hint(
            "\nSteps inside comprehensions were not compared in "
            f"{pluralize(number, 'prediction')}, because this Python does not trace them; use "
            "--python python3.11 to compare them."
        )
