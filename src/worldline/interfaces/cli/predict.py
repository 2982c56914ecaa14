"""`worldline predict`: ask a model to predict executions."""

from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import click

from worldline.core.language import language_of_file
from worldline.core.trace import Limits
from worldline.evaluation.benchmarks import BENCHMARKS
from worldline.interfaces.api.costing import estimate_cost
from worldline.interfaces.api.predicting import predict_into_file, refuse_same_file
from worldline.interfaces.api.sources import load_questions
from worldline.interfaces.cli.console import hint, resumable, resume_hint
from worldline.interfaces.cli.cost_options import (
    CostOptions,
    codec_line,
    cost_options,
    print_estimate,
)
from worldline.interfaces.cli.engine_options import ModelAccess, prediction_options
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.shared_options import (
    benchmark_options,
    first_option,
    limit_options,
    open_source,
    python_option,
    quiet_option,
    restart_option,
)
from worldline.models.engines import Usage
from worldline.models.prediction import Finish, Mode, Prediction, PredictionSettings


@command(
    examples=(
        "worldline predict cruxeval --engine http://127.0.0.1:8000/v1 --first 20",
        "worldline predict best.py --call 'best([3, 1])' --engine URL",
    )
)
@click.argument("programs")
@click.option("--call", metavar="CALL", help="The call to predict, if PROGRAMS is a .py file.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    default=Path("predictions.jsonl"),
    show_default=True,
    help="Append predictions to this file.",
)
@restart_option
@first_option
@benchmark_options
@quiet_option
@prediction_options
@cost_options
@python_option
@limit_options
def predict(
    programs: str,
    call: str | None,
    output: Path,
    restart: bool,
    first: int | None,
    options: dict[str, str],
    data: str | None,
    access: ModelAccess,
    settings: PredictionSettings,
    repeats: int,
    costs: CostOptions,
    python: str | None,
    limits: Limits,
) -> None:
    """Ask a model to predict executions.

    PROGRAMS is a benchmark (`worldline bench --list`; a file of the same name takes precedence), a
    JSON lines file with id, code and call, a .py file (with --call), or - for JSON lines on
    standard input.
    `worldline diagnose` reads the predictions.

    If interrupted, run the same command again to resume.
    """
    refuse_same_file(Path(programs), output)
    questions = load_questions(open_source(programs), call=call, data=data, options=options)
    if programs in BENCHMARKS:
        is_file = Path(programs).is_file()
        kind = "file" if is_file else "benchmark"
        hint(f"asking about the {kind} {programs}" + is_file * ", not the benchmark of that name")
    if costs.is_dry_run:
        estimate = estimate_cost(
            questions[:first],
            access.engine,
            output=output,
            repeats=repeats,
            settings=settings,
            tokenizer=access.tokenizer,
            restart=restart,
        )
        print_estimate(estimate, costs.prices)
        return
    folder = Path(programs).resolve().parent
    with resumable(restart) as interruption, ExitStack() as stack:
        reporter = stack.enter_context(report_progress("predicting", None))
        done = Counter[str]()

        def start(pending: int, total: int) -> None:
            done["all"], done["new"] = total, total - pending
            if pending < total:
                hint(f"{total - pending:,} of {total:,} predictions are already in {output}")
            reporter.update(0, total=pending)

        def add(prediction: Prediction) -> None:
            done["new"] += prediction.error is None
            text = f"{done['new']:,} of {done['all']:,} predictions are in {output}"
            interruption[:] = [text]
            reporter.advance()

        totals = predict_into_file(
            questions[:first],
            access.engine,
            output,
            settings=settings,
            repeats=repeats,
            tokenizer=access.tokenizer,
            concurrency=access.concurrency,
            limits=limits,
            python=python,
            # A program may import modules next to it.
            import_from=[folder] if language_of_file(programs) is not None else [],
            restart=restart,
            max_malformed=costs.max_malformed,
            cost_limit=costs.limit,
            on_start=start,
            on_codec=lambda choice: hint(codec_line(choice)),
            on_prediction=add,
        )
    click.echo(summary(settings.mode, totals.finishes, totals.usage))
    if totals.first_error is not None:
        click.echo(
            f"the first infrastructure error: {totals.first_error}\n{resume_hint(restart)} "
            "Predictions with an infrastructure error are asked for again.",
            err=True,
        )
    hint(f"next: worldline diagnose {output}")


def summary(mode: Mode, finishes: Counter[Finish], usage: Usage) -> str:
    """How the predictions ended, and how many tokens they took."""
    parts = [f"{finishes['stop']:,} complete", f"{finishes['truncated']:,} truncated"]
    if mode == "score":
        # Nothing is generated, so nothing is truncated.
        parts = [f"{finishes['stop'] + finishes['truncated']:,} scored"]
    parts.append(f"{finishes['infra_error']:,} infrastructure errors")
    tokens = f"{usage.completion:,} completion tokens in {usage.requests:,} requests"
    if usage.retries:
        tokens += f", {usage.retries:,} of them retries"
    if usage.cached:
        tokens += f"; {usage.cached / usage.prompt:.0%} of {usage.prompt:,} prompt tokens cached"
    return f"{finishes.total():,} predictions: {', '.join(parts)}\n{tokens}"
