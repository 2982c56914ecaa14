"""`worldline bench`: evaluate a model on a benchmark."""

from contextlib import ExitStack

import click

from worldline.core.trace import Limits
from worldline.evaluation.benchmarks import describe_benchmarks
from worldline.evaluation.runs import ScoredSample
from worldline.interfaces.api.costing import estimate_cost
from worldline.interfaces.api.engine_handle import EngineHandle
from worldline.interfaces.api.evaluating import EvaluationStart, evaluate
from worldline.interfaces.cli.console import hint, resumable, resume_hint
from worldline.interfaces.cli.cost_options import (
    CostOptions,
    codec_line,
    cost_options,
    print_estimate,
)
from worldline.interfaces.cli.engine_options import ModelAccess, prediction_options
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import RunProgress, run_progress
from worldline.interfaces.cli.report import print_run
from worldline.interfaces.cli.shared_options import (
    benchmark_options,
    first_option,
    format_option,
    limit_options,
    python_option,
    quiet_option,
    restart_option,
)
from worldline.models.codecs import get_codec
from worldline.models.engines import engine_factory
from worldline.models.prediction import PredictionSettings


def list_benchmarks(ctx: click.Context, _: click.Parameter, is_wanted: bool) -> None:
    """Print the benchmarks and their options, and exit."""
    if is_wanted:
        for benchmark in describe_benchmarks():
            click.echo(f"{benchmark.name}\n  {benchmark.summary}")
            for name, default in benchmark.options.items():
                click.echo(f"  --set {name}={default or 'VALUE'}")
        click.echo("FILE or FOLDER\n  Your own programs: .jsonl, or .py with '# call: f(1)' lines.")
        ctx.exit()


@command(
    examples=(
        "worldline bench cruxeval --engine http://127.0.0.1:8000/v1",
        "worldline bench mine.jsonl --engine http://127.0.0.1:8000/v1 --codec chat",
        "worldline bench permutation --set lengths=8,64 --engine transformers:model",
    )
)
@click.argument("benchmark", metavar="BENCHMARK")
@click.option(
    "-o",
    "--output",
    metavar="RUN",
    help="Folder or address (s3://…) of the run.  [default: a folder in runs/, named by benchmark, "
    "codec, mode and a hash of all settings]",
)
@restart_option
@first_option
@benchmark_options
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=list_benchmarks,
    help="List the benchmarks and their options, and exit.",
)
@format_option()
@quiet_option
@prediction_options
@cost_options
@python_option
@limit_options
def bench(
    benchmark: str,
    output: str | None,
    restart: bool,
    first: int | None,
    options: dict[str, str],
    data: str | None,
    form: str,
    access: ModelAccess,
    settings: PredictionSettings,
    repeats: int,
    costs: CostOptions,
    python: str | None,
    limits: Limits,
) -> None:
    """Evaluate a model on a benchmark.

    Asks the model every question, executes the programs, diagnoses each prediction, and stores
    all samples as a run.
    BENCHMARK is cruxeval, humaneval, permutation, composition, chance, hidden, or a file or folder
    of your own programs; --list lists all.

    If interrupted, run the same command again to resume. The exit code is 1 if there were
    infrastructure errors: failures of the server or the sandbox, not of the model.
    """
    if costs.is_dry_run:
        estimate = estimate_cost(
            benchmark,
            access.engine,
            output=output,
            data=data,
            options=options,
            first=first,
            repeats=repeats,
            settings=settings,
            tokenizer=access.tokenizer,
            limits=limits,
            restart=restart,
        )
        print_estimate(estimate, costs.prices)
        return
    with resumable(restart) as interruption, ExitStack() as stack:
        observer = _Observer(stack, access.engine, interruption)
        run = evaluate(
            benchmark,
            access.engine,
            output=output,
            data=data,
            options=options,
            first=first,
            repeats=repeats,
            settings=settings,
            tokenizer=access.tokenizer,
            concurrency=access.concurrency,
            limits=limits,
            python=python,
            restart=restart,
            max_malformed=costs.max_malformed,
            cost_limit=costs.limit,
            on_start=observer.start,
            on_codec=lambda choice: hint(codec_line(choice)),
            on_sample=observer.add,
        )
    print_run(run, form)
    if observer.first_error is None:
        return
    click.echo(
        f"the first infrastructure error: {observer.first_error}\n{resume_hint(restart)} Samples "
        "with an infrastructure error are asked again.",
        err=True,
    )
    is_server = engine_factory(access.engine.name).is_server
    codec = run.manifest.settings.codec if run.manifest.settings else ""
    if is_server and run.manifest.capabilities == ("chat",) and not get_codec(codec).is_chat:
        click.echo("this server has a chat endpoint only: try --codec chat", err=True)
    raise click.exceptions.Exit(1)


class _Observer:
    """Reports an evaluation while it runs, and says how far it was when it is interrupted."""

    def __init__(self, stack: ExitStack, engine: EngineHandle, interruption: list[str]) -> None:
        self.first_error: str | None = None
        self._stack = stack
        self._engine = engine
        self._interruption = interruption
        self._progress: RunProgress | None = None
        self._start: EvaluationStart | None = None
        self._done = 0

    def start(self, start: EvaluationStart) -> None:
        """Report what is done already, and begin the progress bar."""
        self._start, self._done = start, start.done
        if start.done:
            hint(f"{start.done:,} of {start.total:,} samples are already in {start.location}")
        if start.done == start.total:
            warn_of_other_engine(start, self._engine)
        remaining = start.total - start.done
        self._progress = self._stack.enter_context(
            run_progress(start.manifest.benchmark, remaining)
        )
        self._note()

    def add(self, sample: ScoredSample) -> None:
        """Count one more sample."""
        assert self._progress is not None
        self.first_error = self.first_error or sample.error
        self._done += sample.error is None
        self._progress.advance(sample)
        self._note()

    def _note(self) -> None:
        assert self._start is not None
        start = self._start
        text = f"{self._done:,} of {start.total:,} samples are in {start.location}"
        self._interruption[:] = [text]


def warn_of_other_engine(start: EvaluationStart, engine: EngineHandle) -> None:
    """Warn that a finished run has the answers of an engine or model that was not named."""
    stored = start.stored
    if stored is not None and (
        stored.engine != start.manifest.engine or engine.model not in (None, stored.model)
    ):
        click.echo(
            f"worldline: the run is complete: it has the answers of {stored.model} at "
            f"{stored.engine}; to ask another model, name another run with -o",
            err=True,
        )
