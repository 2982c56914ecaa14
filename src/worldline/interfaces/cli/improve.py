"""`worldline improve`: evaluate a model, choose data and train it further, in rounds."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from worldline.core.trace import printable
from worldline.core.util.processes import usable_cores
from worldline.data.curriculum import Selection
from worldline.interfaces.api.improvement_plan import DEFAULT_CONCURRENCY, DEFAULT_ENGINE
from worldline.interfaces.api.improvement_stages import STAGES
from worldline.interfaces.api.improving import Improvement, RoundResult, improve, summary_to_json
from worldline.interfaces.cli.console import hint, resumable
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.selection_options import count_option, known_option, select_option
from worldline.interfaces.cli.shared_options import (
    exclude_option,
    format_option,
    lr_scale_option,
    quiet_option,
    seed_option,
    workers_option,
)
from worldline.interfaces.report import make_console
from worldline.interfaces.report.number_format import interval_text, p_text, share_cell, signed
from worldline.models.codecs import STEP_CODECS

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
# An adjusted p below this is named.
_SIGNIFICANT = 0.05


@command(
    "improve",
    examples=(
        "worldline improve model -o better --tokens 500000",
        "worldline improve model -o control --tokens 500000 --select random",
        "worldline improve model -o new --train-command './t.sh {export} {model} {out}'",
    ),
)
@click.argument("model", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    required=True,
    help="Folder to write the rounds to.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    metavar="N",
    default=3,
    show_default=True,
    help="Number of trainings; a larger number continues a finished improvement.",
)
@click.option(
    "--engine",
    metavar="NAME",
    default=DEFAULT_ENGINE,
    show_default=True,
    help="Engine to ask the model with; {model} is replaced by its folder.",
)
@click.option(
    "--train-command",
    metavar="COMMAND",
    help="Train with this command instead of `worldline train`; {export}, {model}, {out}, "
    "{tokens} and {seed} are replaced.",
)
@click.option(
    "--tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Training tokens of each round.  [default: those of its export]",
)
@select_option
@count_option
@known_option
@click.option(
    "--pool",
    multiple=True,
    type=_FILE,
    metavar="FILE",
    help="Programs to choose from (repeatable).  [default: generate five times --count]",
)
@click.option(
    "--held-out",
    type=_FILE,
    metavar="FILE",
    help="Programs to compare the models on.  [default: drawn from the pool, or generated]",
)
@click.option(
    "--dev",
    type=_FILE,
    metavar="FILE",
    help="Programs to diagnose the models on.  [default: drawn from the pool, or generated]",
)
@click.option(
    "--eval-programs",
    type=click.IntRange(min=1),
    metavar="N",
    default=200,
    show_default=True,
    help="Size of each of these two sets if it has no file.",
)
@exclude_option
@click.option(
    "--codec",
    type=click.Choice(sorted(STEP_CODECS)),
    metavar="NAME",
    default="cwm",
    show_default=True,
    help="Format of predictions and training examples.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    default=2048,
    show_default=True,
    help="Limit on the tokens of a prediction.",
)
@seed_option
@workers_option
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="CPU threads of the training, unless by --train-command.  [default: all cores]",
)
@lr_scale_option
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    metavar="N",
    default=DEFAULT_CONCURRENCY,
    show_default=True,
    help="Requests to the model at the same time.",
)
@format_option()
@quiet_option
def improve_command(
    model: Path,
    output: Path,
    rounds: int,
    engine: str,
    train_command: str | None,
    tokens: int | None,
    select: Selection,
    count: int,
    known: float,
    pool: tuple[Path, ...],
    held_out: Path | None,
    dev: Path | None,
    eval_programs: int,
    exclude: tuple[str, ...],
    codec: str,
    max_tokens: int,
    seed: int,
    workers: int | None,
    threads: int | None,
    lr_scale: float,
    concurrency: int,
    form: str,
) -> None:
    """Improve a model in rounds: evaluate it, choose data, train it further.

    MODEL is a folder that `worldline train` wrote or, with --train-command, any model in Hugging
    Face's format. Each round has a folder. The models are compared on the same held-out programs.

    If interrupted or killed, run the same command again to resume.
    """
    with resumable(restart=False), _stage_progress(rounds) as on_stage:
        result = improve(
            model,
            output,
            rounds=rounds,
            engine=engine,
            train_command=train_command,
            tokens=tokens,
            select=select,
            count=count,
            known=known,
            pool=pool,
            held_out=held_out,
            dev=dev,
            eval_programs=eval_programs,
            exclude=exclude,
            codec=codec,
            max_tokens=max_tokens,
            seed=seed,
            workers=workers or usable_cores(),
            threads=threads,
            lr_scale=lr_scale,
            concurrency=concurrency,
            on_stage=on_stage,
        )
    if form == "json":
        click.echo(json.dumps(summary_to_json(result)))
        return
    print_rounds(make_console(), result)
    page = f"open {result.page} · " if result.page else ""
    hint(printable(f"next: {page}worldline view {output}"))


@contextmanager
def _stage_progress(rounds: int) -> Iterator[Callable[[int, str], None]]:
    """Report which stage of which round runs."""
    names = list(STAGES)
    with report_progress("improve", rounds * len(names) + 1, state="starting") as reporter:

        def report(number: int, stage: str) -> None:
            reporter.update(
                (number - 1) * len(names) + names.index(stage),
                state=lambda: f"round {number}: {stage}",
                numbers=lambda: {"round": number, "stage": stage},
                is_last=True,
            )

        yield report


def print_rounds(console: Console, result: Improvement) -> None:
    """Print the rounds side by side, and what was gained and forgotten."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("round", "correct, %", "difference", "gained", "lost", "trained on"):
        table.add_column(heading, justify="right")
    for each in result.rounds:
        table.add_row(str(each.number), share_cell(each.accuracy.of_all), *_change_cells(each))
    console.print(table)
    console.print(
        "difference: to the round before in points, on the same held-out programs, with its 95% "
        "interval. Samples without an answer are not correct.",
        style="dim",
    )
    for each in result.rounds:
        for line in _operation_lines(each):
            console.print(line, soft_wrap=True)
    console.print(f"the last model: {result.model}", soft_wrap=True)


def _change_cells(result: RoundResult) -> Iterator[str]:
    if result.change is None:
        yield from ("", "", "")
    else:
        overall = result.change.overall
        value = overall.difference.value or 0.0
        yield f"{signed(100 * value)} ({interval_text(overall.difference, scale=100)})"
        yield f"{overall.gained:,}"
        yield f"{overall.lost:,}"
    programs = sum(result.chosen.values())
    yield f"{programs:,} programs, {result.training_tokens:,} tokens" if programs else "–"


def _operation_lines(result: RoundResult) -> Iterator[str]:
    """The operations that changed significantly since the round before."""
    for each in result.operations:
        if each.adjusted_p is not None and each.adjusted_p < _SIGNIFICANT:
            (before, of_before), (after, of_after) = each.a, each.b
            yield (
                f"round {result.number}, {each.name}: {before:,} of {of_before:,} steps correct "
                f"before, {after:,} of {of_after:,} now (adjusted p {p_text(each.adjusted_p)})"
            )
