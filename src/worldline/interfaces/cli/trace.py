"""`worldline trace`: trace many programs, on one machine or a cluster."""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, get_args

import click

from worldline.core.errors import InputError
from worldline.core.trace import Limits, printable
from worldline.core.util.processes import usable_cores
from worldline.core.util.text import pluralize
from worldline.data.tracing import (
    DEFAULT_LIMITS,
    SHARD_PROGRAMS,
    Isolation,
    LocalRunner,
    OutcomeCounts,
    ProgramInputs,
    Rank,
    RayRunner,
    Runner,
    TraceFilters,
    TraceJob,
    TraceProgress,
    make_job,
    trace_programs,
)
from worldline.evaluation.store import iterate_parts, open_location, outcome_files
from worldline.interfaces.cli.console import hint, resumable, warn_if_slow
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.shared_options import (
    exclude_option,
    first_option,
    limit_options,
    python_option,
    quiet_option,
    restart_option,
    tokenizer_option,
    workers_option,
)
from worldline.models.codecs import STEP_CODECS

# Programs whose reasons are printed.
_SHOWN_REASONS = 5


@command(
    examples=(
        "worldline trace programs.jsonl -o traces",
        "worldline trace programs/ -o s3://bucket/traces --runner ray --address auto",
    )
)
@click.argument("programs", metavar="PROGRAMS...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="STORE",
    required=True,
    help="Folder or address (s3://…) of the store.",
)
@click.option(
    "--runner",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Where to run: processes on this machine, or Ray.",
)
@click.option("--address", metavar="HOST:PORT", help="Address of a running Ray cluster, or auto.")
@click.option(
    "--rank",
    type=click.IntRange(min=0),
    metavar="N",
    help="Rank of this process, from 0. The ranks divide the shards among themselves.",
)
@click.option("--world-size", type=click.IntRange(min=1), metavar="N", help="Number of ranks.")
@workers_option
@click.option(
    "--shard",
    "shard_programs",
    type=click.IntRange(min=1),
    metavar="N",
    default=SHARD_PROGRAMS,
    show_default=True,
    help="Programs per shard.",
)
@first_option
@tokenizer_option
@click.option(
    "--codec",
    type=click.Choice(sorted(STEP_CODECS)),
    metavar="NAME",
    default="cwm",
    show_default=True,
    help="Codec that encodes the traces whose tokens are counted.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Drop traces with more than N tokens.",
)
@click.option(
    "--min-steps",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Drop traces with fewer than N steps.",
)
@click.option(
    "--once",
    "skip_determinism_check",
    is_flag=True,
    help="Execute each program only once; do not check that it is deterministic.",
)
@click.option(
    "--keep-non-deterministic",
    is_flag=True,
    help="Keep programs that use random numbers or the clock, with their choices, if they give the "
    "same trace when they are executed again with these choices.",
)
@click.option(
    "--isolation",
    type=click.Choice(get_args(Isolation)),
    default="process",
    show_default=True,
    help="process: each program has a process of its own. group: programs that cannot affect each "
    "other share one; the traces are the same, and tracing is about seven times as fast.",
)
@exclude_option
@restart_option
@click.option(
    "--prune", is_flag=True, help="Delete shards whose programs are no longer in the input."
)
@quiet_option
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
    first: int | None,
    tokenizer: str | None,
    codec: str,
    max_tokens: int | None,
    min_steps: int,
    skip_determinism_check: bool,
    keep_non_deterministic: bool,
    isolation: Isolation,
    exclude: tuple[str, ...],
    restart: bool,
    prune: bool,
    python: str | None,
    limits: Limits,
) -> None:
    """Trace many programs, on one machine or a cluster.

    Keeps complete, deterministic, non-duplicate traces, and reports why the rest were dropped.
    PROGRAMS are .jsonl, .jsonl.gz or .parquet files with the columns code and call (and
    optionally id), folders of such files, or - for JSON lines on standard input. The traces are
    written to STORE as Parquet files that `worldline export` and trainers read, with the outcome
    of every program.

    If interrupted, run the same command again to resume. Works the same on a laptop, on a Ray
    cluster and in a Slurm array.
    """
    worker_rank = _rank(rank, world_size, is_alone=restart or prune)
    chosen = _runner(runner, address, workers)
    job = make_job(
        limits=limits,
        filters=TraceFilters(min_steps, max_tokens, skip_determinism_check, keep_non_deterministic),
        codec=codec,
        tokenizer=tokenizer,
        without=exclude,
        shard_programs=shard_programs,
        python=python,
        isolation=isolation,
    )
    _warn_of_missing(job)
    with (
        resumable(restart),
        _inputs(programs, first) as inputs,
        _trace_progress(Path(programs[0]).name) as on_progress,
    ):
        result = trace_programs(
            output,
            inputs,
            job,
            chosen,
            worker_rank=worker_rank,
            restart=restart,
            prune=prune,
            on_progress=on_progress,
        )
    click.echo(report_text(result))
    _finish(result, output)


