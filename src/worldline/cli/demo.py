"""`worldline demo`: see it work on predictions that come with the package."""

import shutil
from pathlib import Path

import click

from worldline.cli.console import make_console, print_line
from worldline.cli.diagnose import examine_files
from worldline.demo import PREDICTIONS
from worldline.errors import InputError
from worldline.report import sample_lines, side_by_side, summarize, summary_tables
from worldline.trace import Limits


@click.command()
@click.argument("id", required=False)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Only write the predictions to a file."
)
def demo(id: str | None, output: Path | None) -> None:
    """Diagnose a small program's predictions, made by hand: one for each kind of outcome.

    With the ID of one of them, show it beside what really happens.
    """
    if output is not None:
        try:
            shutil.copyfile(PREDICTIONS, output)
        except OSError as error:
            raise InputError(f"cannot write {output}: {error}") from error
        click.echo(f"wrote {output}; try: worldline diagnose {output}")
        return
    console = make_console()
    samples = examine_files((str(PREDICTIONS),), None, None, Limits())
    chosen = [sample for sample in samples if sample.diagnosis.id == id]
    if id is not None and not chosen:
        names = ", ".join(sample.diagnosis.id for sample in samples)
        raise click.BadParameter(f"no sample {id!r}; there is {names}", param_hint="ID")
    if chosen:
        console.print(side_by_side(chosen[0], width=console.width))
        return
    console.print(samples[0].truth.program.source, markup=False)
    diagnoses = [sample.diagnosis for sample in samples]
    console.print(summary_tables(summarize(diagnoses)))
    for line in sample_lines(diagnoses, width=console.width):
        print_line(console, line)
    console.print("\nOne of them beside what really happens: worldline demo wrong_string")
