"""`worldline harvest`: functions of real code, with inputs that run."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from worldline.core.util.processes import usable_cores
from worldline.data.generation import load_decontamination_index
from worldline.data.harvest import (
    DEFAULT_SOURCES,
    INPUT_SOURCES,
    SIMILARITY,
    HarvestLimits,
    harvest_file,
)
from worldline.interfaces.cli.console import resumable
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import ProgressReporter, report_progress
from worldline.interfaces.cli.shared_options import (
    exclude_option,
    format_option,
    quiet_option,
    restart_option,
    workers_option,
)
from worldline.interfaces.report import make_console

_DEFAULTS = HarvestLimits()


@command(
    examples=(
        "worldline harvest src/ -o programs.jsonl",
        "worldline harvest wheels/ -o programs.jsonl --inputs doctest,test,call",
        "worldline harvest venv/lib/python3.12/site-packages -o programs.jsonl",
    )
)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    required=True,
    help="JSON lines file to write; `worldline bench` and `trace` read it.",
)
@click.option(
    "--inputs",
    default=",".join(DEFAULT_SOURCES),
    show_default=True,
    metavar="SOURCES",
    help=f"Sources of inputs, separated by commas: {', '.join(INPUT_SOURCES)}.",
)
@click.option(
    "--max-inputs",
    type=click.IntRange(min=1),
    metavar="N",
    default=_DEFAULTS.max_inputs,
    show_default=True,
    help="Keep at most N inputs of a function; those that reach new branches first.",
)
@click.option(
    "--max-steps",
    type=click.IntRange(min=1),
    metavar="N",
    default=_DEFAULTS.max_steps,
    show_default=True,
    help="Drop inputs with more than N steps.",
)
@click.option(
    "--similarity",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="X",
    default=SIMILARITY,
    show_default=True,
    help="Drop functions whose similarity to an earlier one is at least X (Jaccard similarity of "
    "runs of four tokens); 1 drops only exact duplicates.",
)
@exclude_option
@workers_option
@restart_option
@format_option()
@quiet_option
def harvest(
    paths: tuple[str, ...],
    output: Path,
    inputs: str,
    max_inputs: int,
    max_steps: int,
    similarity: float,
    exclude: tuple[str, ...],
    workers: int | None,
    restart: bool,
    form: str,
) -> None:
    """Harvest functions of real code that can stand alone, with inputs that run.

    PATHS are source trees, wheels, sdists, folders of these, and site-packages folders. If
    interrupted, run the same command again to resume.
    """
    sources = tuple(name.strip() for name in inputs.split(",") if name.strip())
    limits = HarvestLimits(max_steps=max_steps, max_inputs=max_inputs, sources=sources)
    index = load_decontamination_index(exclude)
    for name, reason in index.missing.items():
        click.echo(f"worldline: programs of {name} are not excluded: {reason}", err=True)
    with (
        resumable(restart) as interruption,
        report_progress(output.name, None, state="waiting for the first function") as reporter,
    ):
        interruption.append(f"the functions so far are next to {output}")
        totals = harvest_file(
            output,
            paths,
            index,
            limits=limits,
            similarity=similarity,
            workers=workers or usable_cores(),
            restart=restart,
            on_function=_FunctionCounter(reporter).advance,
        )
    if form == "json":
        click.echo(json.dumps(totals))
    else:
        _print_summary(make_console(), output, totals)


class _FunctionCounter:
    """Counts and reports the functions that were executed."""

    def __init__(self, reporter: ProgressReporter) -> None:
        self._reporter = reporter
        self._began = time.monotonic()
        self.done = self.running = 0

    def advance(self, row: dict[str, Any]) -> None:
        """Count one more function."""
        self.done += 1
        self.running += bool(row["inputs"])
        self._reporter.update(self.done, state=self._state, numbers=self.to_json)

    def _state(self) -> str:
        return f"{self.running:,} with inputs that run"

    def to_json(self) -> dict[str, Any]:
        """Return the progress as JSON data."""
        seconds = round(time.monotonic() - self._began, 1)
        return {"done": self.done, "running": self.running, "seconds": seconds}


def _print_summary(console: Console, output: Path, totals: dict[str, Any]) -> None:
    console.print(
        f"{totals['programs']:,} programs of {totals['running']:,} functions in {output}",
        soft_wrap=True,
    )
    console.print(
        f"{totals['packages']:,} packages · {totals['functions']:,} functions found · "
        f"{totals['executed']:,} distinct and stand-alone · {totals['running']:,} with inputs "
        "that run",
        soft_wrap=True,
    )
    console.print(_source_table(totals))
    console.print(_count_table("functions left out", "reason", totals["functions_left_out"]))
    reasons: Counter[str] = Counter()
    for _, reason, number in totals["inputs_left_out"]:
        reasons[reason] += number
    console.print(_count_table("inputs left out", "reason", dict(reasons.most_common())))
    console.print(_count_table("functions with inputs, by kind", "kind", totals["kinds"]))
    console.print(_count_table("functions with inputs, by licence", "licence", totals["licenses"]))


def _source_table(totals: dict[str, Any]) -> Table:
    """Table of running inputs, functions and branches by source of input."""
    table = Table(title="inputs that run, by source", title_justify="left", box=None)
    for heading in ("source", "inputs", "functions", "branches"):
        table.add_column(heading, justify="left" if heading == "source" else "right")
    for name in INPUT_SOURCES:
        numbers = (totals[key][name] for key in ("running_inputs", "functions_with"))
        branches = _part(totals["branches_reached"][name], totals["branches"])
        table.add_row(name, *(f"{number:,}" for number in numbers), branches)
    every = _part(totals["branches_reached"]["all"], totals["branches"])
    inputs = sum(totals["running_inputs"].values())
    table.add_row("all", f"{inputs:,}", f"{totals['running']:,}", every)
    return table


def _part(number: int, total: int) -> str:
    """1, 4 -> "1 of 4 (25%)" """
    return f"{number:,} of {total:,} ({number / total:.0%})" if total else "0 of 0"


def _count_table(title: str, heading: str, counts: dict[str, int]) -> Table:
    table = Table(title=title, title_justify="left", box=None)
    table.add_column(heading)
    table.add_column("number", justify="right")
    for name, number in counts.items():
        table.add_row(name, f"{number:,}")
    return table
