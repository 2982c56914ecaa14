"""`worldline report`: summarize a run, as text or as one HTML file."""

import json
from contextlib import ExitStack
from pathlib import Path

import click

from worldline.core.errors import InputError
from worldline.core.trace import printable
from worldline.interfaces.api.run import Run
from worldline.interfaces.cli.console import hint
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.shared_options import (
    format_option,
    python_option,
    quiet_option,
    tokenizer_option,
)
from worldline.interfaces.report import run_report_to_json


@command(
    examples=(
        "worldline report runs/mine",
        "worldline report runs/mine -o report.html",
        "worldline report runs/base runs/tuned -o report.html",
    )
)
@click.argument("run")
@click.argument("run_b", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.html",
    help="Write one HTML file instead of text. With --python, all programs are executed again.",
)
@format_option()
@quiet_option
@tokenizer_option
@python_option
def report(
    run: str,
    run_b: str | None,
    output: Path | None,
    form: str,
    python: str | None,
    tokenizer: str | None,
) -> None:
    """Summarize a run: accuracy, outcomes, causes, and accuracy by group.

    With -o, write one HTML file with an overview, all samples, and each sample step by step. With
    two runs, it also shows what changed.
    """
    if output is None:
        if run_b is not None:
            raise InputError(
                f"two runs need -o report.html; in the terminal: worldline compare {run} {run_b}"
            )
        print_run(Run(run), form)
        return
    if form == "json":
        raise InputError("-o writes an HTML file, --format json prints JSON: give only one of them")
    runs = [Run(run), *([Run(run_b)] if run_b else [])]
    total = sum(map(len, runs))
    with ExitStack() as stack:
        reporter = stack.enter_context(report_progress("diagnosing", total))
        runs[0].report(
            output,
            compare_to=runs[1] if run_b else None,
            tokenizer=tokenizer,
            python=python,
            on_sample=reporter.advance,
        )
    size = output.stat().st_size / 1e6
    click.echo(printable(f"{output}: {total:,} samples, {size:.1f} MB; open it in a browser"))


def print_run(run: Run, form: str) -> None:
    """Print the results of a run, finished or not."""
    if form == "json":
        click.echo(json.dumps(run_report_to_json(run.results()), indent=1))
        return
    run.show()
    commands = (f"show {run.location} SAMPLE", f"view {run.location}", f"sql {run.location} QUERY")
    hint(printable(f"next: {' · '.join(f'worldline {each}' for each in commands)}"))
