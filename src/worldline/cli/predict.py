"""`worldline predict PROGRAMS --engine URL`: ask a model to imagine executions."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import get_args

import click

from worldline.cli.console import progress
from worldline.cli.engines import engine_maker
from worldline.cli.options import limit_options, python_option
from worldline.cli.record import read_program
from worldline.codecs import CODECS
from worldline.engines import Usage
from worldline.errors import InputError
from worldline.predict import (
    IN_FLIGHT,
    Finish,
    Mode,
    Question,
    Settings,
    read_questions,
)
from worldline.predict import (
    predict as predict_all,
)
from worldline.recorders import PythonRecorder
from worldline.runs import PredictionFile
from worldline.tokens import load_tokenizer
from worldline.trace import Limits

DEFAULTS = Settings()


@click.command()
@click.argument("programs", type=click.Path(path_type=Path))
@click.option("--call", help="The call to predict, as in 'f(1, 3)', where PROGRAMS is a .py file.")
@click.option(
    "--engine",
    required=True,
    envvar="WORLDLINE_ENGINE",
    metavar="URL",
    help="A server's address, transformers:FOLDER, or recorded:FILE [WORLDLINE_ENGINE].",
)
@click.option("--model", help="Which of the server's models.")
@click.option("--api-key", envvar="OPENAI_API_KEY", help="The server's key [OPENAI_API_KEY].")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("predictions.jsonl"),
    show_default=True,
    help="Write predictions here; what is there already is not asked again.",
)
@click.option("--restart", "is_restarted", is_flag=True, help="Begin the output anew.")
@click.option(
    "--mode",
    type=click.Choice(get_args(Mode)),
    default=DEFAULTS.mode,
    show_default=True,
    help="What is given and what the model writes.",
)
@click.option(
    "--codec",
    type=click.Choice(sorted(CODECS)),
    default=DEFAULTS.codec,
    show_default=True,
    help="The format: cwm, or chat for a general chat model.",
)
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=DEFAULTS.budget,
    show_default=True,
    help="Tokens behind the prompt, given or written.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(min=0),
    default=DEFAULTS.temperature,
    show_default=True,
    help="0 takes the likeliest token; more samples.",
)
@click.option(
    "--seed", type=int, default=DEFAULTS.seed, show_default=True, help="Of the first repeat."
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Ask so many times, each with a seed of its own.",
)
@click.option("--first", type=click.IntRange(min=1), help="Ask only about the first N programs.")
@click.option(
    "--from-step",
    type=click.IntRange(min=0),
    default=0,
    help="Begin behind so many steps of the true trace.",
)
@click.option(
    "--longest-value",
    type=click.IntRange(min=1),
    default=DEFAULTS.longest_value,
    show_default=True,
    help="Characters of a value in a guided state.",
)
@click.option(
    "--in-flight",
    type=click.IntRange(min=1),
    help=f"Programs asked about at a time  [default: {IN_FLIGHT}; 1 in this process]",
)
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), default=600.0, show_default=True,
    help="Seconds that one request may take.",
)  # fmt: skip
@click.option(
    "--patience", type=click.FloatRange(min=0), default=120.0, show_default=True,
    help="Seconds to go on asking a server that fails.",
)  # fmt: skip
@click.option(
    "--tokenizer",
    metavar="FILE",
    help="The model's tokenizer.json: split text here, which spares the server.",
)
@python_option
@limit_options
def predict(
    programs: Path,
    call: str | None,
    engine: str,
    model: str | None,
    api_key: str | None,
    output: Path,
    is_restarted: bool,
    mode: Mode,
    codec: str,
    budget: int,
    temperature: float,
    seed: int,
    repeats: int,
    first: int | None,
    from_step: int,
    longest_value: int,
    in_flight: int | None,
    timeout: float,
    patience: float,
    tokenizer: str | None,
    python: str | None,
    limits: Limits,
) -> None:
    """Ask a model to imagine how programs run, and write down what it says.

    PROGRAMS is a file of JSON lines with `id`, `code` and `call` (CRUXEval's `input` will do), or
    one .py file with --call. Stopped, it goes on where it was when the same command is given
    again. `worldline diagnose` reads what it writes.
    """
    if repeats > 1 and temperature == 0:
        raise InputError("without a --temperature every one of --repeats would be the same")
    settings = Settings(mode, codec, budget, temperature, seed, from_step, longest_value)
    questions = read_all(programs, call)[:first]
    kind, _, recording = engine.partition(":")
    for source in (programs, *([Path(recording)] if kind == "recorded" else [])):
        if output.exists() and source.exists() and output.samefile(source):
            raise InputError(f"{output} would be read and written at once; name another with -o")
    # What one program's steps left in the cache, those of another would drive out.
    most = in_flight or (1 if engine.startswith("transformers:") else IN_FLIGHT)
    make = engine_maker(engine, model=model, api_key=api_key, timeout=timeout, patience=patience)
    finishes: Counter[Finish] = Counter()
    usage = Usage()
    failure: str | None = None
    with PredictionFile(output, is_restarted=is_restarted) as file:
        file.expect(settings)
        every = [(q, repeat) for repeat in range(repeats) for q in questions]
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
                tokenizer=load_tokenizer(tokenizer) if tokenizer else None,
                in_flight=most,
            )
            with closing(asked):
                for prediction in asked if wanted else ():
                    file.add(prediction)
                    finishes[prediction.finish] += 1
                    failure = failure or prediction.error
                    usage += prediction.asked.usage if prediction.asked else Usage()
                    bar.advance(bar.task_ids[0])
    click.echo(summary(mode, finishes, usage))
    if failure is not None:
        click.echo(f"the first that failed: {failure}\nthe same command asks them again", err=True)
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
