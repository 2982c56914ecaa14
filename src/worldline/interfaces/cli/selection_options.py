"""Options of commands that choose programs for the next training."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from worldline.data.curriculum import SELECTIONS

Command = TypeVar("Command", bound=Callable[..., Any])


def count_option(command: Command) -> Command:
    """`--count`: the number of programs to choose."""
    return click.option(
        "--count",
        type=click.IntRange(min=1),
        metavar="N",
        default=1000,
        show_default=True,
        help="Number of programs to choose; for `improve`, in each round.",
    )(command)


def known_option(command: Command) -> Command:
    """`--known`: the share of programs against forgetting."""
    return click.option(
        "--known",
        type=click.FloatRange(0, 1),
        metavar="SHARE",
        default=0.2,
        show_default=True,
        help="Share of programs that the model is expected to predict right, against forgetting.",
    )(command)


def select_option(command: Command) -> Command:
    """`--select`: how programs are chosen."""
    return click.option(
        "--select",
        type=click.Choice(SELECTIONS),
        default="curriculum",
        show_default=True,
        help="Choose programs by the operations that the model predicts wrong, by its "
        "log-probabilities of their traces (likelihood), or at random, to compare with.",
    )(command)
