"""`worldline rewrite`: rewrite a program into simpler steps."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import click

from worldline.core.errors import InputError
from worldline.core.language import missing_feature
from worldline.core.trace import Trace
from worldline.core.util.text import pluralize
from worldline.interfaces.cli.console import write_result
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.program_options import output_option, read_program
from worldline.interfaces.cli.shared_options import format_option, python_option, tokenizer_option
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.python.rewrite import (
    RewriteResult,
    compose_rewrites,
    rewrite_expressions,
    rewrite_strings,
    unchanged,
)
from worldline.models.codecs import STEP_CODECS, SpecialToken
from worldline.models.tokenizers import Tokenizer, count_segment_tokens, load_tokenizer


@command(
    examples=(
        "worldline rewrite best.py --expressions",
        "worldline rewrite best.py --strings --call \"best('abc')\" -o simpler.py",
    )
)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--expressions",
    "has_expressions",
    is_flag=True,
    help="Split expressions into one operation per line.",
)
@click.option(
    "--strings",
    "has_strings",
    is_flag=True,
    help="Replace string operations by loops over characters.",
)
@click.option(
    "--line",
    "lines",
    type=click.IntRange(min=1),
    metavar="N",
    multiple=True,
    help="Rewrite only this line (repeatable).",
)
@click.option(
    "--call", metavar="CALL", help="Execute both programs with this call and compare them."
)
@output_option
@format_option()
@tokenizer_option
@python_option
def rewrite(
    file: Path,
    has_expressions: bool,
    has_strings: bool,
    lines: tuple[int, ...],
    call: str | None,
    output: Path | None,
    form: str,
    python: str | None,
    tokenizer: str | None,
) -> None:
    """Rewrite a Python program into simpler steps with the same result.

    Code that cannot be rewritten safely is listed and left unchanged. With --call, both programs
    are executed in the sandbox, and their results, steps and tokens are compared. FILE may be -
    for standard input.
    """
    if not (has_expressions or has_strings):
        raise InputError("add --expressions, --strings, or both")
    if tokenizer and not call:
        raise InputError("--tokenizer counts the tokens of an execution: add --call")
    program = read_program(file, call, None)
    missing = missing_feature(program.language, "rewrite")
    if missing:
        raise InputError(f"{file}: {missing}; only Python programs can be rewritten")
    result = rewrite_text(
        program.source, has_expressions=has_expressions, has_strings=has_strings, lines=lines
    )
    text = json.dumps(asdict(result), indent=1) + "\n" if form == "json" else result.text
    write_result(text, output)
    click.echo(f"{pluralize(len(result.changed), 'line')} rewritten", err=True)
    for left in result.left:
        click.echo(f"not rewritten: line {left.line}, {left.what}: {left.why}", err=True)
    if call is not None:
        counter = load_tokenizer(tokenizer) if tokenizer else None
        folders = [] if str(file) == "-" else [file.resolve().parent]
        with PythonRecorder(python=python, import_from=folders) as recorder:
            before = recorder.record(program)
            after = recorder.record(replace(program, source=result.text))
        click.echo(cost_text(before, after, counter), err=True)
        if _ending(before) != _ending(after):
            raise InputError(
                f"the rewritten program differs: {_ending(before)} before, {_ending(after)} after; "
                "this is a bug in Worldline: please report it with the program"
            )


def rewrite_text(
    text: str, *, has_expressions: bool, has_strings: bool, lines: tuple[int, ...] = ()
) -> RewriteResult:
    """Rewrite a text in one way or both, strings first.

    Args:
        text: The source text.
        has_expressions: Rewrite expressions.
        has_strings: Rewrite string operations.
        lines: Rewrite only these lines; by default all.
    """
    chosen = frozenset(lines) or None
    result = rewrite_strings(text, lines=chosen) if has_strings else unchanged(text)
    if not has_expressions:
        return result
    numbers = None
    if chosen is not None:
        numbers = {n for n, origin in enumerate(result.origins, 1) if origin in chosen}
    return compose_rewrites(result, rewrite_expressions(result.text, lines=numbers))


def _ending(trace: Trace) -> str:
    return f"{trace.ending.reason} {trace.result or trace.ending.detail}"


def cost_text(before: Trace, after: Trace, counter: Tokenizer | None) -> str:
    """ "steps 12 → 40; tokens in cwm 410 → 1,400" """
    parts = [f"steps {len(before.steps):,} → {len(after.steps):,}"]
    if counter is not None:
        for name, codec in STEP_CODECS.items():
            a, b = (
                count_segment_tokens(codec.encode(t), SpecialToken, counter)
                for t in (before, after)
            )
            parts.append(f"tokens in {name} {a:,} → {b:,}")
    return "; ".join(parts)
