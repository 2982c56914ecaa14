"""`worldline report`: summarize a run or rank several, as text or as one HTML file."""

import json
from contextlib import ExitStack
from pathlib import Path

import click

from worldline.core.errors import InputError
from worldline.core.trace import printable
from worldline.interfaces.api.comparing import leaderboard, write_leaderboard
from worldline.interfaces.api.run import Run
from worldline.interfaces.cli.console import hint
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.shared_options import (
    format_option,
    python_option,
    quiet_option,
    tokenizer_option,
    trust_option,
)
from worldline.interfaces.report import (
    leaderboard_report,
    leaderboard_to_json,
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
        "worldline report runs/base runs/a runs/b --baseline runs/base",
        "worldline report runs/mine --by operation",
        "worldline report runs/mine --by operation --operation str.replace",
    )
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--baseline",
    metavar="RUN",
    help="With two or more runs, compare each with this one.  [default: the first]",
)
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
@trust_option
@format_option()
@quiet_option
@tokenizer_option
@python_option
def report(
    runs: tuple[str, ...],
    baseline: str | None,
    output: Path | None,
    by: str | None,
    operation: str | None,
    trust: Path | None,
    form: str,
    python: str | None,
    tokenizer: str | None,
) -> None:
    """Summarize a run: accuracy, outcomes, causes, and accuracy by group.

    With two or more runs, print a table: the most accurate run first, and the paired difference of
    each run to a baseline.

    With -o, write one HTML file. For one run it has an overview, all samples, and each sample step
    by step. For two runs it also has their comparison. For more runs it has the table.

    With --by operation, print the share of correct steps for each operation, and a regression that
    separates the effects of operation, size and nesting.
    """
    if by == "operation" or operation is not None:
        if output is not None or len(runs) > 1 or by is None:
            raise InputError(
                "--by operation prints one run; give neither -o nor a second run, and --operation "
                "only with it"
            )
        print_operations(
            Run(runs[0]), form, operation=operation, tokenizer=tokenizer, python=python
        )
        return
    if trust is not None and (output is None or len(runs) > 2):
        raise InputError("--trust is shown on the page of one run or two; give -o FILE.html")
    if baseline is not None and len(runs) == 1:
        raise InputError("--baseline compares runs; give two or more")
    if output is not None and form == "json":
        raise InputError("-o writes an HTML file, --format json prints JSON: give only one of them")
    if len(runs) > 2 or (len(runs) == 2 and (output is None or baseline is not None)):
        show_leaderboard(runs, baseline, output, form)
    elif output is None:
        print_run(Run(runs[0]), form)
    else:
        write_html(
            [Run(run) for run in runs], output, tokenizer=tokenizer, python=python, trust=trust
        )


def show_leaderboard(
    runs: tuple[str, ...], baseline: str | None, output: Path | None, form: str
) -> None:
    """Print the leaderboard of runs, or write it as one HTML file."""
    if output is not None:
        write_leaderboard(runs, output, baseline=baseline)
        click.echo(printable(f"{output}: {len(runs)} runs; open it in a browser"))
        return
    result = leaderboard(runs, baseline=baseline)
    if form == "json":
        click.echo(json.dumps(leaderboard_to_json(result), indent=1))
        return
    console = make_console()
    for part in leaderboard_report(result):
        console.print(part)
    if len(runs) == 2:
        hint(printable(f"next: worldline compare {runs[0]} {runs[1]}"))


def write_html(
    runs: list[Run],
    output: Path,
    *,
    tokenizer: str | None,
    python: str | None,
    trust: Path | None = None,
) -> None:
    """Write one run, or two and their comparison, as one HTML file."""
    total = sum(map(len, runs))
    with ExitStack() as stack:
        reporter = stack.enter_context(report_progress("diagnosing", total))
        runs[0].report(
            output,
            compare_to=runs[1] if len(runs) == 2 else None,
            tokenizer=tokenizer,
            python=python,
            trust=trust,
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
