"""`worldline sandbox check`: inspect the sandbox on this machine."""

import json
from dataclasses import asdict

import click
from rich.text import Text

from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.shared_options import format_option, python_option
from worldline.interfaces.report import make_console
from worldline.languages.python.recorder import check_sandbox
from worldline.languages.sandbox import CONTAINER_LAYERS, LayerStatus, default_sandbox


@click.group()
def sandbox() -> None:
    """Inspect the sandbox on this machine."""


@command()
@format_option()
@python_option
def check(python: str | None, form: str) -> None:
    """Test every layer of the sandbox on this machine.

    Each layer is tested with a program that tries to escape. The exit code is 1 if a layer that
    the level needs (--sandbox) is not effective.
    """
    layers = list(check_sandbox(python))
    is_complete = all(each.holds for each in layers if each.is_needed)
    if form == "json":
        click.echo(json.dumps({"holds": is_complete, "layers": [asdict(each) for each in layers]}))
        raise click.exceptions.Exit(int(not is_complete))
    console = make_console()
    for each in layers:
        mark = ("  yes  ", "green") if each.holds else ("  no   ", "red")
        console.print(Text.assemble(mark, (each.layer, "bold"), f": {each.does}"), soft_wrap=True)
        if not each.holds:
            console.print(Text(f"       {each.why}", "dim"), soft_wrap=True)
    for line in _advice(layers):
        console.print(Text(line), soft_wrap=True)
    raise click.exceptions.Exit(int(not is_complete))


def _advice(layers: list[LayerStatus]) -> list[str]:
    """What to do about layers that are missing."""
    missing = {each.layer for each in layers if each.is_needed and not each.holds}
    if not missing:
        level = default_sandbox().level
        name = "the sandbox" if level == "full" else f"the sandbox of the level {level}"
        return [f"{name} is complete; docs/explanation/sandbox.md says what it prevents"]
    lines = ["a required layer is missing: programs are not executed"]
    remedies = [remedy for each in layers for remedy in each.remedies]
    if remedies:
        lines += ["one of these allows the full sandbox:", *(f"  {each}" for each in remedies)]
    if missing & CONTAINER_LAYERS:
        return [*lines, "with the layers that are available: worldline --sandbox reduced …"]
    return [
        *lines,
        "without namespaces: worldline --sandbox container …; docs/explanation/sandbox.md says "
        "which attacks then succeed",
    ]


sandbox.add_command(check)
