"""`worldline demo`: diagnose the example predictions of this package."""

import shutil
from pathlib import Path

import click

from worldline.core.errors import InputError
from worldline.interfaces.cli.console import hint
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.shared_options import quiet_option
from worldline.interfaces.demo import PREDICTIONS
from worldline.interfaces.demo.demo_samples import diagnose_demo
from worldline.interfaces.report import (
    make_console,
    print_line,
    sample_lines,
    side_by_side,
    summarize,
    summary_tables,
)


@command(examples=("worldline demo", "worldline demo wrong_string"))
@click.argument("id", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the example predictions to this file, and exit.",
)
@quiet_option
def demo(id: str | None, output: Path | None) -> None:
    """Diagnose the built-in example predictions.

    They are hand-made, for one small program, and cover every outcome. Its trace is stored:
    nothing is executed. With the ID of a prediction, show it next to the actual execution.
    """
    if output is not None:
        try:
            shutil.copyfile(PREDICTIONS, output)
        except OSError as error:
            raise InputError(f"cannot write {output}: {error}") from error
        click.echo(f"wrote {output}; try: worldline diagnose {output}")
        return
    console = make_console()
    samples = list(diagnose_demo())
    chosen = [sample for sample in samples if sample.diagnosis.id == id]
    if id is not None and not chosen:
        names = ", ".join(sample.diagnosis.id for sample in samples)
        raise click.BadParameter(f"no sample {id!r}; available: {names}", param_hint="ID")
    if chosen:
        console.print(side_by_side(chosen[0], width=console.width))
        return
    console.print(samples[0].actual.program.source, markup=False, soft_wrap=True)
    diagnoses = [sample.diagnosis for sample in samples]
    console.print(summary_tables(summarize(diagnoses)))
    for line in sample_lines(diagnoses, width=console.width):
        print_line(console, line)
    hint("\nnext: worldline demo wrong_string (one prediction, step by step)")
