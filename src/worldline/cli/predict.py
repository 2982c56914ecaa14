"""`worldline predict PROGRAMS --engine URL`: ask a model to imagine executions."""

from collections import Counter
from contextlib import closing
from pathlib import Path

import click

from worldline.cli.asking import Access, asking_options
from worldline.cli.console import progress
from worldline.cli.options import limit_options, python_option
from worldline.cli.progress import go_on
from worldline.cli.record import read_program
from worldline.engines import Usage
from worldline.errors import InputError
from worldline.predict import (
    Finish,
    Mode,
    Question,
    Settings,
    named_apart,
    read_questions,
)
from worldline.predict import (
    predict as predict_all,
)
from worldline.recorders import PythonRecorder
from worldline.runs import PredictionFile
from worldline.trace import Limits


@click.command()
@click.argument("programs", type=click.Path(path_type=Path))
@click.option("--call", help="The call to predict, as in 'f(1, 3)', where PROGRAMS is a .py file.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("predictions.jsonl"),
    show_default=True,
    help="Write predictions here; what is there already is not asked again.",
)
@click.option("--restart", "is_restarted", is_flag=True, help="Begin the output anew.")
@asking_options
@python_option
@limit_options
def predict(
    programs: Path,
    call: str | None,
    output: Path,
    is_restarted: bool,
    access: Access,
    settings: Settings,
    repeats: int,
    first: int | None,
    python: str | None,
    limits: Limits,
) -> None:
    """Ask a model to imagine how programs run, and write down what it says.

    PROGRAMS is a file of JSON lines with `id`, `code` and `call` (CRUXEval's `input` will do), or
    one .py file with --call. Stopped, it goes on where it was when the same command is given
    again. `worldline diagnose` reads what it writes.
    """
    questions = read_all(programs, call)[:first]
    every = list(named_apart((q, repeat) for repeat in range(repeats) for q in questions))
    kind, _, recording = access.engine.partition(":")
    for source in (programs, *([Path(recording)] if kind == "recorded" else [])):
        if output.exists() and source.exists() and output.samefile(source):
            raise InputError(f"{output} would be read and written at once; name another with -o")
    make = access.maker()
    finishes: Counter[Finish] = Counter()
    usage = Usage()
    failure: str | None = None
    with PredictionFile(output, is_restarted=is_restarted) as file:
        file.expect(settings)
        wanted = [(q, repeat) for q, repeat in every if not file.has(q, repeat)]
        if len(wanted) < len(every):
            click.echo(
                f"{len(every) - len(wanted)} of {len(every)} are in {output} already", err=True
            )
        # A program may import its neighbours.
        beside = [programs.resolve().parent] if programs.suffix == ".py" else []
        with (
            PythonRecorder(python=python, import_from=beside) as recorder,
            progress("asking", len(wanted)) as bar,
        ):
            asked = predict_all(
                wanted,
                make,
                recorder,
                settings=settings,
                limits=limits,
                tokenizer=access.load_tokenizer(),
                in_flight=access.most,
            )
            with closing(asked):
                for prediction in asked if wanted else ():
                    file.add(prediction)
                    finishes[prediction.finish] += 1
                    failure = failure or prediction.error
                    usage += prediction.asked.usage if prediction.asked else Usage()
                    bar.advance(bar.task_ids[0])
    click.echo(summary(settings.mode, finishes, usage))
    if failure is not None:
        click.echo(
            f"the first that failed: {failure}\n{go_on(is_restarted)} and asks them again", err=True
        )
    click.echo(f"next: worldline diagnose {output}")


def read_all(programs: Path, call: str | None) -> list[Question]:
    """The questions in a file of JSON lines, or the one about a Python file."""
    if programs.suffix == ".py":
        if call is None:
            raise InputError(f"{programs} is one program: give its call, as in --call 'f(1)'")
        return [Question(programs.stem, read_program(programs, call, None))]
    if call is not None:
        raise InputError("--call is for a .py file; the rows of a file have calls of their own")
    questions = list(read_questions(programs))
    if not questions:
        raise InputError(f"no programs in {programs}; each line must be one JSON object")
    return questions


def summary(mode: Mode, finishes: Counter[Finish], usage: Usage) -> str:
    """How the predictions came out, with what they took; failures are counted apart."""
    asked = sum(finishes.values())
    parts = [f"{finishes['stop']} ended", f"{finishes['length']} cut by the budget"]
    if mode == "score":
        # Nothing was written, so nothing can be cut.
        parts = [f"{finishes['stop'] + finishes['length']} scored"]
    parts.append(f"{finishes['error']} failed (not the model's doing)")
    tokens = f"{usage.written:,} tokens written in {usage.requests:,} requests"
    if usage.retries:
        tokens += f", {usage.retries:,} of them repeated"
    if usage.cached:
        tokens += f"; {usage.cached / usage.prompt:.0%} of {usage.prompt:,} prompt tokens cached"
    return f"{asked} asked: {', '.join(parts)}\n{tokens}"
