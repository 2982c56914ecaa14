"""`worldline explain`: the misconception that reproduces a wrong prediction."""

import json

import click
from rich.text import Text

from worldline.analysis.explanations import MAX_CHANGES, explanation_to_json
from worldline.core.trace import Limits
from worldline.interfaces.api.diagnosing import diagnose_sample
from worldline.interfaces.api.explaining import explain as explain_divergence
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.shared_options import format_option, limit_options, python_option
from worldline.interfaces.report import explanation_lines, make_console


@command(
    examples=(
        "worldline explain predictions.jsonl sample_557",
        "worldline explain runs/mine sample_557 --all",
    )
)
@click.argument("file")
@click.argument("id")
@click.option(
    "--all", "is_all", is_flag=True, help="List all changes that yield the predicted step."
)
@click.option(
    "--max-changes",
    type=click.IntRange(min=1),
    metavar="N",
    default=MAX_CHANGES,
    show_default=True,
    help="Maximum number of changes to try.",
)
@format_option()
@python_option
@limit_options
def explain(
    file: str,
    id: str,
    is_all: bool,
    max_changes: int,
    form: str,
    python: str | None,
    limits: Limits,
) -> None:
    """Explain a wrong prediction by a misconception that reproduces it.

    FILE is a file of recorded predictions or a run. ID is the name of one of its samples. A
    misconception is a wrong belief about one operation, such as `.partition` for `.rpartition`. For
    each misconception in the catalogue, the program is executed with that operation changed. The
    changes that yield the predicted step are reported. No model is asked.
    """
    sample = diagnose_sample(file, id, limits=limits, python=python)
    search = explain_divergence(sample, max_changes=max_changes, python=python)
    if form == "json":
        cause = sample.diagnosis.cause
        row = {
            "id": sample.prediction.id,
            "outcome": sample.diagnosis.facts.outcome,
            "cause": cause.name if cause else None,
            **explanation_to_json(search),
        }
        click.echo(json.dumps(row, indent=1))
        return
    console = make_console()
    for line in explanation_lines(sample, search, is_all=is_all, width=console.width):
        console.print(Text(line), soft_wrap=True)
