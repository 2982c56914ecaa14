"""`worldline sandbox check`: what holds programs on this machine."""

import json
from dataclasses import asdict

import click
from rich.text import Text

from worldline.cli.console import make_console
from worldline.cli.options import python_option
from worldline.recorders import check_holding


@click.group()
def sandbox() -> None:
    """What holds the programs that are run, and whether it does here."""


@sandbox.command()
@python_option
@click.option("--json", "is_json", is_flag=True, help="For machines.")
def check(python: str | None, is_json: bool) -> None:
    """Try every layer of the sandbox on this machine, each with a program that would get out.

    Ends with 1 where something that is needed does not hold.
    """
    found = list(check_holding(python))
    is_whole = all(each.holds for each in found if each.is_needed)
    if is_json:
        click.echo(json.dumps({"holds": is_whole, "layers": [asdict(each) for each in found]}))
        raise click.exceptions.Exit(int(not is_whole))
    console = make_console()
    for each in found:
        mark = ("  yes  ", "green") if each.holds else ("  no   ", "red")
        console.print(Text.assemble(mark, (each.layer, "bold"), f": {each.does}"), soft_wrap=True)
        if not each.holds:
            console.print(Text(f"       {each.why}", "dim"), soft_wrap=True)
    if is_whole:
        console.print(Text("programs are held here: what they cannot do is in docs/sandbox.md"))
    else:
        console.print(
            Text(
                "programs are not run here unless you say that this will do: "
                "worldline --sandbox reduced …"
            ),
            soft_wrap=True,
        )
    raise click.exceptions.Exit(int(not is_whole))
