"""`worldline replay`: execute the program of a trace again, with the same choices."""

import json
import sys
from pathlib import Path

import click

from worldline.core.trace import Trace, difference, trace_to_json
from worldline.core.util.text import pluralize
from worldline.interfaces.api.choice_replay import replay as replay_trace
from worldline.interfaces.api.recording import read_trace_file
from worldline.interfaces.cli.console import output_console, write_result
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.program_options import (
    LISTED,
    all_steps_option,
    output_option,
    recorder_option,
)
from worldline.interfaces.cli.shared_options import format_option, python_option, quiet_option
from worldline.interfaces.report import choice_lines, ending_text, print_line, trace_lines
from worldline.languages.python.recorder import Backend


@command(
    examples=(
        "worldline record dice.py --call 'roll(3)' --format json -o trace.json",
        "worldline replay trace.json",
        "worldline replay trace.json --python python3.13",
    )
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@format_option("text", "json")
@output_option
@all_steps_option
@click.option(
    "--import-from",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="FOLDER",
    help="Folder that the program may import from (repeatable).",
)
@quiet_option
@python_option
@recorder_option
def replay(
    file: Path,
    form: str,
    output: Path | None,
    is_all: bool,
    import_from: tuple[Path, ...],
    python: str | None,
    backend: Backend | None,
) -> None:
    """Execute the program of a trace again, with the same choices.

    FILE is a trace (`worldline record --format json`). Random numbers, readings of the
    clock and the order of threads are those of the trace. Exits with 1 if the executions differ.
    """
    trace = read_trace_file(file)
    second = replay_trace(trace, python=python, import_from=import_from, backend=backend)
    if form == "json":
        write_result(json.dumps(trace_to_json(second)) + "\n", output)
    else:
        with output_console(output) as console:
            limit = None if is_all else LISTED
            for line in trace_lines(second, width=console.width, limit=limit):
                print_line(console, line)
            console.print(ending_text(second), soft_wrap=True)
            for line in choice_lines(second, width=console.width, limit=limit):
                print_line(console, line)
    click.echo(replay_text(trace, second), err=True)
    sys.exit(int(bool(difference(trace, second))))


def replay_text(trace: Trace, second: Trace) -> str:
    """Whether the second execution is the same, in one line."""
    different = difference(trace, second)
    notes = "".join(f"; {note}" for note in second.notes if note.startswith("replay: "))
    if different:
        return f"worldline: the execution differs from the trace: {different}{notes}"
    steps = pluralize(len(second.steps), "step")
    return f"the same execution: {steps}, {pluralize(len(second.choices), 'choice')}{notes}"
