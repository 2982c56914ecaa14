"""`worldline belief`: the hidden state of a game after observations, and its next observation."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from worldline.analysis.choices import Belief, Distribution, StatedScore, score_stated
from worldline.core.errors import InputError
from worldline.interfaces.api.hidden_belief import belief as find_belief
from worldline.interfaces.cli.console import output_console, write_result
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.program_options import game_options, output_option, read_program
from worldline.interfaces.cli.shared_options import format_option, python_option, quiet_option
from worldline.interfaces.report import belief_lines, stated_score_lines
from worldline.languages.python.recorder import parse_literal


@command(
    examples=(
        "worldline belief coins.py --call 'coins(3)' --observed \"'heads', 'heads'\"",
        "worldline belief coins.py --call 'coins(3)' --stated \"{'biased': 1}\"",
    )
)
@game_options
@click.option(
    "--observed",
    metavar="VALUES",
    default="",
    help="The observations so far: Python literals, separated by commas.",
)
@click.option(
    "--hidden",
    metavar="NAME",
    multiple=True,
    help="A hidden variable (repeatable).  [default: those that the program declares]",
)
@click.option(
    "--stated",
    metavar="DICT",
    help="Score these stated probabilities of the hidden state, a Python dictionary.",
)
@click.option(
    "--stated-next",
    metavar="DICT",
    help="Score these stated probabilities of the next observation.",
)
@format_option("text", "json")
@output_option
@quiet_option
@python_option
def belief(
    file: Path,
    call: str | None,
    stdin: Path | None,
    observed: str,
    hidden: tuple[str, ...],
    stated: str | None,
    stated_next: str | None,
    form: str,
    output: Path | None,
    python: str | None,
) -> None:
    """Compute what an observer of a game knows about its hidden state.

    A game is a generator function that yields observations; --call calls it. The program names its
    hidden variables: HIDDEN = "name". All plays that agree with the observations are executed in
    the sandbox. The result is the probability of each hidden state and of each next observation.
    """
    known = find_belief(
        read_program(file, call, stdin),
        observed=_literal(f"[{observed}]", "--observed"),
        hidden=hidden or None,
        python=python,
        import_from=[] if str(file) == "-" else [file.resolve().parent],
    )
    score = _score(known.state, stated, "--stated")
    next_score = _score(known.next_observation, stated_next, "--stated-next")
    if form == "json":
        write_result(json.dumps(_to_json(known, score, next_score)) + "\n", output)
        return
    with output_console(output) as console:
        lines = [*belief_lines(known, width=console.width)]
        for name, each in (("hidden state", score), ("next observation", next_score)):
            lines += [] if each is None else stated_score_lines(name, each)
        for line in lines:
            console.print(line, soft_wrap=True, markup=False, highlight=False)


def _score(exact: Distribution, stated: str | None, option: str) -> StatedScore | None:
    if stated is None:
        return None
    shares = _literal(stated, option)
    if not isinstance(shares, Mapping) or not all(
        type(share) in (int, float) for share in shares.values()
    ):
        raise InputError(
            f"{option} is not a dictionary of numbers; give \"{{'a': 0.5, 'b': 0.5}}\""
        )
    return score_stated(exact, {repr(value): share for value, share in shares.items()})


def _literal(text: str, option: str) -> Any:
    try:
        return parse_literal(text)
    except ValueError:
        raise InputError(
            f"{option}: {text} is not a Python literal; strings need quotes, as in \"'heads', 3\""
        ) from None


def _to_json(
    known: Belief, score: StatedScore | None, next_score: StatedScore | None
) -> dict[str, object]:
    def shares(distribution: Distribution) -> dict[str, list[int]]:
        return {
            text: [probability.numerator, probability.denominator]
            for text, probability in distribution.probabilities.items()
        }

    return {
        "hidden": list(known.hidden),
        "probability": [known.probability.numerator, known.probability.denominator],
        "state": shares(known.state),
        "next_observation": shares(known.next_observation),
        **({} if score is None else {"score": asdict(score)}),
        **({} if next_score is None else {"next_score": asdict(next_score)}),
    }
