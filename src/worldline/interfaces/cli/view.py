"""`worldline view`: browse runs in a web page on this machine."""

import time
import webbrowser
from pathlib import Path

import click

from worldline.core.errors import InputError
from worldline.evaluation.runs import is_run
from worldline.interfaces.api.run import Run, view_project
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.shared_options import (
    python_option,
    tokenizer_option,
    trust_option,
)


@command(
    examples=(
        "worldline view runs/mine --open",
        "worldline view runs/base runs/tuned",
        "worldline view runs",
        "worldline view s3://bucket/runs",
    )
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN_B] | FOLDER")
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    metavar="N",
    default=0,
    help="Port on 127.0.0.1.  [default: a free one]",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in a browser.")
@trust_option
@tokenizer_option
@python_option
def view(
    runs: tuple[str, ...],
    port: int,
    open_browser: bool,
    trust: Path | None,
    python: str | None,
    tokenizer: str | None,
) -> None:
    """Browse one run, compare two, or list all runs of a folder, in a web page.

    The page of a folder (or of a URL such as s3://bucket/runs) lists its runs with their
    differences to a baseline, the trend over checkpoints, and the operations that got better and
    worse. Each run and each comparison of two runs opens from there.

    Open the printed URL in a browser. It contains a secret; requests without it are refused. Press
    Ctrl-C to stop. With --python, a sample's program is executed again when the sample is opened.
    """
    if len(runs) > 2:
        raise InputError(f"view takes one run or two, not {len(runs)}")
    other = runs[1] if len(runs) == 2 else None
    if other is None and not is_run(runs[0]):
        if trust is not None:
            raise InputError("--trust needs one run, not a folder of runs")
        viewer = view_project(runs[0], port=port, tokenizer=tokenizer, python=python)
    else:
        viewer = Run(runs[0]).view(
            port=port, compare_to=other, tokenizer=tokenizer, python=python, trust=trust
        )
    with viewer:
        try:
            click.echo(f"{viewer.url}\nOpen this in a browser on this machine; Ctrl-C stops it.")
            if open_browser:
                webbrowser.open(viewer.url)
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            click.echo("")
