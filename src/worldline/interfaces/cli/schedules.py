"""`worldline schedules`: all results of a program with threads or tasks, with their schedules."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from worldline.core.trace import Limits, schedule_text
from worldline.interfaces.api.schedule_outcomes import schedules as search_schedules
from worldline.interfaces.cli.console import output_console, write_result
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.program_options import output_option, program_options, read_program
from worldline.interfaces.cli.shared_options import format_option, python_option, quiet_option
from worldline.interfaces.report import schedule_lines
from worldline.languages.python.recorder import ScheduledOutcome, ScheduleSearch


@command(
    examples=(
        "worldline schedules counter.py --call 'count()'",
        "worldline schedules counter.py --call 'count()' --preemptions 3 --draws 1000",
        "worldline record counter.py --call 'count()' --schedule '0*5 1*2 2'",
    )
)
@program_options
@click.option(
    "--preemptions",
    type=click.IntRange(min=0),
    metavar="N",
    default=2,
    show_default=True,
    help="Execute all schedules with at most N preemptions (interruptions of a thread that could "
    "continue).",
)
@click.option(
    "--draws",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    help="Also execute N random schedules.",
)
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Seed of the random schedules.",
)
@click.option(
    "--max-executions",
    type=click.IntRange(min=1),
    metavar="N",
    default=20_000,
    show_default=True,
    help="Enumerate at most N schedules.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    default=120.0,
    show_default=True,
    help="Time limit of all executions together.",
)
@format_option("text", "json")
@output_option
@click.option("--all", "is_all", is_flag=True, help="List all outcomes.")
@quiet_option
@python_option
def schedules(
    file: Path,
    call: str | None,
    stdin: Path | None,
    preemptions: int,
    draws: int,
    seed: int,
    max_executions: int,
    seconds: float,
    form: str,
    output: Path | None,
    is_all: bool,
    python: str | None,
) -> None:
    """List all results of a program with threads or asyncio, and their schedules.

    Executes the program in the sandbox. One thread runs at a time. Another one can continue before
    each line of the program, and when a thread waits. Tasks of asyncio have virtual time, and the
    program may be too slow for a timer. A deadlock is a result, too. The result of a script is what
    it prints.
    """
    search = search_schedules(
        read_program(file, call, stdin),
        preemptions=preemptions,
        draws=draws,
        seed=seed,
        max_executions=max_executions,
        python=python,
        import_from=[] if str(file) == "-" else [file.resolve().parent],
        limits=Limits(seconds=seconds, cpu_seconds=int(seconds) + 2),
    )
    if form == "json":
        write_result(json.dumps(_to_json(search)) + "\n", output)
        return
    with output_console(output) as console:
        for line in schedule_lines(search, width=console.width, limit=None if is_all else 50):
            console.print(line, soft_wrap=True, markup=False, highlight=False)


def _to_json(search: ScheduleSearch) -> dict[str, object]:
    return {
        "bounds": asdict(search.bounds),
        "executions": search.executions,
        "is_complete": search.is_complete,
        "is_exhaustive": search.is_exhaustive,
        "outcomes": [_outcome_to_json(outcome) for outcome in search.outcomes],
    }


def _outcome_to_json(outcome: ScheduledOutcome) -> dict[str, object]:
    return asdict(outcome) | {"schedule": schedule_text(outcome.schedule)}
