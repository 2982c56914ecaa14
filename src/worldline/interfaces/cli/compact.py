"""`worldline compact`: merge the small files of a trace store."""

import click

from worldline.core.util.text import pluralize
from worldline.evaluation.store import PART_MB, compact_store
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.shared_options import quiet_option


@command(examples=("worldline compact traces -o compacted",))
@click.argument("store", metavar="STORE")
@click.option("-o", "--output", metavar="NEW", required=True, help="The new store.")
@click.option(
    "--mb",
    "part_mb",
    type=click.IntRange(min=1),
    metavar="N",
    default=PART_MB,
    show_default=True,
    help="Approximate size of a file in MB.",
)
@quiet_option
def compact(store: str, output: str, part_mb: int) -> None:
    """Copy a trace store into a new one with fewer, larger files.

    The rows and their order stay the same. The old store is not changed.
    """
    with report_progress("compacting", 0) as reporter:
        parts = compact_store(store, output, part_mb=part_mb, on_progress=reporter.count)
    click.echo(f"{output}: {pluralize(parts, 'file')}")
