"""`worldline bench NAME --engine URL`: measure a model on a benchmark, and keep every sample."""

import hashlib
import json
from contextlib import closing
from dataclasses import asdict
from typing import Any

import click

from worldline.benchmarks import Benchmark, describe_benchmarks, load_benchmark, make_manifest
from worldline.cli.asking import Access, asking_options
from worldline.cli.console import make_console
from worldline.cli.options import form_option, limit_options, python_option
from worldline.cli.progress import INTERRUPTED, go_on, run_progress
from worldline.cli.report import print_run
from worldline.errors import InputError
from worldline.predict import Settings
from worldline.recorders import PythonRecorder
from worldline.runs import Manifest, Run, ask_into, missing
from worldline.trace import Limits


def list_benchmarks(ctx: click.Context, _: click.Parameter, is_wanted: bool) -> None:
    """Print the benchmarks that there are, and end."""
    if is_wanted:
        for found in describe_benchmarks():
            click.echo(f"{found.name}\n  {found.summary}")
            for name, default in found.options.items():
                click.echo(f"  --set {name}={default or 'VALUE'}")
        click.echo("FILE or FOLDER\n  Programs of your own: .jsonl, or .py that says its call.")
        ctx.exit()


@click.command()
@click.argument("benchmark", metavar="NAME")
@click.option(
    "-o",
    "--output",
    metavar="RUN",
    help="The run: a folder, or an address (s3://…). What it has already is not asked again.  "
    "[default: runs/ and a name made from the benchmark, the engine and the settings]",
)
@click.option("--restart", "is_restarted", is_flag=True, help="Begin the run anew.")
@click.option(
    "--set",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the benchmark; may be repeated (--list shows them).",
)
@click.option("--data", metavar="PATH", help="The benchmark's file, or the folder that has it.")
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=list_benchmarks,
    help="The benchmarks and their options.",
)
@form_option
@asking_options
@python_option
@limit_options
def bench(
    benchmark: str,
    output: str | None,
    is_restarted: bool,
    options: tuple[str, ...],
    data: str | None,
    form: str,
    access: Access,
    settings: Settings,
    repeats: int,
    first: int | None,
    python: str | None,
    limits: Limits,
) -> None:
    """Ask a model all questions of a benchmark; execute, judge and keep each answer.

    NAME is cruxeval, humaneval, permutation, composition, or a file or folder of your own
    programs. Stopped or killed, it goes on where it was when the same command is given again.
    It exits with 1 where the infrastructure failed on a sample.
    """
    loaded = load_benchmark(benchmark, data=data, options=_pairs(options))
    questions = loaded.questions[:first]
    if not questions:
        raise InputError(f"there is nothing to ask in {benchmark}")
    manifest = make_manifest(
        loaded,
        settings,
        engine=access.engine,
        tokenizer=access.tokenizer,
        repeats=repeats,
        limits=limits,
    )
    address = output or default_folder(loaded, access, settings, limits)
    with (
        Run(address, is_restarted=is_restarted) as run,
        PythonRecorder(python=python) as recorder,
    ):
        run.expect(manifest)
        wanted, total = len(missing(run, questions, repeats)), len(questions) * repeats
        if wanted < total:
            click.echo(f"{total - wanted:,} of {total:,} are in {address} already", err=True)
        if not wanted:
            warn_of_another(run, manifest, access)
        samples = ask_into(
            run,
            questions,
            access.maker(),
            recorder,
            manifest,
            is_right=loaded.is_right,
            tokenizer=access.load_tokenizer(),
            in_flight=access.most,
        )
        failure = None
        try:
            with closing(samples), run_progress(loaded.name, wanted) as progress:
                for sample in samples:
                    progress.advance(sample)
                    failure = failure or sample.error
        except KeyboardInterrupt:
            kept = total - len(missing(run, questions, repeats))
            click.echo(
                f"\nstopped: {kept:,} of {total:,} are in {address}; {go_on(is_restarted)}",
                err=True,
            )
            raise click.exceptions.Exit(INTERRUPTED) from None
        abilities = run.manifest.abilities if run.manifest else ()
    print_run(make_console(), address, form)
    if failure is not None:
        click.echo(
            f"the first that failed: {failure}\n{go_on(is_restarted)} and asks them again", err=True
        )
        is_server = access.engine.startswith(("http://", "https://"))
        if is_server and abilities == ("chat",) and settings.codec != "chat":
            click.echo("this server answers messages and nothing else: try --codec chat", err=True)
        raise click.exceptions.Exit(1)


def warn_of_another(run: Run, manifest: Manifest, access: Access) -> None:
    """Say whose answers are shown where another one was named, and nothing is left to ask it."""
    begun = run.manifest
    if begun is not None and (
        begun.engine != manifest.engine or access.model not in (None, begun.model)
    ):
        click.echo(
            f"nothing is left to ask: what follows are the answers of {begun.model} at "
            f"{begun.engine}; for those of another model name another run with -o",
            err=True,
        )


def _pairs(options: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for option in options:
        name, found, value = option.partition("=")
        if not found:
            raise InputError(f"--set {option!r} needs a value, as in --set {option}=5")
        pairs[name] = value
    return pairs


def default_folder(benchmark: Benchmark, access: Access, settings: Settings, limits: Limits) -> str:
    """A folder that the same command finds again, and another one does not.

    cruxeval, chat -> "runs/cruxeval-chat-free-1c9d3e"
    """
    asked: list[Any] = [dict(benchmark.options), access.engine, access.model, access.tokenizer]
    told = json.dumps([*asked, asdict(settings), asdict(limits)])
    digest = hashlib.sha256(told.encode()).hexdigest()[:6]
    return f"runs/{benchmark.name}-{settings.codec}-{settings.mode}-{digest}"
