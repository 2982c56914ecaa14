"""`worldline distribution`: all results of a program with chance, and their probabilities."""

import json
from pathlib import Path

import click

from worldline.analysis.choices import Distribution, DistributionScore, score_predictions
from worldline.analysis.choices import score_to_json as choice_score_to_json
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.interfaces.api.result_distribution import distribution as find_distribution
from worldline.interfaces.api.sources import load_predictions
from worldline.interfaces.cli.console import output_console, write_result
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.program_options import (
    output_option,
    program_options,
    read_program,
)
from worldline.interfaces.cli.shared_options import format_option, python_option, quiet_option
from worldline.interfaces.report import distribution_lines, score_lines


@command(
    examples=(
        "worldline distribution dice.py --call 'roll(2)'",
        "worldline distribution walk.py --call 'walk(100)' --draws 100000",
        "worldline distribution dice.py --call 'roll(2)' --predictions rolls.jsonl",
    )
)
@program_options
@click.option(
    "--step",
    type=click.IntRange(min=0),
    metavar="N",
    help="List the states at this step instead of the results.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    metavar="N",
    help="Sample N executions instead of executing all.",
)
@click.option(
    "--seed", type=int, metavar="N", default=0, show_default=True, help="Seed of the samples."
)
@click.option(
    "--predictions",
    type=click.Path(path_type=Path, exists=True),
    metavar="FILE",
    help="Compare the distribution with a model's repeated predictions of the same program.",
)
@format_option("text", "json")
@output_option
@click.option("--all", "is_all", is_flag=True, help="List all outcomes.")
@quiet_option
@python_option
def distribution(
    file: Path,
    call: str | None,
    stdin: Path | None,
    step: int | None,
    draws: int | None,
    seed: int,
    predictions: Path | None,
    form: str,
    output: Path | None,
    is_all: bool,
    python: str | None,
) -> None:
    """List all results of a program with chance, and their probabilities.

    Executes the program in the sandbox with all values of its random numbers. The result of a
    script is what it prints.
    """
    if step is not None and predictions is not None:
        raise InputError("--predictions are compared with results; omit --step")
    program = read_program(file, call, stdin)
    listed = find_distribution(
        program,
        step=step,
        draws=draws,
        seed=seed,
        python=python,
        import_from=[] if str(file) == "-" else [file.resolve().parent],
    )
    score = None if predictions is None else _score(listed, program, predictions)
    if form == "json":
        write_result(json.dumps(_to_json(listed, score)) + "\n", output)
        return
    with output_console(output) as console:
        lines = [*distribution_lines(listed, width=console.width, limit=None if is_all else 50)]
        lines += [] if score is None else score_lines(score)
        for line in lines:
            console.print(line, soft_wrap=True, markup=False, highlight=False)


def _score(listed: Distribution, program: Program, path: Path) -> DistributionScore:
    """The score of the predictions of this program."""
    chosen = [each for each in load_predictions(path) if each.program.hash == program.hash]
    results = [each.answer for each in chosen if each.answer is not None]
    if not results:
        raise InputError(
            f"{path} has no predicted result of this program; its lines must have the same code "
            "and call"
        )
    known = list(listed.probabilities)
    values = program.values
    return score_predictions(
        listed,
        [next((text for text in known if values.results_equal(text, r)), r) for r in results],
    )


def _to_json(listed: Distribution, score: DistributionScore | None) -> dict[str, object]:
    return {
        "is_exact": listed.is_exact,
        "executions": listed.executions,
        "probabilities": {
            text: [probability.numerator, probability.denominator]
            for text, probability in listed.probabilities.items()
        },
        **({} if score is None else {"score": choice_score_to_json(score)}),
    }
