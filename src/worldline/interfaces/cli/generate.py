"""`worldline generate`: generate programs from a seed."""

import time
from collections import Counter
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from worldline.core.errors import InputError
from worldline.core.util.processes import usable_cores
from worldline.data.generation import (
    DEFAULT_LEVELS,
    FACETS,
    GENERATED_LANGUAGES,
    Decision,
    GenerationRequest,
    Progress,
    facet_bin,
    generate_file,
    load_decontamination_index,
)
from worldline.evaluation.benchmarks import BENCHMARKS
from worldline.interfaces.cli.console import hint, resumable
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import ProgressReporter, report_progress
from worldline.interfaces.cli.shared_options import (
    exclude_option,
    quiet_option,
    restart_option,
    seed_option,
    workers_option,
)
from worldline.interfaces.report import make_console


@command(
    examples=(
        "worldline generate -o train.jsonl --count 2000",
        "worldline generate -o test.jsonl --seed 1 --exclude train.jsonl",
        "worldline generate -o train-js.jsonl --language javascript",
    )
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    required=True,
    help="JSON lines file to write; `worldline bench` reads it.",
)
@click.option(
    "--count",
    type=click.IntRange(min=1),
    metavar="N",
    default=2000,
    show_default=True,
    help="Number of programs to generate.",
)
@seed_option
@click.option(
    "--levels",
    default=",".join(DEFAULT_LEVELS),
    show_default=True,
    metavar="NAMES",
    help="Levels (kinds of programs), separated by commas.",
)
@click.option(
    "--balance",
    default="level",
    show_default=True,
    metavar="FACETS",
    help=f"Facets, separated by commas: {', '.join(FACETS)}. Equally many programs are generated "
    "for each combination of their values.",
)
@click.option(
    "--language",
    type=click.Choice(GENERATED_LANGUAGES),
    default="python",
    show_default=True,
    help="Language of the programs. The same seed gives the same programs in both.",
)
@exclude_option
@click.option(
    "--max-steps",
    type=click.IntRange(min=1),
    metavar="N",
    default=300,
    show_default=True,
    help="Drop programs with more than N steps.",
)
@click.option(
    "--max-value-chars",
    type=click.IntRange(min=1),
    metavar="N",
    default=200,
    show_default=True,
    help="Drop programs with a value of more than N characters.",
)
@workers_option
@restart_option
@quiet_option
def generate(
    output: Path,
    count: int,
    seed: int,
    levels: str,
    balance: str,
    language: str,
    exclude: tuple[str, ...],
    max_steps: int,
    max_value_chars: int,
    workers: int | None,
    restart: bool,
) -> None:
    """Generate random Python or JavaScript programs with calls and their results.

    The same options give the same file, on every Python version and with any number of workers.
    If interrupted, run the same command again to resume.
    """
    request = GenerationRequest(
        count, seed, _names(levels), _names(balance), max_steps, max_value_chars, language
    )
    _refuse_input(output, exclude)
    index = load_decontamination_index(exclude)
    for name, reason in index.missing.items():
        click.echo(f"worldline: programs of {name} are not excluded: {reason}", err=True)
    with resumable(restart) as interruption:
        state = "waiting for the first program"
        with report_progress(output.name, count, state=state) as reporter:
            counter = _ProgramCounter(count, reporter)
            interruption.append(f"the programs so far are in {output}")
            progress = generate_file(
                output,
                request,
                index,
                workers=workers or usable_cores(),
                restart=restart,
                on_start=counter.begin,
                on_decision=counter.advance,
            )
    _print_summary(make_console(), output, request, progress)


def _refuse_input(output: Path, exclude: tuple[str, ...]) -> None:
    """Refuse to write a file that is read, now or when the command is resumed."""
    target = output.resolve()
    for name in exclude:
        if Path(name).resolve() == target:
            raise InputError(f"{output} is read by --exclude; name another file with -o")
        if name not in BENCHMARKS and Path(name).resolve() == target.parent:
            raise InputError(
                f"{output} would be one of the files in {name}, which --exclude reads; name a file "
                "in another folder with -o"
            )


