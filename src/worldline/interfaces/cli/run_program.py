"""`worldline run`: execute a program in which a model provides the values of some calls."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from worldline.core.errors import InputError
from worldline.core.trace import Limits, Program, Trace, trace_to_json
from worldline.interfaces.api.assumed_execution import replay_assumptions, run_with_assumptions
from worldline.interfaces.api.recording import read_trace_file
from worldline.interfaces.cli.console import hint, output_console, warn_if_slow, write_result
from worldline.interfaces.cli.engine_options import ModelAccess, access_options
from worldline.interfaces.cli.help_sections import command, section_option
from worldline.interfaces.cli.program_options import (
    LISTED,
    all_steps_option,
    output_option,
    program_options,
    read_program,
    recorder_option,
)
from worldline.interfaces.cli.shared_options import (
    format_option,
    limit_options,
    python_option,
    quiet_option,
)
from worldline.interfaces.report import assumption_lines, ending_text, print_line, trace_lines
from worldline.languages.python.recorder import Backend
from worldline.models.engines import NO_USAGE, Usage
from worldline.models.hybrid import HybridSettings

_DEFAULTS = HybridSettings()
_SETTINGS = (
    ("max_calls", "--max-assumed-calls", "Maximum number of assumed calls."),
    ("max_tokens", "--max-tokens", "Maximum completion tokens of one answer."),
    ("max_total_tokens", "--max-total-tokens", "Maximum tokens of prompts and answers together."),
    ("shown_steps", "--shown-steps", "Steps before the call that the model is shown."),
    ("temperature", "--temperature", "Sampling temperature; 0 is greedy decoding."),
    ("seed", "--seed", "Sampling seed."),
)


def _setting_options(function: Any) -> Any:
    for name, option, text in reversed(_SETTINGS):
        default = getattr(_DEFAULTS, name)
        kind = click.FloatRange(min=0) if isinstance(default, float) else click.IntRange(min=0)
        function = section_option(
            "Prediction",
            option,
            name,
            type=kind,
            metavar="N",
            default=default,
            show_default=True,
            help=text,
        )(function)
    return function


@command(
    examples=(
        "worldline run weather.py --call 'forecast(3)' --assume requests --engine URL",
        "worldline run quiz.py --assume input,missing --engine URL",
        "worldline run weather.py --call 'forecast(3)' --replay trace.json",
    )
)
@program_options
@click.option(
    "--assume",
    multiple=True,
    metavar="NAMES",
    help="Modules and functions that are not executed, comma-separated: `requests`, `time.time`, "
    "`input`, `missing` (modules that are not installed), `forbidden` (network and other "
    "programs).",
)
@click.option(
    "--replay",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Take the assumed values from this trace (--format json) instead of a model.",
)
@format_option("text", "json")
@output_option
@all_steps_option
@quiet_option
@partial(access_options, is_required=False)
@_setting_options
@python_option
@recorder_option
@limit_options
def run(
    file: Path,
    call: str | None,
    assume: tuple[str, ...],
    replay: Path | None,
    stdin: Path | None,
    form: str,
    output: Path | None,
    is_all: bool,
    python: str | None,
    backend: Backend | None,
    access: ModelAccess | None,
    limits: Limits,
    **settings: Any,
) -> None:
    """Execute a program; a model provides the values of calls that cannot run here.

    The program runs in the sandbox. Calls of the modules and functions in --assume are not
    executed: the model is asked for the value of each, and the execution continues with it.
    Nothing that the model writes is executed.
    """
    program = read_program(file, call, stdin)
    options: dict[str, Any] = {
        "python": python,
        "import_from": [] if str(file) == "-" else [file.resolve().parent],
        "backend": backend,
        "limits": limits,
    }
    usage = NO_USAGE
    if replay is not None:
        trace = replay_assumptions(_stored_trace(replay, program), **options)
    else:
        if access is None:
            raise InputError("no model to ask; add --engine URL, or --replay TRACE")
        execution = run_with_assumptions(
            program,
            assume=assume,
            engine=access.engine,
            settings=HybridSettings(**settings),
            on_call=lambda call: hint(f"assumed: {call.expression[:100]} → {call.value[:100]}"),
            **options,
        )
        trace, usage = execution.trace, execution.usage
    if backend is None:
        warn_if_slow(trace.origin.recorder)
    _write(trace, usage, form, output, is_all=is_all)
    sys.exit(int(trace.ending.reason in ("not_loaded", "assumption_failed")))


def _write(trace: Trace, usage: Usage, form: str, output: Path | None, *, is_all: bool) -> None:
    if form == "json":
        write_result(json.dumps(trace_to_json(trace)) + "\n", output)
        return
    with output_console(output) as console:
        for line in trace_lines(trace, width=console.width, limit=None if is_all else LISTED):
            print_line(console, line)
        console.print(ending_text(trace), soft_wrap=True)
        for line in assumption_lines(trace, width=console.width):
            print_line(console, line)
        if usage.requests:
            tokens = f"{usage.prompt:,} prompt and {usage.completion:,} completion tokens"
            console.print(f"{usage.requests:,} requests, {tokens}", soft_wrap=True)


def _stored_trace(path: Path, program: Program) -> Trace:
    """Read a trace, and check that it is one of the program."""
    trace = read_trace_file(path)
    if trace.program.hash != program.hash:
        raise InputError(
            f"{path} is a trace of another program or call; use its --call and --stdin, or run "
            "with --engine instead of --replay"
        )
    return trace
