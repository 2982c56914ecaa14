"""`worldline compare`: what changed from one run to another."""

import json

import click
from rich.text import Text

from worldline.core.trace import printable
from worldline.evaluation.metrics import RunComparison
from worldline.interfaces.api.evaluating import compare as compare_runs
from worldline.interfaces.api.evaluating import setting_differences
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.shared_options import format_option
from worldline.interfaces.report import (
    comparison_story,
    comparison_to_json,
    make_console,
    settings_lines,
)


@command(examples=("worldline compare runs/base runs/tuned",))
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--all-groups", is_flag=True, help="List every group, not only the first 12.")
@format_option()
def compare(a: str, b: str, all_groups: bool, form: str) -> None:
    """Compare two runs sample by sample.

    Shows which samples B gained and lost relative to A, with paired tests, overall and by group
    (samples with the same diagnosis, facet or difficulty). Samples that only one run has, or that
    have an infrastructure error in either run, are not compared.
    """
    changed = setting_differences(a, b)
    comparison = compare_runs(a, b)
    if form == "json":
        result = comparison_to_json(comparison)
        click.echo(json.dumps({"a": a, "b": b, "settings": changed, **result}, indent=1))
    else:
        console = make_console()
        for line in (f"A {a}", f"B {b}", *settings_lines(changed)):
            console.print(Text(printable(line)), soft_wrap=True)
        console.print(comparison_story(comparison, all_groups=all_groups))
    warn_of_programs(comparison)


def warn_of_programs(comparison: RunComparison) -> None:
    """Warn if the two runs have different programs under the same names."""
    if comparison.reworded:
        click.echo(
            f"worldline: {comparison.reworded} of {comparison.overall.samples} shared samples have "
            "a different program in B: it was rewritten, or the benchmarks differ",
            err=True,
        )
