"""`worldline curriculum`: choose programs for the next training from the results of a run."""

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from worldline.core.errors import InputError
from worldline.core.util.processes import usable_cores
from worldline.data.curriculum import Curriculum, Selection
from worldline.interfaces.api.curriculum_choice import choose_curriculum
from worldline.interfaces.cli.console import hint
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.selection_options import count_option, known_option, select_option
from worldline.interfaces.cli.shared_options import (
    exclude_option,
    format_option,
    quiet_option,
    seed_option,
    workers_option,
)
from worldline.interfaces.report import make_console

# Operations that are listed.
_LISTED = 12
_REASONS = {
    "edge": "at the edge",
    "known": "known",
    "nearest": "nearest to it",
    "random": "at random",
}


@command(
    examples=(
        "worldline curriculum runs/mine -o next.jsonl --count 5000",
        "worldline curriculum runs/mine -o next.jsonl --pool harvested.jsonl",
        "worldline trace next.jsonl -o traces/ && worldline export traces/ -o data/",
    )
)
@click.argument("run")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    required=True,
    help="JSON lines file to write; `worldline trace` and `bench` read it.",
)
@click.option(
    "--pool",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Programs to choose from, generated or harvested (repeatable).  [default: generate five "
    "times --count]",
)
@count_option
@known_option
@select_option
@click.option(
    "--scores",
    metavar="RUN",
    help="Run of the pool with --mode score, for --select likelihood.",
)
@seed_option
@exclude_option
@workers_option
@format_option()
@quiet_option
def curriculum(
    run: str,
    output: Path,
    pool: tuple[Path, ...],
    count: int,
    known: float,
    select: Selection,
    scores: str | None,
    seed: int,
    exclude: tuple[str, ...],
    workers: int | None,
    form: str,
) -> None:
    """Choose programs that exercise what the model of a run predicts wrong.

    RUN has the share of correct steps of each operation. From these shares, the command computes
    the probability that the model predicts a program right. It chooses programs at the edge: those
    that the model predicts right neither almost always nor almost never.
    """
    if output.resolve() in {each.resolve() for each in pool}:
        raise InputError(f"{output} is read by --pool; name another file with -o")
    with report_progress(output.name, None) as reporter:
        done = 0

        def count_program() -> None:
            nonlocal done
            done += 1
            reporter.update(done)

        result = choose_curriculum(
            run,
            output,
            pool=pool,
            count=count,
            known=known,
            select=select,
            scores=scores,
            seed=seed,
            exclude=exclude,
            workers=workers or usable_cores(),
            on_program=count_program,
        )
    if form == "json":
        click.echo(json.dumps(asdict(result)))
        return
    print_curriculum(make_console(), output, result)
    hint(f"next: worldline trace {output} -o traces/")


def print_curriculum(console: Console, output: Path, result: Curriculum) -> None:
    """Print what was chosen, and why."""
    reasons = (
        f"{result.chosen[reason]:,} {label}"
        for reason, label in _REASONS.items()
        if reason in result.chosen
    )
    console.print(
        f"{sum(result.chosen.values()):,} of {result.pool:,} programs in {output}: "
        f"{', '.join(reasons)}",
        soft_wrap=True,
    )
    console.print(
        f"expected to be predicted right: {result.expected_chosen:.0%} of the chosen programs, "
        f"{result.expected_pool:.0%} of all; {result.known:,} are known and {result.too_hard:,} "
        "too hard",
        soft_wrap=True,
    )
    table = Table(title="operations chosen most", title_justify="left", box=None)
    for heading in ("operation", "correct steps", "% of all programs", "% of chosen"):
        table.add_column(heading, justify="left" if heading == "operation" else "right")
    for each in result.operations[:_LISTED]:
        shares = (f"{100 * share:.1f}" for share in (each.pool, each.chosen))
        table.add_row(each.name, f"{each.correct:,} of {each.of:,}", *shares)
    console.print(table)
