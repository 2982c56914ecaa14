"""`worldline intervene`: confirm causes by predicting again with one thing changed."""

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, get_args

import click

from worldline.analysis.diagnosis import label
from worldline.analysis.interventions import INTERVENTIONS, InterventionName
from worldline.core.errors import InputError
from worldline.core.util.text import pluralize
from worldline.evaluation.metrics import measure_interventions
from worldline.evaluation.runs import (
    RESAMPLE_REPEATS,
    Failures,
    ScoredSample,
    cause_tests,
    find_failures,
    intervention_questions,
    read_interventions,
    read_scored_samples,
    run_intervention,
)
from worldline.interfaces.cli.console import hint, resumable, resume_hint
from worldline.interfaces.cli.engine_options import ModelAccess, access_options
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import run_progress
from worldline.interfaces.cli.shared_options import (
    format_option,
    python_option,
    quiet_option,
    restart_option,
)
from worldline.interfaces.report import intervention_tables, interventions_to_json, make_console
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.tokenizers import load_tokenizer

NAMES: tuple[InterventionName, ...] = get_args(InterventionName)


@command(
    examples=(
        "worldline intervene runs/mine --engine http://127.0.0.1:8000/v1",
        "worldline intervene runs/mine --interventions patch,guided --engine URL",
    )
)
@click.argument("run")
@click.option(
    "--interventions",
    metavar="NAMES",
    help="Try only these interventions, separated by commas, on all failures: "
    f"{', '.join(INTERVENTIONS)}.",
)
@click.option(
    "--all",
    "is_all",
    is_flag=True,
    help="Try every intervention on every failure, not only those that fit its cause.",
)
@click.option(
    "--correct",
    type=click.IntRange(min=0),
    metavar="N",
    default=50,
    show_default=True,
    help="Also apply the interventions to N correct samples, to see what they break.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    metavar="N",
    default=RESAMPLE_REPEATS,
    show_default=True,
    help="How often the intervention `resample` predicts each failed sample again.",
)
@restart_option
@format_option()
@quiet_option
@access_options
@python_option
def intervene(
    run: str,
    interventions: str | None,
    is_all: bool,
    correct: int,
    draws: int,
    restart: bool,
    form: str,
    access: ModelAccess,
    python: str | None,
) -> None:
    """Confirm the causes of failures by predicting again with one thing changed.

    If the sample is correct once its cause is removed, the cause is confirmed. Cheap
    interventions are tried first, and each sample gets only those that fit its cause. Each
    intervention is stored as a run in RUN/interventions.

    If interrupted, run the same command again to resume.
    """
    chosen = _names(interventions) or tuple(INTERVENTIONS)
    first_error = None
    with ProgramRecorder(python=python) as recorder:
        failures = find_failures(run, recorder, correct=correct)
        if not failures.failed:
            raise InputError(f"no failure in {run} has a cause: there is nothing to confirm")
        for outcome, number in failures.left_out.items():
            samples = pluralize(number, "sample")
            hint(f"not predicted again, for lack of a cause: {samples} ({label(outcome)})")
        with resumable(restart):
            for index, name in enumerate(chosen):
                tried = read_interventions(run)
                if restart:
                    # Earlier results no longer count.
                    tried = {known: tried[known] for known in chosen[:index] if known in tried}
                error = _try(
                    run,
                    name,
                    failures,
                    access,
                    recorder,
                    tried,
                    is_all=bool(interventions) or is_all,
                    draws=draws,
                    restart=restart,
                )
                first_error = first_error or error
    results = measure_interventions(read_scored_samples(run), read_interventions(run))
    if form == "json":
        click.echo(json.dumps(interventions_to_json(results), indent=1))
    else:
        console = make_console()
        console.print(intervention_tables(results, width=console.width))
        hint(f"next: worldline show {run} SAMPLE · worldline diagnose {run}")
    if first_error is not None:
        click.echo(
            f"the first infrastructure error: {first_error}\n{resume_hint(restart)} Samples with "
            "an infrastructure error are asked again.",
            err=True,
        )
        raise click.exceptions.Exit(1)


def _try(
    run: str,
    name: InterventionName,
    failures: Failures,
    access: ModelAccess,
    recorder: ProgramRecorder,
    tried: Mapping[InterventionName, Sequence[ScoredSample]],
    *,
    is_all: bool,
    draws: int,
    restart: bool,
) -> str | None:
    """Ask all questions of one intervention, and return the first infrastructure error, if any."""
    confirmed = cause_tests(read_scored_samples(run), tried).confirmed
    ids = {sample.prediction.id for sample in failures.failed}
    questions = intervention_questions(
        name, failures, is_all=is_all, unconfirmed=frozenset(ids - confirmed.keys())
    )
    if not questions:
        return None
    tokenizer = access.tokenizer or failures.manifest.tokenizer
    samples = run_intervention(
        run,
        name,
        questions,
        access.engine.open,
        recorder,
        failures.manifest,
        draws=draws,
        restart=restart,
        tokenizer=load_tokenizer(tokenizer) if tokenizer else None,
        concurrency=access.concurrency,
    )
    first_error = None
    total = len(questions) * (draws if name == "resample" else 1) - len(tried.get(name, ()))
    with closing(samples), run_progress(name, max(0, total)) as progress:
        for sample in samples:
            progress.advance(sample)
            first_error = first_error or sample.error
    return first_error


def _names(text: str | None) -> tuple[InterventionName, ...]:
    """The named interventions, cheapest first."""
    named: list[Any] = [name.strip() for name in text.split(",")] if text else []
    unknown = [name for name in named if name not in INTERVENTIONS]
    if unknown:
        raise InputError(
            f"there is no intervention {unknown[0]!r}; available: {', '.join(INTERVENTIONS)}"
        )
    return tuple(name for name in INTERVENTIONS if name in named)