@contextmanager
def _inputs(programs: Sequence[str], first: int | None) -> Iterator[Sequence[str]]:
    """The files to trace. Standard input and the first N programs are copied to a file."""
    if first is None and "-" not in programs:
        yield programs
        return
    with tempfile.TemporaryDirectory(prefix="worldline-trace-") as folder:
        # Programs without an id are named by their file: it has the same name every time.
        piped = Path(folder, "stdin.jsonl")
        if "-" in programs:
            with piped.open("w", encoding="utf-8") as file:
                shutil.copyfileobj(sys.stdin, file)
        files = [str(piped) if program == "-" else program for program in programs]
        if first is None:
            yield files
            return
        rows = chain.from_iterable(map(ProgramInputs, files))
        selected = Path(folder, "first.jsonl")
        with selected.open("w", encoding="utf-8") as file:
            for _, row, reason in islice(rows, first):
                file.write(f"{json.dumps(reason if row is None else row)}\n")
        yield [str(selected)]


def _rank(rank: int | None, world_size: int | None, *, is_alone: bool) -> Rank:
    if (rank is None) != (world_size is None):
        raise InputError("--rank and --world-size belong together")
    if rank is None or world_size is None:
        return Rank()
    if rank >= world_size:
        raise InputError(f"--rank must be 0 to {world_size - 1}, not {rank}")
    if is_alone:
        raise InputError("--restart and --prune cannot be used with --rank")
    return Rank(rank, world_size)


def _runner(name: Literal["local", "ray"], address: str | None, workers: int | None) -> Runner:
    if name == "ray":
        if address is None:
            click.echo(
                "worldline: Ray listens on all network interfaces while this runs; use it only in "
                "a trusted network",
                err=True,
            )
        return RayRunner(address, workers=workers if address else workers or usable_cores())
    if address is not None:
        raise InputError("--address is for --runner ray")
    return LocalRunner(workers or usable_cores())


def _warn_of_missing(job: TraceJob) -> None:
    """Warn of a missing C recorder, and of benchmarks that cannot be excluded."""
    warn_if_slow(job.recorder)
    for name, reason in job.decontamination.missing.items():
        click.echo(f"worldline: programs of {name} are not excluded: {reason}", err=True)


def _finish(result: TraceProgress, output: str) -> None:
    """Say what to do next. Exit with 1 if something is wrong with the store."""
    if result.pending_elsewhere:
        click.echo(
            f"other ranks have {pluralize(result.pending_elsewhere, 'shard')} to do", err=True
        )
        return
    if result.orphaned_shards:
        click.echo(
            f"worldline: {output} also has {pluralize(len(result.orphaned_shards), 'shard')} of "
            "programs that are not in the input (which has changed or is incomplete); --prune "
            "deletes these shards",
            err=True,
        )
        raise click.exceptions.Exit(1)
    if result.counts.outcomes["infra_error"]:
        click.echo(
            "worldline: the recorder failed on some programs; the reasons: "
            f"{_reasons_query(output)}",
            err=True,
        )
        raise click.exceptions.Exit(1)
    if result.counts.outcomes["unreadable"] or not result.counts.outcomes["kept"]:
        _print_reasons(output, result.counts)
    if not result.counts.outcomes["kept"]:
        click.echo(f"worldline: no trace was kept; all reasons: {_reasons_query(output)}", err=True)
        if result.counts.outcomes["unreadable"] == result.counts.programs:
            raise click.exceptions.Exit(1)
        return
    hint(f"next: worldline export {output} --tokenizer bpe:1024 -o EXPORT")


