"""`worldline generate -o FILE`: make programs to train and to test with."""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress as Bar
from rich.table import Table

from worldline.benchmarks import BENCHMARKS
from worldline.cli.console import make_console
from worldline.cli.options import workers_option
from worldline.cli.progress import INTERRUPTED, Teller, go_on, make_bar
from worldline.errors import InputError
from worldline.generate import (
    FACETS,
    USUAL,
    Decision,
    Order,
    Progress,
    bin_of,
    generate_file,
    load_excluded,
)
from worldline.runs import usable_cores


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The file to make: JSON lines that `worldline bench` reads.",
)
@click.option("--count", type=click.IntRange(min=1), default=2000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--levels",
    default=",".join(USUAL),
    show_default=True,
    metavar="NAMES",
    help="What to make programs of.",
)
@click.option(
    "--balance",
    default="level",
    show_default=True,
    metavar="FACETS",
    help=f"As many programs of each: {', '.join(FACETS)}; several make combinations.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="NAME",
    help="Make no program that is in this file, either; may be repeated. The benchmarks are "
    "always left out; one that is named must be there.",
)
@workers_option
@click.option(
    "--most-steps",
    type=click.IntRange(min=1),
    default=300,
    show_default=True,
    help="Limit: steps of a program.",
)
@click.option(
    "--longest-value",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Limit: characters of one value.",
)
@click.option("--restart", "is_restarted", is_flag=True, help="Begin the file anew.")
def generate(
    output: Path,
    count: int,
    seed: int,
    levels: str,
    balance: str,
    without: tuple[str, ...],
    workers: int | None,
    most_steps: int,
    longest_value: int,
    is_restarted: bool,
) -> None:
    """Make random Python programs with calls; execute each, and keep what it returns.

    The same options make the same file, whatever the Python and the number of workers. Stopped or
    killed, it goes on where it was when the same command is given again.
    """
    order = Order(count, seed, _names(levels), _names(balance), most_steps, longest_value)
    _refuse_read(output, without)
    excluded = load_excluded(without)
    for name, why in excluded.missing.items():
        click.echo(f"programs of {name} are not left out: {why}", err=True)
    try:
        with _progress(output.name, count) as shown:
            made = generate_file(
                output,
                order,
                excluded,
                workers=workers or usable_cores(),
                is_restarted=is_restarted,
                begun=shown.begin,
                decided=shown.advance,
            )
    except KeyboardInterrupt:
        click.echo(f"\nstopped; {go_on(is_restarted)} with {output}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    _print_summary(make_console(), output, order, made)


def _refuse_read(output: Path, without: tuple[str, ...]) -> None:
    """Refuse to write what is read, or what would be when the same command is given again."""
    target = output.resolve()
    for name in without:
        if Path(name).resolve() == target:
            raise InputError(f"{output} is read and cannot be written; name another file with -o")
        if name not in BENCHMARKS and Path(name).resolve() == target.parent:
            raise InputError(
                f"{output} would be one of the files in {name}, which are read; name a file in "
                "another folder with -o"
            )


def _names(text: str) -> tuple[str, ...]:
    """ "loops, strings" -> ("loops", "strings")"""
    return tuple(name.strip() for name in text.split(",") if name.strip())


class _Shown:
    """Counts what is kept and left out, on a bar or as a line of JSON now and then."""

    def __init__(self, total: int, bar: Bar | None) -> None:
        self.total = total
        self.kept = self.left_out = self._before = 0
        self._bar = bar
        self._teller = Teller()
        self._began = time.monotonic()

    def begin(self, progress: Progress) -> None:
        """What is there already."""
        self.kept = self._before = len(progress.questions)
        self.left_out = progress.left_out.total()
        self._began = time.monotonic()
        if self.kept:
            click.echo(f"{self.kept:,} of {self.total:,} are there already", err=True)
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self.kept)

    def advance(self, decision: Decision) -> None:
        """One more candidate has been judged."""
        self.kept += decision.question is not None
        self.left_out += decision.question is None
        if self._bar is not None:
            state = f"{self.left_out:,} left out · {self.to_json()['per_second']:.0f}/s"
            self._bar.update(self._bar.task_ids[0], completed=self.kept, state=state)
        else:
            self._teller.tell(self.to_json, is_last=self.kept == self.total)

    def to_json(self) -> dict[str, Any]:
        """The same in numbers."""
        passed = max(time.monotonic() - self._began, 1e-9)
        return {
            "done": self.kept,
            "total": self.total,
            "left_out": self.left_out,
            "seconds": round(passed, 1),
            "per_second": round((self.kept - self._before) / passed, 1),
        }


@contextmanager
def _progress(label: str, total: int) -> Iterator[_Shown]:
    if not sys.stderr.isatty():
        yield _Shown(total, None)
        return
    with make_bar(Console(stderr=True)) as bar:
        bar.add_task(label, total=total, state="waiting for the first program")
        yield _Shown(total, bar)


def _print_summary(console: Console, output: Path, order: Order, made: Progress) -> None:
    console.print(f"{len(made.questions):,} of {order.count:,} programs in {output}")
    for facet in ("kind", "steps"):
        console.print(_kept_table(facet, order, made))
    if made.left_out:
        console.print(_left_out_table(order, made))
    for short in made.shortages:
        console.print(
            f"too few of {' '.join(short.cell)}: {short.found:,} of {short.wanted:,} found in "
            f"{short.tries:,} candidates of a level"
        )


def _kept_table(facet: str, order: Order, made: Progress) -> Table:
    """How many are kept of each level, by a facet."""
    cells = Counter(
        (str(each.facets["level"]), bin_of(facet, each.facets[facet])) for each in made.questions
    )
    totals = Counter({name: 0 for _, name in cells})
    for (_, name), number in cells.items():
        totals[name] += number
    names = sorted(totals, key=lambda name: (_first_number(name), -totals[name], name))
    table = Table(title=f"kept, by level and {facet}", title_justify="left")
    table.add_column("level")
    for name in [*names, "all"]:
        table.add_column(name, justify="right")
    for level in order.levels:
        row = [cells[level, name] for name in names]
        table.add_row(level, *(f"{n:,}" if n else "·" for n in row), f"{sum(row):,}")
    table.add_section()
    table.add_row("all", *(f"{totals[name]:,}" for name in names), f"{totals.total():,}")
    return table


def _first_number(name: str) -> int:
    """ "17-32" -> 17; "int" -> 0"""
    digits = name.split("-")[0]
    return int(digits) if digits.isdigit() else 0


def _left_out_table(order: Order, made: Progress) -> Table:
    """Why candidates are left out, by level."""
    table = Table(title="left out, by reason", title_justify="left")
    table.add_column("reason")
    for name in [*order.levels, "all"]:
        table.add_column(name, justify="right")
    for reason in sorted({reason for reason, _ in made.left_out}):
        row = [made.left_out[reason, level] for level in order.levels]
        table.add_row(reason, *(f"{n:,}" if n else "·" for n in row), f"{sum(row):,}")
    return table
