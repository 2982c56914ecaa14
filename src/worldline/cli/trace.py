"""`worldline trace PROGRAMS -o STORE`: trace programs by the million, here or on a cluster."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal

import click
from rich.console import Console

from worldline.cli.options import limit_options, python_option, tokenizer_option, workers_option
from worldline.cli.progress import INTERRUPTED, Teller, go_on, make_bar
from worldline.cli.slow import say_if_slow
from worldline.codecs import STEP_CODECS
from worldline.diagnose import count
from worldline.errors import InputError
from worldline.pipeline import (
    DEFAULT_LIMITS,
    SHARD_PROGRAMS,
    Counts,
    Filters,
    Job,
    LocalRunner,
    RayRunner,
    Runner,
    Tracing,
    Turn,
    make_job,
    trace_into,
)
from worldline.runs import usable_cores
from worldline.trace import Limits


@click.command()
@click.argument("programs", metavar="PROGRAMS...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="STORE",
    required=True,
    help="The folder, or s3://… address, to keep the traces in.",
)
@click.option(
    "--runner",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Processes of this machine, or a Ray cluster.",
)
@click.option("--address", metavar="HOST:PORT", help="Of a running Ray cluster; or auto.")
@click.option("--rank", type=click.IntRange(min=0), help="Do every world-size-th shard, from this.")
@click.option("--world-size", type=click.IntRange(min=1), help="How many ranks there are.")
@workers_option
@click.option(
    "--shard",
    "shard_programs",
    type=click.IntRange(min=1),
    default=SHARD_PROGRAMS,
    show_default=True,
    help="Programs that are worked on, and stored, together.",
)
@tokenizer_option
@click.option(
    "--codec",
    type=click.Choice(sorted(STEP_CODECS)),
    default="cwm",
    show_default=True,
    help="The format in which tokens are counted.",
)
@click.option("--max-tokens", type=click.IntRange(min=1), help="Keep no longer ones.")
@click.option(
    "--min-steps",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Keep no shorter ones.",
)
@click.option("--once", "is_once", is_flag=True, help="Do not run each a second time to compare.")
@click.option(
    "--without",
    multiple=True,
    metavar="NAME",
    help="Keep no program that is in this file, either; may be repeated. Those of the benchmarks "
    "are never kept; one that is named must be there.",
)
@click.option("--restart", "is_restarted", is_flag=True, help="Begin the store anew.")
@click.option(
    "--prune", "is_pruned", is_flag=True, help="Take away what is of programs that are gone."
)
@python_option
@partial(limit_options, defaults=DEFAULT_LIMITS)
def trace(
    programs: tuple[str, ...],
    output: str,
    runner: Literal["local", "ray"],
    address: str | None,
    rank: int | None,
    world_size: int | None,
    workers: int | None,
    shard_programs: int,
    tokenizer: str | None,
    codec: str,
    max_tokens: int | None,
    min_steps: int,
    is_once: bool,
    without: tuple[str, ...],
    is_restarted: bool,
    is_pruned: bool,
    python: str | None,
    limits: Limits,
) -> None:
    """Run programs, keep the traces of those that are whole, steady and new, and say what came of
    all others.

    PROGRAMS are .jsonl, .jsonl.gz or .parquet files, or folders of such, with code and call a
    program, and id if it has a name. STORE gets Parquet files that `worldline export` and trainers
    read, and a table of what came of every program. Stopped or killed, it goes on where it was when
    the same command is given again.

    The same on a laptop, on a Ray cluster and in a Slurm array; programs run in a sandbox.
    """
    turn = _turn(rank, world_size, is_alone=is_restarted or is_pruned)
    chosen = _runner(runner, address, workers)
    job = make_job(
        limits=limits,
        filters=Filters(min_steps, max_tokens, is_once),
        codec=codec,
        tokenizer=tokenizer,
        without=without,
        shard_programs=shard_programs,
        python=python,
    )
    _say_what_is_missing(job)
    try:
        with _shown(Path(programs[0]).name) as on_progress:
            done = trace_into(
                output,
                programs,
                job,
                chosen,
                turn=turn,
                is_restarted=is_restarted,
                is_pruned=is_pruned,
                on_progress=on_progress,
            )
    except KeyboardInterrupt:
        click.echo(f"\nstopped; {go_on(is_restarted)}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    click.echo(report_text(done))
    _finish(done, output)


def _turn(rank: int | None, world_size: int | None, *, is_alone: bool) -> Turn:
    if (rank is None) != (world_size is None):
        raise InputError("--rank and --world-size belong together")
    if rank is None or world_size is None:
        return Turn()
    if rank >= world_size:
        raise InputError(f"ranks of {world_size} go from 0 to {world_size - 1}, not {rank}")
    if is_alone:
        raise InputError("--restart and --prune are for one run at a time, without --rank")
    return Turn(rank, world_size)


def _runner(name: Literal["local", "ray"], address: str | None, workers: int | None) -> Runner:
    if name == "ray":
        if address is None:
            click.echo("worldline: Ray listens on all interfaces while this runs", err=True)
        return RayRunner(address, workers=workers if address else workers or usable_cores())
    if address is not None:
        raise InputError("--address is for --runner ray")
    return LocalRunner(workers or usable_cores())


def _say_what_is_missing(job: Job) -> None:
    say_if_slow(job.recorder)
    for name, why in job.excluded.missing.items():
        click.echo(f"programs of {name} are not left out: {why}", err=True)


def _finish(done: Tracing, output: str) -> None:
    """What is to be done next, or amiss."""
    if done.elsewhere:
        click.echo(f"other ranks have {count(done.elsewhere, 'shard')} to do yet", err=True)
        return
    if done.strays:
        click.echo(
            f"worldline: {output} also holds {count(len(done.strays), 'shard')} of other programs: "
            "the input was changed, or this is not all of it; --prune takes them away",
            err=True,
        )
        raise click.exceptions.Exit(1)
    if done.counts.outcomes["failed"]:
        click.echo(
            "worldline: the recorder failed on some; what it said is in the column detail of "
            f"{output}/outcomes",
            err=True,
        )
        raise click.exceptions.Exit(1)
    click.echo(f"next: worldline export {output} --tokenizer bpe:1024 -o EXPORT")


def report_text(done: Tracing) -> str:
    """What came of all programs; the lines below the first add up to it."""
    counts = done.counts
    before = f"; {done.before.programs:,} were done already" if done.before.programs else ""
    lines = [f"{count(counts.programs, 'program')} in {count(done.shards, 'shard')}{before}"]
    lines += [
        f"  {number:>9,} {outcome.replace('_', ' ')}"
        for outcome, number in counts.outcomes.most_common()
    ]
    kept = counts.outcomes["kept"]
    if kept:
        tokens = f", {counts.tokens:,} tokens" if counts.tokens else ""
        lines.append(
            f"kept: {counts.steps:,} steps{tokens}, {counts.bytes / 1e6:,.1f} MB "
            f"({counts.bytes / counts.steps:.1f} bytes a step)"
        )
    if counts.expected:
        lines.append(f"{counts.agreeing:,} of {counts.expected:,} results are the expected ones")
    hours = counts.seconds / 3600
    time_taken = f"{hours:,.2f} hours" if hours >= 0.1 else f"{counts.seconds:,.0f} s"
    lines.append(f"{time_taken} of workers' time")
    return "\n".join(lines)


@contextmanager
def _shown(label: str) -> Iterator[Callable[[Tracing], None]]:
    """A bar on standard error while somebody looks; else a line of JSON every half a minute."""
    began = time.monotonic()
    if not sys.stderr.isatty():
        teller = Teller()
        yield lambda tracing: teller.tell(partial(progress_to_json, tracing, began))
        return
    with make_bar(Console(stderr=True)) as bar:
        task = bar.add_task(label, total=None, state="starting")

        def tell(tracing: Tracing) -> None:
            found = progress_to_json(tracing, began)
            bar.update(
                task,
                completed=found["done"],
                total=found["about"],
                state=_state(tracing.counts, found["programs_per_second"]),
            )

        yield tell


def _state(counts: Counts, rate: float) -> str:
    """ "1,180 kept · 12 time limit · 8 unsteady · 92/s": what most came to, and how fast"""
    parts = [f"{n:,} {name.replace('_', ' ')}" for name, n in counts.outcomes.most_common(3)]
    return " · ".join([*parts, f"{rate:.0f}/s"])


def progress_to_json(tracing: Tracing, began: float) -> dict[str, Any]:
    """How it is coming along, in numbers; `about` how many programs there are is a guess until all
    of the input was read."""
    passed = max(time.monotonic() - began, 1e-9)
    counts, share = tracing.counts, tracing.share
    new = counts.programs - tracing.before.programs
    about = round(counts.programs / share) if share else None
    return {
        "done": counts.programs,
        "about": about,
        "kept": counts.outcomes["kept"],
        "left_out": _without(counts, "kept"),
        "seconds": round(passed, 1),
        "programs_per_second": round(new / passed, 1),
        "seconds_left": round((about - counts.programs) * passed / new, 1)
        if about and new
        else None,
    }


def _without(counts: Counts, outcome: str) -> dict[str, int]:
    return {name: number for name, number in counts.outcomes.items() if name != outcome}