def _names(text: str) -> tuple[str, ...]:
    """ "loops, strings" -> ("loops", "strings")"""
    return tuple(name.strip() for name in text.split(",") if name.strip())


class _ProgramCounter:
    """Counts and reports the programs that are kept and dropped."""

    def __init__(self, total: int, reporter: ProgressReporter) -> None:
        self.total = total
        self.kept = self.left_out = self._before = 0
        self._reporter = reporter
        self._began = time.monotonic()

    def begin(self, progress: Progress) -> None:
        """Report the programs that are in the file already."""
        self.kept = self._before = len(progress.questions)
        self.left_out = progress.left_out.total()
        self._began = time.monotonic()
        if self.kept:
            hint(f"{self.kept:,} of {self.total:,} programs are already in the file")
        self._reporter.update(self.kept)

    def advance(self, decision: Decision) -> None:
        """Count one more candidate."""
        self.kept += decision.question is not None
        self.left_out += decision.question is None
        self._reporter.update(
            self.kept,
            state=self._state,
            numbers=self.to_json,
            is_last=self.kept == self.total,
        )

    def _state(self) -> str:
        return f"{self.left_out:,} dropped · {self.to_json()['per_second']:.0f}/s"

    def to_json(self) -> dict[str, Any]:
        """Return the progress as JSON data."""
        seconds = max(time.monotonic() - self._began, 1e-9)
        return {
            "done": self.kept,
            "total": self.total,
            "left_out": self.left_out,
            "seconds": round(seconds, 1),
            "per_second": round((self.kept - self._before) / seconds, 1),
        }


def _print_summary(
    console: Console, output: Path, request: GenerationRequest, progress: Progress
) -> None:
    console.print(
        f"{len(progress.questions):,} of {request.count:,} programs in {output}", soft_wrap=True
    )
    for facet in ("kind", "steps"):
        console.print(_kept_table(facet, request, progress))
    if progress.left_out:
        console.print(_dropped_table(request, progress))
    for short in progress.shortages:
        console.print(
            f"too few programs of {' '.join(short.cell)}: {short.filled:,} of {short.wanted:,} in "
            f"{short.tries:,} candidates of a level"
        )


def _kept_table(facet: str, request: GenerationRequest, progress: Progress) -> Table:
    """Table of kept programs by level and a facet."""
    cells = Counter(
        (str(each.facets["level"]), facet_bin(facet, each.facets[facet]))
        for each in progress.questions
    )
    totals = Counter({name: 0 for _, name in cells})
    for (_, name), number in cells.items():
        totals[name] += number
    names = sorted(totals, key=lambda name: (_first_number(name), -totals[name], name))
    table = _count_table(f"kept, by level and {facet}")
    table.add_column("level")
    for name in [*names, "all"]:
        table.add_column(name, justify="right")
    for level in request.levels:
        row = [cells[level, name] for name in names]
        table.add_row(level, *(f"{n:,}" if n else "·" for n in row), f"{sum(row):,}")
    table.add_section()
    table.add_row("all", *(f"{totals[name]:,}" for name in names), f"{totals.total():,}")
    return table


def _count_table(title: str) -> Table:
    """A table of counts, without lines between columns so that it fits 80 columns."""
    box = SIMPLE_HEAD
    return Table(title=title, title_justify="left", box=box, padding=(0, 1, 0, 0), pad_edge=False)


def _first_number(name: str) -> int:
    """ "17-32" -> 17; "int" -> 0"""
    digits = name.split("-")[0]
    return int(digits) if digits.isdigit() else 0


def _dropped_table(request: GenerationRequest, progress: Progress) -> Table:
    """Table of dropped candidates by reason and level."""
    table = _count_table("dropped, by reason")
    table.add_column("reason")
    for name in [*request.levels, "all"]:
        table.add_column(name, justify="right")
    for reason in sorted({reason for reason, _ in progress.left_out}):
        row = [progress.left_out[reason, level] for level in request.levels]
        table.add_row(reason, *(f"{n:,}" if n else "·" for n in row), f"{sum(row):,}")
    return table
