"""`worldline compare A B`: what changed from one run to another, on the samples that both have."""

import json

import click

from worldline.cli.console import make_console
from worldline.measures import RunComparison, compare_runs
from worldline.report import comparison_story, comparison_to_json
from worldline.runs import read_judged


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or one JSON object.",
)
def compare(a: str, b: str, form: str) -> None:
    """Compare two runs sample by sample: what B gained and lost against A, and where.

    Only samples that both runs have count, and none that failed in the infrastructure in either.
    """
    comparison = compare_runs(read_judged(a), read_judged(b))
    if form == "json":
        click.echo(json.dumps(comparison_to_json(comparison), indent=1))
    else:
        make_console().print(comparison_story(comparison))
    warn_of_benchmarks(comparison)


def warn_of_benchmarks(comparison: RunComparison) -> None:
    """Say so where the two runs are not of the same benchmark.

    What the samples themselves tell; a run's manifest, which names its benchmark and the hash of
    its questions, is to be compared here as well.
    """
    if comparison.disputed:
        click.echo(
            f"\n{comparison.disputed} of {comparison.overall.samples} shared samples have other "
            "facets or another true execution in B: the runs may be of different benchmarks.",
            err=True,
        )
