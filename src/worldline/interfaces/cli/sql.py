"""`worldline sql`: query runs with SQL."""

import csv
import io
import itertools
import json
from collections.abc import Sequence
from typing import Any

import click
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from worldline.core.errors import InputError
from worldline.evaluation.runs import COLUMNS, query_runs
from worldline.evaluation.store import (
    STORE_FILE,
    QueryResult,
    open_location,
    query_trace_stores,
)
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.shared_options import format_option
from worldline.interfaces.report import make_console

# A column with fewer characters, its border included, cannot be read.
_NARROWEST = 8


def list_columns(ctx: click.Context, _: click.Parameter, is_wanted: bool) -> None:
    """Print the columns of a run, and exit."""
    if is_wanted:
        widest = max(len(column.name) for column in COLUMNS)
        click.echo(f"{'run'.ljust(widest)}  text   the run's name")
        for column in COLUMNS:
            click.echo(f"{column.name.ljust(widest)}  {column.type.ljust(5)}  {column.description}")
        ctx.exit()


@command(
    examples=(
        'worldline sql runs/a "select verdict, count(*) from samples group by all"',
        'worldline sql traces "select outcome, count(*) from outcomes group by all"',
    ),
)
@click.argument("words", nargs=-1, metavar="RUN... QUERY")
@format_option("text", "json", "jsonl", "csv")
@click.option(
    "--columns",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=list_columns,
    help="List the columns, and exit.",
)
def sql(words: tuple[str, ...], form: str) -> None:
    """Query runs, or the stores of `worldline trace`, with SQL (DuckDB).

    The view `samples` of runs has one row per sample; --columns lists its columns. Stores have the
    views `outcomes`, with one row per program, and `traces`, with one row per kept trace.
    """
    if len(words) < 2:
        raise click.UsageError(
            "Give one or more runs, then the query, as in\n"
            '  worldline sql runs/a "select verdict, count(*) from samples group by all"'
        )
    *addresses, query = words
    answer = _query(addresses, query)
    if form == "text":
        console = make_console()
        is_wide = len(answer.columns) * _NARROWEST > console.width
        console.print(_blocks(answer) if is_wide else _table(answer))
    elif form == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows(answer.rows)
        click.echo(text.getvalue(), nl=False)
    else:
        names = unique_names(answer.columns)
        rows = [dict(zip(names, row, strict=True)) for row in answer.rows]
        if form == "json":
            click.echo(json.dumps({"columns": names, "rows": rows}, default=str, indent=1))
        for row in rows if form == "jsonl" else ():
            click.echo(json.dumps(row, default=str))


def _query(addresses: Sequence[str], query: str) -> QueryResult:
    """Query runs, or stores of traces."""
    locations = [open_location(address) for address in addresses]
    are_stores = [location.read(STORE_FILE) is not None for location in locations]
    if not any(are_stores):
        return query_runs(addresses, query)
    if not all(are_stores):
        run = addresses[are_stores.index(False)]
        raise InputError(f"{run} is not a store of traces: query runs and stores separately")
    return query_trace_stores(query, locations)


def unique_names(columns: Sequence[str]) -> list[str]:
    """Number columns with the same name: a JSON object can have each name only once.

    "sample", "step", "sample" -> "sample", "step", "sample_2"
    """
    names: list[str] = []
    for column in columns:
        numbered = (f"{column}_{number}" for number in itertools.count(2))
        free = (name for name in numbered if name not in names and name not in columns)
        names.append(next(free) if column in names else column)
    return names


def _table(answer: QueryResult) -> Table:
    table = Table()
    for index, name in enumerate(answer.columns):
        is_number = all(isinstance(row[index], int | float) for row in answer.rows)
        # A number is never cut.
        table.add_column(
            Text(name),
            justify="right" if is_number else "left",
            no_wrap=is_number,
            overflow="fold",
        )
    for row in answer.rows:
        table.add_row(*(_cell(value) for value in row))
    return table


def _blocks(answer: QueryResult) -> RenderableType:
    """Rows with many columns: one column per line, without those that are empty."""
    blocks: list[RenderableType] = []
    for number, row in enumerate(answer.rows, 1):
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in zip(answer.columns, row, strict=True):
            if value is not None:
                grid.add_row(Text(name, "bold"), _cell(value))
        blocks += [Text(f"row {number} of {len(answer.rows)}", "bright_black"), grid]
    return Group(*blocks)


def _cell(value: Any) -> Text:
    if value is None:
        return Text("–", "bright_black")
    is_float = isinstance(value, float)
    return Text(f"{value:,.4f}".rstrip("0").rstrip(".") if is_float else str(value))
