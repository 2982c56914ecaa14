"""`worldline trust`: the probability that predicted results are correct."""

import json
from pathlib import Path
from typing import get_args

import click

from worldline.analysis.trust import GROUPS, Calibration, SignalGroup
from worldline.evaluation.runs import (
    load_trust_model,
    read_trust_cases,
    save_trust_model,
    trust_model_to_json,
)
from worldline.interfaces.api.trusting import fit_trust, measure_trust
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.shared_options import format_option
from worldline.interfaces.report import (
    make_console,
    trust_model_lines,
    trust_report,
    trust_results_to_json,
    trust_table,
    trust_to_json,
)

_signals_option = click.option(
    "--signals",
    type=click.Choice(GROUPS),
    multiple=True,
    help="Use only signals of this group (repeatable).  [default: all that the run has]",
)
_model_file = click.Path(path_type=Path, dir_okay=False)


@click.group()
def trust() -> None:
    """Estimate the probability that predicted results are correct.

    A trust model uses signals that are known without executing the program: its source, the answer,
    the agreement of repeats, and contradictions within the predicted steps. First fit a trust model
    on a run with verdicts (`fit`). Then test it on other programs (`test`), or apply it (`list`).
    """


@command(examples=("worldline trust fit runs/mine -o trust.json",))
@click.argument("run")
@click.option(
    "-o",
    "--output",
    type=_model_file,
    metavar="FILE.json",
    required=True,
    help="File for the model.",
)
@_signals_option
@click.option(
    "--calibration",
    type=click.Choice(get_args(Calibration)),
    default="logistic",
    show_default=True,
    help="`logistic`: the probabilities of the regression. `isotonic`: an isotonic regression of "
    "them; needs several hundred programs.",
)
@click.option(
    "--max-wrong",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    default=0.1,
    show_default=True,
    help="Largest accepted share of wrong results among the trusted ones.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    default=0.9,
    show_default=True,
    help="Confidence that the share of wrong results is at most --max-wrong.",
)
@format_option()
def fit(
    run: str,
    output: Path,
    signals: tuple[SignalGroup, ...],
    calibration: Calibration,
    max_wrong: float,
    confidence: float,
    form: str,
) -> None:
    """Fit a trust model on a run.

    Fits the model on one half of the programs. On the other half, calibrates the threshold: results
    with at least this probability are trusted.
    """
    model = fit_trust(
        run,
        signals=signals or GROUPS,
        calibration=calibration,
        max_wrong=max_wrong,
        confidence=confidence,
    )
    save_trust_model(model, output)
    if form == "json":
        click.echo(json.dumps(trust_model_to_json(model), indent=1))
        return
    console = make_console()
    for part in trust_model_lines(model):
        console.print(part)


@command(
    name="test",
    examples=(
        "worldline trust test runs/other --model trust.json",
        "worldline trust test runs/mine",
    ),
)
@click.argument("run")
@click.option(
    "--model",
    type=_model_file,
    metavar="FILE.json",
    help="Test this model on the programs that it was not fitted on.  [default: cross-validate]",
)
@_signals_option
@format_option()
def measure(run: str, model: Path | None, signals: tuple[SignalGroup, ...], form: str) -> None:
    """Measure the quality of a trust model on a run.

    Reports how well the probabilities separate correct results from wrong ones. Without --model,
    the run is cross-validated by program.
    """
    results = measure_trust(run, model, signals=signals or GROUPS)
    if form == "json":
        click.echo(json.dumps(trust_results_to_json(results), indent=1))
        return
    console = make_console()
    for part in trust_report(results):
        console.print(part)


@command(name="list", examples=("worldline trust list runs/new --model trust.json",))
@click.argument("run")
@click.option(
    "--model",
    type=_model_file,
    metavar="FILE.json",
    required=True,
    help="File of the trust model, from `trust fit`.",
)
@format_option("text", "jsonl")
def list_results(run: str, model: Path, form: str) -> None:
    """List the probability of each result of a run.

    The reasons are the signals that lower the probability most.
    """
    fitted = load_trust_model(model)
    pairs = [(case, fitted.assess(case.signals)) for case in read_trust_cases(run).cases]
    if form == "jsonl":
        for case, each in pairs:
            click.echo(json.dumps(trust_to_json(case, each)))
        return
    make_console().print(trust_table(pairs))


for each in (fit, measure, list_results):
    trust.add_command(each)
