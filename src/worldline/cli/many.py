"""`worldline record PROGRAMS.jsonl -o TRACES`: record many programs and keep their traces."""

from pathlib import Path

import click

from worldline.cli.progress import INTERRUPTED, counting, go_on
from worldline.errors import InputError
from worldline.predict import read_questions
from worldline.recorders import PythonRecorder
from worldline.runs import RecordingSummary, record_into, usable_cores
from worldline.trace import Limits

# Names that are said of programs whose result is not the expected one.
_NAMED = 5


def is_many(file: Path) -> bool:
    """Whether a file is one of many programs: a.jsonl, a.jsonl.gz"""
    return file.name.endswith((".jsonl", ".jsonl.gz"))


def refuse_options(**options: object) -> None:
    """Refuse what only makes sense for one program."""
    for name, value in options.items():
        if value:
            raise InputError(f"--{name} is for one program; the rows of a file have their own")


def say_if_slow(recorder: PythonRecorder) -> None:
    """Tell who has no recorder in C what that costs."""
    if recorder.method == "settrace":
        click.echo(
            "worldline: the recorder works in Python here, which takes some forty times as long "
            "over a step as in C: that part was not built for this interpreter (docs/recording.md)",
            err=True,
        )


def record_many(
    file: Path,
    output: str | None,
    limits: Limits,
    python: str | None,
    *,
    workers: int | None,
    is_restarted: bool,
) -> None:
    """Record the programs of a file into a folder, and say how that came out."""
    if output is None:
        raise InputError(f"{file} holds many programs: name a folder for their traces with -o")
    questions = list(read_questions(file))
    if not questions:
        raise InputError(f"no programs in {file}; each line must be one JSON object")
    with PythonRecorder(python=python) as recorder:
        say_if_slow(recorder)
    with counting("recording", len(questions)) as on_progress:
        summary = record_into(
            output,
            questions,
            limits=limits,
            python=python,
            workers=workers or usable_cores(),
            is_restarted=is_restarted,
            on_progress=on_progress,
        )
    click.echo(summary_text(summary))
    if summary.left:
        click.echo(f"stopped: {summary.left:,} are left; {go_on(is_restarted)}", err=True)
        raise click.exceptions.Exit(INTERRUPTED)
    if summary.failed:
        click.echo(
            f"the first that failed: {summary.first_failure}\n{go_on(is_restarted)} and tries them "
            "again",
            err=True,
        )
        raise click.exceptions.Exit(1)
    # A vocabulary that worldline train can use, unlike the one that is export's default.
    click.echo(f"next: worldline export {output} --tokenizer bpe:1024 -o EXPORT")


def summary_text(summary: RecordingSummary) -> str:
    """How the programs ended; all lines below the first add up to it."""
    lines = [f"{summary.programs:,} programs, {summary.steps:,} steps"]
    if summary.kept:
        lines[0] += f"; {summary.kept:,} were there already"
    lines += [
        f"  {count:>7,} {reason.replace('_', ' ')}"
        for reason, count in summary.endings.most_common()
    ]
    if summary.failed:
        lines.append(f"  {summary.failed:>7,} not recorded: the recorder failed")
    if summary.left:
        lines.append(f"  {summary.left:>7,} not recorded yet")
    if summary.expected:
        lines.append(f"{summary.agreeing:,} of {summary.expected:,} results are the expected ones")
    others = summary.disagreeing
    if others:
        more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
        lines.append(f"not as expected: {', '.join(others[:_NAMED])}{more}")
    return "\n".join(lines)
