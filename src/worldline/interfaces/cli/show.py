"""`worldline show`: one prediction next to the actual execution."""

import json

import click

from worldline.analysis.diagnosis import STEPS_AFTER, STEPS_BEFORE
from worldline.core.trace import Limits, printable
from worldline.evaluation.runs import sample_to_json
from worldline.interfaces.api.diagnosing import attempts_on, diagnose_sample
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.shared_options import (
    format_option,
    limit_options,
    python_option,
    tokenizer_option,
)
from worldline.interfaces.report import attempt_lines, make_console, side_by_side, step_score_lines


@command(
    examples=(
        "worldline show predictions.jsonl sample_571",
        "worldline show runs/mine sample_571 --before 8 --source",
    )
)
@click.argument("file")
@click.argument("id")
@click.option(
    "--before",
    type=click.IntRange(min=0),
    metavar="N",
    default=STEPS_BEFORE,
    show_default=True,
    help="Number of steps to show before the divergence.",
)
@click.option(
    "--after",
    type=click.IntRange(min=0),
    metavar="N",
    default=STEPS_AFTER,
    show_default=True,
    help="Number of steps to show after the divergence.",
)
@click.option("--source", "is_source", is_flag=True, help="Also show the program.")
@format_option()
@tokenizer_option
@python_option
@limit_options
def show(
    file: str,
    id: str,
    before: int,
    after: int,
    is_source: bool,
    form: str,
    python: str | None,
    tokenizer: str | None,
    limits: Limits,
) -> None:
    """Show one prediction next to the actual execution.

    FILE is a file of recorded predictions or a run; ID is one of its samples. Lists the steps
    around the divergence and the facts about it.
    """
    sample = diagnose_sample(file, id, tokenizer=tokenizer, limits=limits, python=python)
    if form == "json":
        click.echo(json.dumps(sample_to_json(sample), indent=1))
        return
    console = make_console()
    if is_source:
        lines = sample.actual.program.text.expandtabs(4).split("\n")
        console.print("\n".join(map(printable, lines)), markup=False, soft_wrap=True)
    console.print(side_by_side(sample, width=console.width, before=before, after=after))
    alignment = sample.diagnosis.facts.alignment
    attempts = attempts_on(file, sample)
    for line in attempt_lines(attempts, alignment.matched_steps if alignment else None):
        console.print(line)
    for line in step_score_lines(sample, width=console.width):
        console.print(line, soft_wrap=True)
