"""`worldline compare A B`: what changed from one run to another, on the samples that both have."""

import json
from dataclasses import asdict
from typing import Any

import click
from rich.text import Text

from worldline.benchmarks.options import option_to_text
from worldline.cli.console import make_console
from worldline.cli.options import form_option
from worldline.measures import RunComparison, compare_runs
from worldline.report import comparison_story, comparison_to_json
from worldline.runs import Manifest, read_judged, read_manifest


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@form_option
def compare(a: str, b: str, form: str) -> None:
    """Compare two runs sample by sample: what B gained and lost against A, and where.

    Only samples that both runs have count, and none that failed in the infrastructure in either.
    """
    manifests = read_manifest(a), read_manifest(b)
    comparison = compare_runs(read_judged(a), read_judged(b))
    changed = differences(*manifests)
    if form == "json":
        found = comparison_to_json(comparison)
        click.echo(json.dumps({"a": a, "b": b, "settings": changed, **found}, indent=1))
    else:
        console = make_console()
        console.print(Text(f"A {a}\nB {b}"), soft_wrap=True)
        for name, (before, after) in changed.items():
            console.print(Text(f"{name}: {before} in A, {after} in B"), soft_wrap=True)
        console.print(comparison_story(comparison), soft_wrap=True)
    warn_of_programs(comparison)


def differences(a: Manifest, b: Manifest) -> dict[str, tuple[Any, Any]]:
    """What is not the same in two runs: what a change of accuracy may come from.

    {"model": ("base", "tuned"), "budget": (512, 4096)}
    """
    before, after = _told(a), _told(b)
    # What only one of them has comes of another benchmark, or of predictions made elsewhere.
    pairs = {name: (before[name], after[name]) for name in before if name in after}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _told(manifest: Manifest) -> dict[str, Any]:
    settings = asdict(manifest.settings) if manifest.settings else {}
    limits = {f"limit of {name}": value for name, value in asdict(manifest.limits).items()}
    last = manifest.sessions[-1] if manifest.sessions else {}
    return {
        "benchmark": manifest.benchmark,
        **{f"option {name}": option_to_text(value) for name, value in manifest.options.items()},
        "model": manifest.model,
        **settings,
        "repeats": manifest.repeats,
        **limits,
        "python": last.get("python"),
        "worldline": last.get("worldline"),
    }


def warn_of_programs(comparison: RunComparison) -> None:
    """Say so where the two runs are not of the same programs."""
    if comparison.reworded:
        click.echo(
            f"\n{comparison.reworded} of {comparison.overall.samples} shared samples are about "
            "another program text in B: rewritten on purpose, or of another benchmark by the same "
            "name.",
            err=True,
        )
