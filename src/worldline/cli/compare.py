"""`worldline compare A B`: what changed from one run to another, on the samples that both have."""

import json

import click
from rich.text import Text

from worldline.benchmarks import as_typed
from worldline.cli.console import make_console
from worldline.cli.options import form_option
from worldline.measures import RunComparison, changed_settings, compare_runs
from worldline.report import comparison_story, comparison_to_json, settings_lines
from worldline.runs import read_judged, read_manifest
from worldline.trace import printable


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@form_option
def compare(a: str, b: str, form: str) -> None:
    """Compare two runs sample by sample: what B gained and lost against A, and where.

    Only samples that both runs have count, and none that failed in the infrastructure in either.
    """
    manifests = as_typed(read_manifest(a)), as_typed(read_manifest(b))
    comparison = compare_runs(read_judged(a), read_judged(b))
    changed = changed_settings(*manifests)
    if form == "json":
        found = comparison_to_json(comparison)
        click.echo(json.dumps({"a": a, "b": b, "settings": changed, **found}, indent=1))
    else:
        console = make_console()
        for line in (f"A {a}", f"B {b}", *settings_lines(changed)):
            console.print(Text(printable(line)), soft_wrap=True)
        console.print(comparison_story(comparison), soft_wrap=True)
    warn_of_programs(comparison)


def warn_of_programs(comparison: RunComparison) -> None:
    """Say so where the two runs are not of the same programs."""
    if comparison.reworded:
        click.echo(
            f"\n{comparison.reworded} of {comparison.overall.samples} shared samples are about "
            "another program text in B: rewritten on purpose, or of another benchmark by the same "
            "name.",
            err=True,
        )
