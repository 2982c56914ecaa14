"""Programs of our own to train and to test with: seeded, executed, balanced, told apart."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from worldline.generate.balance import Shortage
from worldline.generate.excluded import Excluded, load_excluded
from worldline.generate.facets import FACETS, bin_of
from worldline.generate.files import about_path, generate_file
from worldline.generate.levels import LEVELS, USUAL
from worldline.generate.making import Decision, Order, Progress, decide
from worldline.predict import Question


def generate_programs(
    *,
    count: int,
    seed: int = 0,
    levels: Sequence[str] = USUAL,
    balance: Sequence[str] = ("level",),
    without: Sequence[str | Path] = (),
    most_steps: int = 300,
    longest_value: int = 200,
    workers: int = 1,
) -> Iterator[Question]:
    """Random programs with calls, each executed: what it returns is known, and its facets.

    count=3, levels=["loops"] -> questions loops_0_000000, loops_0_000001, … with what they return

    None is in a benchmark, or in the files of `without`, under whatever names; no two are the same.
    The same arguments give the same programs on every Python and with any number of workers.
    Fewer than `count` where a cell of `balance` cannot be filled.
    """
    order = Order(count, seed, tuple(levels), tuple(balance), most_steps, longest_value)
    for decision in decide(order, load_excluded(without), workers=workers):
        if decision.question is not None:
            yield decision.question


__all__ = [
    "FACETS",
    "LEVELS",
    "USUAL",
    "Decision",
    "Excluded",
    "Order",
    "Progress",
    "Shortage",
    "about_path",
    "bin_of",
    "decide",
    "generate_file",
    "generate_programs",
    "load_excluded",
]
