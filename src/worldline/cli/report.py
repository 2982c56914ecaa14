"""`worldline report RUN`: what a run came to."""

import json
from dataclasses import asdict
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from worldline.benchmarks import as_typed
from worldline.cli.console import make_console
from worldline.cli.options import form_option
from worldline.measures import (
    FACETS,
    accuracy,
    breakdown,
    measure_composition,
    measure_horizon,
    measure_interventions,
    measure_scores,
    pass_rates,
)
from worldline.report import (
    accuracy_lines,
    accuracy_to_json,
    breakdown_table,
    composition_tables,
    horizon_tables,
    intervention_tables,
    interventions_to_json,
    pass_line,
    run_lines,
    scored_lines,
    summarize_run,
    summary_tables,
    summary_to_json,
)
from worldline.runs import (
    Judged,
    Manifest,
    read_interventions,
    read_judged,
    read_manifest,
    read_scores,
)


@click.command()
@click.argument("run")
@form_option
def report(run: str, form: str) -> None:
    """Say what a RUN came to: accuracy, outcomes, and how it depends on difficulty."""
    print_run(make_console(), run, form)


def print_run(console: Console, run: str, form: str) -> None:
    """The results of a run, as far as it has come."""
    manifest, rows = read_manifest(run), read_judged(run)
    scored, tried = measure_scores(read_scores(run)), read_interventions(run)
    if form == "json":
        told = {**_to_json(manifest, rows), "scored": asdict(scored) if scored else None}
        told["interventions"] = (
            interventions_to_json(measure_interventions(rows, tried)) if tried else None
        )
        click.echo(json.dumps(told, indent=1))
        return
    for line in run_lines(as_typed(manifest), run, len(rows)):
        console.print(line)
    found = accuracy(rows)
    for line in accuracy_lines(found):
        console.print(line)
    rates = pass_rates(rows)
    if rates:
        console.print(pass_line(rates))
    for line in scored_lines(scored) if scored else ():
        console.print(line)
    if found.of_all.of:
        print_tables(console, manifest, rows)
    if tried:
        console.print(intervention_tables(measure_interventions(rows, tried)))
    commands = (f"show {run} SAMPLE", f"sql {run} QUERY", f"compare {run} ANOTHER_RUN")
    next_steps = " · ".join(f"worldline {command}" for command in commands)
    console.print(Text(f"next: {next_steps}"), soft_wrap=True)


def print_tables(console: Console, manifest: Manifest, rows: list[Judged]) -> None:
    """Outcomes and causes, and accuracy by all that is known of the samples."""
    console.print(summary_tables(summarize_run(rows)))
    if _has_steps(rows):
        console.print(horizon_tables(measure_horizon(rows)))
    if _is_composition(manifest):
        console.print(composition_tables(measure_composition(rows), width=console.width))
    groups = breakdown(rows)
    if groups:
        console.print(
            Text("Accuracy by what the samples are like (95% intervals)", "bold"),
            breakdown_table(groups),
        )


def _has_steps(rows: list[Judged]) -> bool:
    return any(row.matched_steps is not None for row in rows)


def _is_composition(manifest: Manifest) -> bool:
    # A folder of one's own may have that name, too.
    return manifest.benchmark == "composition" and manifest.facets.keys() >= set(FACETS)


def _to_json(manifest: Manifest, rows: list[Judged]) -> dict[str, Any]:
    is_composition = _is_composition(manifest)
    return {
        "benchmark": manifest.benchmark,
        "model": manifest.model,
        "samples": len(rows),
        "accuracy": accuracy_to_json(accuracy(rows), breakdown(rows)),
        "pass": [asdict(rate) for rate in pass_rates(rows)],
        "summary": summary_to_json(summarize_run(rows)),
        "horizon": asdict(measure_horizon(rows)) if _has_steps(rows) else None,
        "composition": asdict(measure_composition(rows)) if is_composition else None,
    }
