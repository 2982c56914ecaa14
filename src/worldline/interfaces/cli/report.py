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
from worldline.interfaces.report import (
    make_console,
    operation_report,
    operations_to_json,
    run_report_to_json,
)


@command(
    examples=(
        "worldline report runs/mine",
        "worldline report runs/mine -o report.html",
        "worldline report runs/base runs/tuned -o report.html",
        "worldline report runs/mine --by operation",
        "worldline report runs/mine --by operation --operation str.replace",
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
@click.option(
    "--by",
    type=click.Choice(["operation"]),
    help="Print how often each executed operation was predicted correctly.",
)
@click.option(
    "--operation",
    metavar="NAME",
    help="With --by operation, count only the steps of this operation, such as str.replace.",
)
@format_option()
@quiet_option
@tokenizer_option
@python_option
def report(
    run: str,
    run_b: str | None,
    output: Path | None,
    by: str | None,
    operation: str | None,
    form: str,
    python: str | None,
    tokenizer: str | None,
) -> None:
    """Summarize a run: accuracy, outcomes, causes, and accuracy by group.

    With -o, write one HTML file with an overview, all samples, and each sample step by step. With
    two runs, it also shows what changed. With --by operation, print the share of correct steps for
    each operation, and a fitted model that separates operation, size and nesting.
    """
    if by == "operation" or operation is not None:
        if output is not None or run_b is not None or by is None:
            raise InputError(
                "--by operation prints one run; give neither -o nor a second run, and --operation "
                "only with it"
            )
        print_operations(Run(run), form, operation=operation, tokenizer=tokenizer, python=python)
        return
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


def print_operations(
    run: Run,
    form: str,
    *,
    operation: str | None,
    tokenizer: str | None,
    python: str | None,
) -> None:
    """Print the accuracy of a run by operation."""
    with report_progress("diagnosing", len(run)) as reporter:
        results = run.operations(
            operation=operation, tokenizer=tokenizer, python=python, on_sample=reporter.advance
        )
    if form == "json":
        click.echo(json.dumps(operations_to_json(results), indent=1))
        return
    console = make_console()
    for part in operation_report(results, operation=operation):
        console.print(part)


def print_run(run: Run, form: str) -> None:
    """Print the results of a run, finished or not."""
    if form == "json":
        click.echo(json.dumps(run_report_to_json(run.results()), indent=1))
        return
    run.show()
    commands = (f"show {run.location} SAMPLE", f"view {run.location}", f"sql {run.location} QUERY")
    hint(printable(f"next: {' · '.join(f'worldline {each}' for each in commands)}"))
