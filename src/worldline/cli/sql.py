"""`worldline sql RUN... "select …"`: ask stored runs anything."""

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

from worldline.cli.console import make_console
from worldline.runs import COLUMNS, query_runs
from worldline.store import QueryResult

# Characters of a column, its border included, below which nothing can be read in it.
_NARROWEST = 8


def list_columns(ctx: click.Context, _: click.Parameter, is_wanted: bool) -> None:
    """Print what can be asked for, and end."""
    if is_wanted:
        widest = max(len(column.name) for column in COLUMNS)
        click.echo(f"{'run'.ljust(widest)}  text   the run's name")
        for column in COLUMNS:
            click.echo(f"{column.name.ljust(widest)}  {column.kind.ljust(5)}  {column.about}")
        ctx.exit()


@click.command()
@click.argument("words", nargs=-1, metavar="RUN... QUERY")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "jsonl"]),
    default="table",
    show_default=True,
    help="For people, for spreadsheets, or a line of JSON a row.",
)
@click.option(
    "--columns",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=list_columns,
    help="The columns that there are.",
)
def sql(words: tuple[str, ...], form: str) -> None:
    """Answer a QUERY in SQL (DuckDB's) about the samples of one run or several.

    worldline sql runs/a "select verdict, count(*) from samples group by all"

    The view `samples` has one row a sample; --columns lists what is in it.
    """
    if len(words) < 2:
        raise click.UsageError(
            "Give one run or more, and then the query, as in\n"
            '  worldline sql runs/a "select verdict, count(*) from samples group by all"'
        )
    *runs, query = words
    answer = query_runs(runs, query)
    if form == "table":
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
        names = named_apart(answer.columns)
        for row in answer.rows:
            click.echo(json.dumps(dict(zip(names, row, strict=True)), default=str))


def named_apart(columns: Sequence[str]) -> list[str]:
    """The same names, each once: an object of JSON would keep one column of a name.

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
    for place, name in enumerate(answer.columns):
        is_number = all(isinstance(row[place], int | float) for row in answer.rows)
        table.add_column(Text(name), justify="right" if is_number else "left")
    for row in answer.rows:
        table.add_row(*(_cell(value) for value in row))
    return table


def _blocks(answer: QueryResult) -> RenderableType:
    """A row of many columns, one below the other, without those that have no value."""
    blocks: list[RenderableType] = []
    for number, row in enumerate(answer.rows, 1):
        grid = Table.grid(padding=(0, 2, 0, 0))
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
