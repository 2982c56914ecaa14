"""`worldline export TRACES --tokenizer NAME -o EXPORT`: make traces into what trainers load."""

from pathlib import Path

import click

from worldline.cli.options import workers_option
from worldline.cli.progress import counting
from worldline.codecs import STEP_CODECS
from worldline.runs import usable_cores
from worldline.store import is_unfinished
from worldline.training import LOSSES, ExportSettings, Loss, export_traces, summary_lines


@click.command()
@click.argument("traces")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="EXPORT",
    help="The folder to write.",
)
@click.option(
    "--codec",
    type=click.Choice(sorted(STEP_CODECS)),
    default="cwm",
    show_default=True,
    help="The format.",
)
@click.option(
    "--tokenizer",
    default="llama3",
    show_default=True,
    metavar="NAME",
    help="llama3, a tokenizer.json, or one made from the traces: bytes, bpe:2048.",
)
@click.option(
    "--loss",
    type=click.Choice(LOSSES),
    default="all",
    show_default=True,
    help="The tokens of a completion that are learned.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    help="Leave out examples whose prompt and completion are longer.",
)
@workers_option
@click.option("--restart", "is_restarted", is_flag=True, help="Replace an export that is there.")
def export(
    traces: str,
    output: Path,
    codec: str,
    tokenizer: str,
    loss: Loss,
    max_tokens: int | None,
    workers: int | None,
    is_restarted: bool,
) -> None:
    """Make recorded traces into examples to train a model with.

    TRACES is a folder that `worldline trace` wrote. EXPORT gets Parquet files that
    `datasets` and TRL load as they are, the vocabulary, and a data card.
    """
    if is_unfinished(traces):
        click.echo(
            f"worldline: {traces} is not finished: what is there is exported (`worldline trace`, "
            "given again, goes on; what `worldline compact` has begun is best removed)",
            err=True,
        )
    with counting("exporting", 0) as on_progress:
        summary = export_traces(
            traces,
            output,
            ExportSettings(codec, tokenizer, loss, max_tokens),
            workers=workers or usable_cores(),
            is_restarted=is_restarted,
            on_progress=on_progress,
        )
    for line in summary_lines(summary):
        click.echo(line)
    click.echo(f"written to {output}; its README.md says how to load it")
