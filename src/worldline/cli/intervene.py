"""`worldline intervene RUN --engine URL`: let the causes of a run's failures confess."""

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, get_args

import click

from worldline.cli.asking import Access, access_options
from worldline.cli.console import make_console
from worldline.cli.options import form_option, python_option
from worldline.cli.progress import INTERRUPTED, go_on, run_progress
from worldline.errors import InputError
from worldline.intervene import INTERVENTIONS, InterventionName
from worldline.measures import measure_interventions
from worldline.recorders import PythonRecorder
from worldline.report import intervention_tables, interventions_to_json
from worldline.runs import (
    DRAWS,
    Failures,
    Judged,
    confirmed_causes,
    find_failures,
    intervene_into,
    read_interventions,
    read_judged,
    wanted,
)

NAMES: tuple[InterventionName, ...] = get_args(InterventionName)


@click.command()
@click.argument("run")
@click.option(
    "--only",
    metavar="NAMES",
    help=f"Try these alone, on all failures: {', '.join(INTERVENTIONS)}.",
)
@click.option(
    "--all",
    "is_all",
    is_flag=True,
    help="Try everything on every failure, not just what its cause calls for.",
)
@click.option(
    "--right",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="Right samples to ask as well, where no truth is needed: what does a change break?",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=DRAWS,
    show_default=True,
    help="Times that a failure is drawn again by `resample`.",
)
@click.option("--restart", "is_restarted", is_flag=True, help="Begin what is tried anew.")
@form_option
@access_options
@python_option
def intervene(
    run: str,
    only: str | None,
    is_all: bool,
    right: int,
    draws: int,
    is_restarted: bool,
    form: str,
    access: Access,
    python: str | None,
) -> None:
    """Ask the failures of a RUN again, each with one thing changed: a cause whose removal turns a
    sample right is confirmed.

    Cheapest first, and only what the sample's cause calls for; each intervention is a run of its
    own in RUN/interventions. Stopped or killed, the same command goes on.
    """
    chosen = _names(only) or tuple(INTERVENTIONS)
    with PythonRecorder(python=python) as recorder:
        failures = find_failures(run, recorder, right=right)
        if not failures.failed:
            raise InputError(f"no sample of {run} failed with a cause: there is nothing to remove")
        for outcome, number in failures.left_out.items():
            click.echo(f"left alone: {number:,} that are {outcome}, without a cause", err=True)
        failed = None
        try:
            for place, name in enumerate(chosen):
                tried = read_interventions(run)
                if is_restarted:
                    # What was found before counts no more.
                    tried = {known: tried[known] for known in chosen[:place] if known in tried}
                failure = _try(
                    run,
                    name,
                    failures,
                    access,
                    recorder,
                    tried,
                    is_all=bool(only) or is_all,
                    draws=draws,
                    is_restarted=is_restarted,
                )
                failed = failed or failure
        except KeyboardInterrupt:
            click.echo(f"\nstopped; {go_on(is_restarted)}", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
    found = measure_interventions(read_judged(run), read_interventions(run))
    if form == "json":
        click.echo(json.dumps(interventions_to_json(found), indent=1))
    else:
        console = make_console()
        console.print(intervention_tables(found))
        console.print(f"next: worldline show {run} SAMPLE · worldline diagnose {run}")
    if failed is not None:
        click.echo(
            f"the first that failed: {failed}\n{go_on(is_restarted)} and asks them again", err=True
        )
        raise click.exceptions.Exit(1)


def _try(
    run: str,
    name: InterventionName,
    failures: Failures,
    access: Access,
    recorder: PythonRecorder,
    tried: Mapping[InterventionName, Sequence[Judged]],
    *,
    is_all: bool,
    draws: int,
    is_restarted: bool,
) -> str | None:
    """Ask all that is to be asked with one intervention; why the infrastructure first failed, if it
    did."""
    confirmed = confirmed_causes(read_judged(run), tried)
    ids = {sample.prediction.id for sample in failures.failed}
    questions = wanted(name, failures, is_all=is_all, unconfirmed=frozenset(ids - confirmed.keys()))
    if not questions:
        return None
    samples = intervene_into(
        run,
        name,
        questions,
        access.maker(),
        recorder,
        failures.manifest,
        draws=draws,
        is_restarted=is_restarted,
        tokenizer=replace(
            access, tokenizer=access.tokenizer or failures.manifest.tokenizer
        ).load_tokenizer(),
        in_flight=access.most,
    )
    failure = None
    total = len(questions) * (draws if name == "resample" else 1) - len(tried.get(name, ()))
    with closing(samples), run_progress(name, max(0, total)) as progress:
        for sample in samples:
            progress.advance(sample)
            failure = failure or sample.error
    return failure


def _names(only: str | None) -> tuple[InterventionName, ...]:
    """The interventions that were named, cheapest first."""
    wanted: list[Any] = [name.strip() for name in only.split(",")] if only else []
    unknown = [name for name in wanted if name not in INTERVENTIONS]
    if unknown:
        raise InputError(
            f"there is no intervention {unknown[0]!r}; there is: {', '.join(INTERVENTIONS)}"
        )
    return tuple(name for name in INTERVENTIONS if name in wanted)
