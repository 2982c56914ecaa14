"""`worldline rank`: rank candidate solutions by consensus."""

import json
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import get_args

import click

from worldline.core.util.processes import usable_cores
from worldline.evaluation.rank import Consensus, RankBy, Score
from worldline.interfaces.api.candidate_ranking import RankPhase, rank_candidates
from worldline.interfaces.cli.console import resumable
from worldline.interfaces.cli.engine_options import (
    DEFAULTS,
    ModelAccess,
    access_options,
    check_codec,
)
from worldline.interfaces.cli.help_sections import command, section_option
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.shared_options import (
    format_option,
    python_option,
    quiet_option,
    restart_option,
    workers_option,
)
from worldline.interfaces.report import make_console, rank_report, rank_to_json
from worldline.languages.python.batch_runner import DEFAULT_ITEM_SECONDS
from worldline.models.prediction import AUTO_CODEC, Mode, PredictionSettings

_file = click.Path(path_type=Path, dir_okay=False)


@command(
    examples=(
        "worldline rank candidates.jsonl --tests tests.jsonl",
        "worldline rank CANDIDATES --tests TESTS --by staged --engine URL -o ranks",
        "worldline rank CANDIDATES --tests TESTS --by predicted --inputs 3 --engine URL",
    )
)
@click.argument("candidates", type=_file)
@click.option("--tests", type=_file, metavar="FILE", required=True, help="Tests, as JSON lines.")
@click.option(
    "--by",
    type=click.Choice(get_args(RankBy)),
    multiple=True,
    default=("actual",),
    help="actual: execute every candidate; predicted: ask a model for every output; staged: ask, "
    "then execute the best. Repeat it to compare.  [default: actual]",
)
@click.option(
    "--run-best",
    type=click.IntRange(min=0),
    multiple=True,
    default=(1,),
    metavar="M",
    help="Candidates of a problem that `--by staged` executes (repeatable).  [default: 1]",
)
@click.option(
    "--consensus",
    type=click.Choice(get_args(Consensus)),
    help="Candidates agree if they pass the same tests, or have the same outputs.  "
    "[default: tests, if a problem has any]",
)
@click.option(
    "--score",
    type=click.Choice(get_args(Score)),
    default="product",
    show_default=True,
    help="Score of a group: candidates × tests passed, or with the square root of the candidates, "
    "or one of the two.",
)
@click.option(
    "--inputs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Compare only on the N inputs of a problem that distinguish its candidates best.",
)
@click.option(
    "-k",
    type=click.IntRange(min=1),
    multiple=True,
    default=(1,),
    metavar="K",
    help="Report best@K (repeatable).  [default: 1]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Keep executions and predictions in this folder, to resume.",
)
@restart_option
@format_option()
@quiet_option
@workers_option
@partial(access_options, is_required=False)
@section_option(
    "Prediction",
    "--mode",
    type=click.Choice(["free", "guided"]),
    metavar="MODE",
    default=DEFAULTS.mode,
    show_default=True,
    help="What the model predicts: free (every step, or the result), or guided.",
)
@section_option(
    "Prediction",
    "--codec",
    callback=check_codec,
    metavar="NAME",
    default=AUTO_CODEC,
    show_default=True,
    help="Format that the model writes; `auto` picks the best one that the model supports.",
)
@section_option(
    "Prediction",
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    default=DEFAULTS.max_tokens,
    show_default=True,
    help="Maximum completion tokens per prediction.",
)
@section_option(
    "Limits",
    "--test-seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    default=DEFAULT_ITEM_SECONDS,
    show_default=True,
    help="Maximum CPU time of one test or call.",
)
@python_option
def rank(
    candidates: Path,
    tests: Path,
    by: tuple[RankBy, ...],
    run_best: tuple[int, ...],
    consensus: Consensus | None,
    score: Score,
    inputs: int | None,
    k: tuple[int, ...],
    output: Path | None,
    restart: bool,
    form: str,
    workers: int | None,
    access: ModelAccess | None,
    mode: Mode,
    codec: str,
    max_tokens: int,
    test_seconds: float,
    python: str | None,
) -> None:
    """Rank candidate solutions by executing or predicting.

    CANDIDATES has one JSON object per line: problem and code; optionally id and correct. The tests
    have one per problem: problem, and some of function, tests, inputs and reference. Candidates
    that behave alike are one group; its score is its size times the tests that it passes (CodeT).

    With -o: if interrupted, run the same command again to resume.
    """
    with resumable(restart) as interruption, ExitStack() as stack:
        reporter = stack.enter_context(report_progress("ranking", None))

        def report(phase: RankPhase, done: int, total: int) -> None:
            interruption[:] = [f"{done:,} of {total:,} ({phase})"]
            reporter.update(
                done,
                total=total,
                state=lambda: phase,
                numbers=lambda: {"phase": phase, "done": done, "total": total},
            )

        results = rank_candidates(
            candidates,
            tests,
            by=by,
            engine=None if access is None else access.engine,
            run_best=run_best,
            consensus=consensus,
            score=score,
            inputs=inputs,
            k=k,
            test_seconds=test_seconds,
            folder=output,
            restart=restart,
            settings=PredictionSettings(mode=mode, codec=codec, max_tokens=max_tokens),
            tokenizer=None if access is None else access.tokenizer,
            concurrency=None if access is None else access.concurrency,
            workers=workers or usable_cores(),
            python=python,
            on_progress=report,
        )
    if form == "json":
        click.echo(json.dumps(rank_to_json(results), indent=1))
        return
    console = make_console()
    for part in rank_report(results):
        console.print(part)
