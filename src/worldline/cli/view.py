"""`worldline view RUN…`: look at runs in a browser, served to this machine alone."""

import time
import webbrowser

import click

from worldline.cli.options import python_option, tokenizer_option
from worldline.errors import InputError
from worldline.recorders import PythonRecorder
from worldline.tokens import load_tokenizer
from worldline.viewer import ViewServer


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN_B]")
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    default=0,
    help="Where to listen, on 127.0.0.1.  [default: any that is free]",
)
@click.option("--open", "is_opened", is_flag=True, help="Open it in your browser, too.")
@python_option
@tokenizer_option
def view(
    runs: tuple[str, ...], port: int, is_opened: bool, python: str | None, tokenizer: str | None
) -> None:
    """Look at one run, or at two and what changed, in a browser on this machine.

    Programs are executed again when a sample is opened. Nobody who does not
    know the address gets anything. Ends with Ctrl-C.
    """
    if len(runs) > 2:
        raise InputError(f"one run or two can be looked at; {len(runs)} were named")
    counter = load_tokenizer(tokenizer) if tokenizer else None
    with (
        PythonRecorder(python=python) as recorder,
        ViewServer(runs, recorder, port=port, tokenizer=counter) as server,
    ):
        click.echo(f"{server.url}\nopen this in a browser on this machine; Ctrl-C ends it")
        if is_opened:
            webbrowser.open(server.url)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            click.echo("")
