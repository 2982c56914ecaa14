"""`worldline show RECORDED.jsonl ID`: the real and the imagined execution side by side."""

import click

from worldline.cli.console import make_console
from worldline.cli.diagnose import read_file
from worldline.cli.options import limit_options, python_option, tokenizer_option
from worldline.diagnose import AFTER, BEFORE
from worldline.errors import InputError
from worldline.recorders import PythonRecorder
from worldline.report import attempt_lines, score_lines, side_by_side
from worldline.runs import (
    confirmed_causes,
    examine,
    is_run,
    read_attempts,
    read_interventions,
    read_judged,
    with_confirmed,
)
from worldline.tokens import load_tokenizer
from worldline.trace import Limits, printable


@click.command()
@click.argument("file")
@click.argument("id")
@click.option(
    "--before",
    type=click.IntRange(min=0),
    default=BEFORE,
    show_default=True,
    help="Steps to show before the divergence.",
)
@click.option(
    "--after",
    type=click.IntRange(min=0),
    default=AFTER,
    show_default=True,
    help="Steps to show behind it.",
)
@click.option("--source", "is_source", is_flag=True, help="Show the program, too.")
@python_option
@tokenizer_option
@limit_options
def show(
    file: str,
    id: str,
    before: int,
    after: int,
    is_source: bool,
    python: str | None,
    tokenizer: str | None,
    limits: Limits,
) -> None:
    """Show one prediction of a FILE, or of a run, beside what really happens, around where they
    part."""
    predictions = list(read_file(file))
    chosen = [prediction for prediction in predictions if prediction.id == id]
    if not chosen:
        near = [p.id for p in predictions if id in p.id] or [p.id for p in predictions]
        named = ", ".join(map(printable, near[:8])) + (", …" if len(near) > 8 else "")
        raise InputError(f"no sample {id!r} in {file}; there is {named}")
    if len(chosen) > 1:
        raise InputError(f"{len(chosen)} samples in {file} have the id {id!r}; ids must differ")
    counter = load_tokenizer(tokenizer) if tokenizer else None
    with PythonRecorder(python=python) as recorder:
        sample = examine(
            chosen[0],
            recorder,
            limits=limits,
            tokenizer=counter,
        )
    attempts = []
    if is_run(file):
        confirmed = confirmed_causes(read_judged(file), read_interventions(file))
        sample, attempts = with_confirmed(sample, confirmed), read_attempts(file).on(sample)
    console = make_console()
    if is_source:
        lines = sample.truth.program.text.expandtabs(4).split("\n")
        console.print("\n".join(map(printable, lines)), markup=False)
    console.print(side_by_side(sample, width=console.width, before=before, after=after))
    alignment = sample.diagnosis.facts.alignment
    for line in attempt_lines(attempts, alignment.matched if alignment else None):
        console.print(line)
    for line in score_lines(sample, width=console.width):
        console.print(line, soft_wrap=True)
