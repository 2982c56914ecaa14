"""`worldline dap`: Debug Adapter Protocol server for editors."""

from functools import partial

import click

from worldline.interfaces.cli.engine_options import ModelAccess, access_options
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.dap import serve_debug_adapter


@command(
    examples=(
        "worldline dap",
        "worldline dap --port 4711",
        "worldline dap --engine http://127.0.0.1:8000/v1",
    )
)
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    metavar="N",
    help="Listen on this port of 127.0.0.1 instead of using standard input and output; 0 for a "
    "free one.",
)
@partial(access_options, is_required=False)
def dap(port: int | None, access: ModelAccess | None) -> None:
    """Start a debugger for editors that replays executions (DAP).

    DAP is the Debug Adapter Protocol. An editor such as VS Code, Neovim, Zed or Emacs starts this
    command itself; see the guide "Debug in an editor". It steps through the actual execution of a
    program and a predicted one, forwards and backwards. With --engine, the model predicts while
    you step.
    """

    def report(host: str, number: int) -> None:
        click.echo(f"{host}:{number}", err=True)
        click.echo("Ctrl-C stops it.", err=True)

    engine = None if access is None else access.engine
    serve_debug_adapter(port=port, engine=engine, on_listen=report)