def _reasons_query(output: str) -> str:
    """The command that lists why programs were dropped."""
    query = "select id, outcome, detail from outcomes where outcome <> 'kept'"
    return f'worldline sql {output} "{query}"'


def _print_reasons(output: str, counts: OutcomeCounts) -> None:
    """Print why the first programs were dropped; if some were kept, only what is unreadable."""
    is_kept = bool(counts.outcomes["kept"])
    dropped = counts.outcomes["unreadable"] if is_kept else counts.programs
    location = open_location(output)
    rows = iterate_parts(location, outcome_files(location), columns=["id", "outcome", "detail"])
    chosen = (row for row in rows if row["outcome"] == "unreadable" or not is_kept)
    for row in islice(chosen, _SHOWN_REASONS):
        # The detail of an unreadable row names its line.
        parts = (row["id"], row["detail"]) if row["outcome"] != "unreadable" else (row["detail"],)
        text = ": ".join(part for part in parts if part)
        click.echo(f"  {row['outcome'].replace('_', ' ')}: {printable(text)}", err=True)
    if dropped > _SHOWN_REASONS:
        click.echo(f"  … and {dropped - _SHOWN_REASONS:,} more", err=True)


def report_text(result: TraceProgress) -> str:
    """Outcomes of all programs; the lines below the first add up to it."""
    counts = result.counts
    already_done = (
        f"; {result.already_done.programs:,} were done before"
        if result.already_done.programs
        else ""
    )
    lines = [
        f"{pluralize(counts.programs, 'program')} in "
        f"{pluralize(result.shards, 'shard')}{already_done}"
    ]
    lines += [
        f"  {number:>9,} {outcome.replace('_', ' ')}"
        for outcome, number in counts.outcomes.most_common()
    ]
    kept = counts.outcomes["kept"]
    if kept:
        tokens = f", {counts.tokens:,} tokens" if counts.tokens else ""
        lines.append(
            f"kept: {counts.steps:,} steps{tokens}, {counts.bytes / 1e6:,.1f} MB "
            f"({counts.bytes / counts.steps:.1f} bytes per step)"
        )
    if counts.expected:
        lines.append(f"{counts.agreeing:,} of {counts.expected:,} results are as expected")
    hours = counts.seconds / 3600
    time_taken = f"{hours:,.2f} hours" if hours >= 0.1 else f"{counts.seconds:,.0f} s"
    lines.append(f"{time_taken} of worker time")
    return "\n".join(lines)


@contextmanager
def _trace_progress(label: str) -> Iterator[Callable[[TraceProgress], None]]:
    """Report progress, shard by shard."""
    began = time.monotonic()
    with report_progress(label, None, state="starting") as reporter:

        def report(tracing: TraceProgress) -> None:
            numbers = progress_to_json(tracing, began)
            reporter.update(
                numbers["done"],
                total=numbers["about"],
                state=partial(_state, tracing.counts, numbers["programs_per_second"]),
                numbers=lambda: numbers,
            )

        yield report


def _state(counts: OutcomeCounts, rate: float) -> str:
    """ "1,180 kept · 12 time limit · 8 too long · 92/s": the most common outcomes, and the rate"""
    parts = [f"{n:,} {name.replace('_', ' ')}" for name, n in counts.outcomes.most_common(3)]
    return " · ".join([*parts, f"{rate:.0f}/s"])


def progress_to_json(tracing: TraceProgress, began: float) -> dict[str, Any]:
    """Return the progress as JSON data; the total, `about`, is estimated until all is read."""
    seconds = max(time.monotonic() - began, 1e-9)
    counts, fraction_done = tracing.counts, tracing.fraction_done
    new = counts.programs - tracing.already_done.programs
    about = round(counts.programs / fraction_done) if fraction_done else None
    return {
        "done": counts.programs,
        "about": about,
        "kept": counts.outcomes["kept"],
        "left_out": {name: n for name, n in counts.outcomes.items() if name != "kept"},
        "seconds": round(seconds, 1),
        "programs_per_second": round(new / seconds, 1),
        "seconds_left": round((about - counts.programs) * seconds / new, 1)
        if about and new
        else None,
    }
