"""`worldline show RECORDED.jsonl ID`: the real and the imagined execution side by side."""

from pathlib import Path

import click

from worldline.cli.console import make_console
from worldline.cli.options import limit_options, python_option, tokenizer_option
from worldline.errors import InputError
from worldline.predict import read_recorded
from worldline.recorders import PythonRecorder
from worldline.report import side_by_side
from worldline.runs import examine
from worldline.tokens import load_tokenizer
from worldline.trace import Limits


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("id")
@click.option("--before", default=4, show_default=True, help="Steps to show before the divergence.")
@click.option("--after", default=6, show_default=True, help="Steps to show behind it.")
@click.option("--source", "is_source", is_flag=True, help="Show the program, too.")
@python_option
@tokenizer_option
@limit_options
def show(
    file: Path,
    id: str,
    before: int,
    after: int,
    is_source: bool,
    python: str | None,
    tokenizer: str | None,
    **limits: float,
) -> None:
    """Show one recorded prediction beside what really happens, around where they part."""
    predictions = {p.id: p for p in read_recorded(file)}
    if id not in predictions:
        near = [name for name in predictions if id in name] or list(predictions)
        raise InputError(f"no sample {id!r} in {file}; there is {', '.join(near[:8])}")
    counter = load_tokenizer(tokenizer) if tokenizer else None
    with PythonRecorder(python=python) as recorder:
        sample = examine(
            predictions[id],
            recorder,
            limits=Limits(**limits),  # type: ignore[arg-type]
            tokenizer=counter,
        )
    console = make_console()
    if is_source:
        console.print(sample.truth.program.text, markup=False)
    console.print(side_by_side(sample, width=console.width, before=before, after=after))
