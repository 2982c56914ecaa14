"""`worldline export`: write traces as training examples."""

from pathlib import Path

import click

from worldline.core.util.processes import usable_cores
from worldline.data.export import LOSSES, ExportSettings, Loss, export_traces, summary_lines
from worldline.evaluation.store import is_unfinished
from worldline.interfaces.cli.console import hint
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.shared_options import quiet_option, restart_option, workers_option
from worldline.models.codecs import STEP_CODECS


@command(examples=("worldline export traces --tokenizer bpe:2048 -o export",))
@click.argument("traces")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="EXPORT",
    help="Folder to write.",
)
@click.option(
    "--codec",
    type=click.Choice(sorted(STEP_CODECS)),
    metavar="NAME",
    default="cwm",
    show_default=True,
    help=f"Format of the examples: {', '.join(sorted(STEP_CODECS))}.",
)
@click.option(
    "--tokenizer",
    default="llama3",
    show_default=True,
    metavar="NAME",
    help="llama3, the path of a tokenizer.json, the folder of a model (special tokens are added to "
    "its tokenizer), bytes (one token per byte), or bpe:2048 to train a BPE of 2048 tokens on the "
    "traces.",
)
@click.option(
    "--loss",
    type=click.Choice(LOSSES),
    default="all",
    show_default=True,
    help="Compute the loss on all completion tokens, or only on those of actions or states; other "
    "tokens get the label -100.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Drop examples with more than N tokens, including the prompt.",
)
@workers_option
@restart_option
@quiet_option
def export(
    traces: str,
    output: Path,
    codec: str,
    tokenizer: str,
    loss: Loss,
    max_tokens: int | None,
    workers: int | None,
    restart: bool,
) -> None:
    """Export traces as training examples.

    TRACES is a store that `worldline trace` wrote. EXPORT will contain Parquet files that
    `datasets` and TRL load, the tokenizer, and a data card.
    """
    if is_unfinished(traces):
        click.echo(
            f"worldline: {traces} is unfinished: only the traces that it has are exported; run "
            "the same `worldline trace` again to resume it",
            err=True,
        )
    with report_progress("exporting", 0) as reporter:
        summary = export_traces(
            traces,
            output,
            ExportSettings(codec, tokenizer, loss, max_tokens),
            workers=workers or usable_cores(),
            restart=restart,
            on_progress=reporter.count,
        )
    for line in summary_lines(summary):
        click.echo(line)
    hint(f"written to {output}; its README.md says how to load it")
