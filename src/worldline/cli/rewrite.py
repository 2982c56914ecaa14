"""`worldline rewrite FILE --expressions --strings`: the same program in simpler steps."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import click

from worldline.cli.options import form_option, python_option, tokenizer_option
from worldline.cli.record import read_program
from worldline.codecs import STEP_CODECS, Special
from worldline.diagnose import count
from worldline.errors import InputError
from worldline.recorders import PythonRecorder
from worldline.rewrite import Rewritten, composed, rewrite_expressions, rewrite_strings, unchanged
from worldline.tokens import Tokenizer, count_pieces, load_tokenizer
from worldline.trace import Trace


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--expressions", "has_expressions", is_flag=True, help="One operation a line.")
@click.option(
    "--strings", "has_strings", is_flag=True, help="Operations on strings as loops over characters."
)
@click.option(
    "--line",
    "lines",
    type=click.IntRange(min=1),
    multiple=True,
    help="Rewrite only this line of the file; may be repeated.",
)
@click.option(
    "--call",
    help="A call to run with both programs, as in 'f(1, 3)': are they equal, what does it cost?",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
@form_option
@python_option
@tokenizer_option
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
    """Write a Python program in simpler steps that do the same, for a model to follow.

    What cannot be rewritten safely is left alone, and listed. With --call, both programs are run
    in a sandbox, and how many steps and tokens each takes is said.
    """
    if not (has_expressions or has_strings):
        raise InputError("say what to rewrite: --expressions, --strings, or both")
    if tokenizer and not call:
        raise InputError("--tokenizer counts the tokens of an execution: give its --call, too")
    program = read_program(file, call, None)
    found = rewritten(
        program.source, has_expressions=has_expressions, has_strings=has_strings, lines=lines
    )
    text = json.dumps(asdict(found), indent=1) + "\n" if form == "json" else found.text
    if output is None:
        click.echo(text, nl=False)
    else:
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {output}: {error}") from error
    click.echo(f"{count(len(found.changed), 'line')} rewritten", err=True)
    for left in found.left:
        click.echo(f"left alone, line {left.line}: {left.what}: {left.why}", err=True)
    if call is not None:
        counter = load_tokenizer(tokenizer) if tokenizer else None
        with PythonRecorder(python=python, import_from=[file.resolve().parent]) as recorder:
            before = recorder.record(program)
            after = recorder.record(replace(program, source=found.text))
        click.echo(cost_text(before, after, counter), err=True)
        if _ending(before) != _ending(after):
            raise InputError(
                f"the two are not equal: {_ending(before)} and {_ending(after)}; this is a mistake "
                "of ours, please report it with the program"
            )


def rewritten(
    text: str, *, has_expressions: bool, has_strings: bool, lines: tuple[int, ...] = ()
) -> Rewritten:
    """A text rewritten in one way or both, strings first; some lines of it, or all."""
    chosen = frozenset(lines) or None
    found = rewrite_strings(text, lines=chosen) if has_strings else unchanged(text)
    if not has_expressions:
        return found
    places = None
    if chosen is not None:
        places = {n for n, origin in enumerate(found.origins, 1) if origin in chosen}
    return composed(found, rewrite_expressions(found.text, lines=places))


def _ending(trace: Trace) -> str:
    return f"{trace.ending.reason} {trace.result or trace.ending.detail}"


def cost_text(before: Trace, after: Trace, counter: Tokenizer | None) -> str:
    """ "steps 12 → 40; tokens in cwm 410 → 1,400" """
    parts = [f"steps {len(before.steps):,} → {len(after.steps):,}"]
    if counter is not None:
        for name, codec in STEP_CODECS.items():
            a, b = (count_pieces(codec.encode(t), Special, counter) for t in (before, after))
            parts.append(f"tokens in {name} {a:,} → {b:,}")
    return "; ".join(parts)
