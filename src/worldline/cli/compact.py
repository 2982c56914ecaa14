"""`worldline compact STORE -o NEW`: make a few large files of many small ones."""

import click

from worldline.cli.progress import counting
from worldline.diagnose import count
from worldline.store import PART_MB, compact_store


@click.command()
@click.argument("store", metavar="STORE")
@click.option("-o", "--output", metavar="NEW", required=True, help="The new store.")
@click.option(
    "--mb",
    "part_mb",
    type=click.IntRange(min=1),
    default=PART_MB,
    show_default=True,
    help="The size of a part.",
)
def compact(store: str, output: str, part_mb: int) -> None:
    """Copy a STORE of many small files into one of a few large ones.

    The rows and their order are the same, and so is how they are read. The old one stays.
    """
    with counting("compacting", 0) as on_progress:
        parts = compact_store(store, output, part_mb=part_mb, on_progress=on_progress)
    click.echo(f"{output}: {count(parts, 'part')}")
