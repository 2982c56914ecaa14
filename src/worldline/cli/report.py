"""`worldline report RUN`: what a run came to."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from worldline.benchmarks import as_typed
from worldline.cli.console import make_console, progress
from worldline.cli.options import form_option, python_option, tokenizer_option
from worldline.errors import InputError
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
from worldline.recorders import PythonRecorder
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
from worldline.tokens import load_tokenizer
from worldline.trace import printable
from worldline.viewer import built_page, write_report


@click.command()
@click.argument("run")
@click.argument("run_b", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a page to look at instead: one HTML file that needs nothing else.",
)
@form_option
@python_option
@tokenizer_option
def report(
    run: str,
    run_b: str | None,
    output: Path | None,
    form: str,
    python: str | None,
    tokenizer: str | None,
) -> None:
    """Say what a RUN came to: accuracy, outcomes, and how it depends on difficulty.

    With -o FILE.html, as a page: the overview, all samples, and each of them step by step; of two
    runs, also what changed. The programs are executed again.
    """
    if output is not None:
        if form == "json":
            raise InputError("-o writes a page, --format json tells numbers: give one of them")
        runs = [run] if run_b is None else [run, run_b]
        _write_page(runs, output, python, tokenizer)
    elif run_b is not None:
        raise InputError(
            f"two runs make a page: add -o report.html; in the terminal: worldline compare {run} "
            f"{run_b}"
        )
    else:
        print_run(make_console(), run, form)


def _write_page(runs: list[str], output: Path, python: str | None, tokenizer: str | None) -> None:
    built_page()
    total = sum(len(read_judged(run)) for run in runs)
    with PythonRecorder(python=python) as recorder, progress("executing", total) as bar:
        write_report(
            runs,
            output,
            recorder,
            tokenizer=load_tokenizer(tokenizer) if tokenizer else None,
            on_sample=lambda: bar.advance(bar.task_ids[0]),
        )
    size = output.stat().st_size / 1e6
    told = f"{output}: {total:,} samples, {size:.1f} MB; open it in a browser"
    click.echo(printable(told))


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
    console.print(Text(printable(f"next: {next_steps}")), soft_wrap=True)


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
