"""Tests and what follows from them: if, elif, else, and, or, not, early returns."""

import re

from worldline.benchmarks.draws import Draws
from worldline.generate.compose import compose
from worldline.generate.forms import CHOICES, LOGIC, NUMBERS, STRINGS, only, together
from worldline.generate.statements import Palette
from worldline.generate.words import chance
from worldline.trace import Program

_TEST = re.compile(r"\b(?:if|and|or|not) ")
_NUMBERS = together(NUMBERS, LOGIC, only(CHOICES, ["int"]))
_STATEMENTS = ((6, "if"), (2, "return"), (2, "assign"), (2, "change"))
_SIZES = ((2, 1), (3, 2), (4, 3), (4, 4), (3, 6), (2, 9))
_WHOLE = Palette(
    forms=_NUMBERS,
    statements=_STATEMENTS,
    types=((6, "int"), (2, "bool")),
    parameters=((6, "int"), (1, "bool")),
    returns=((5, "int"), (3, "bool")),
    sizes=_SIZES,
    depth=2,
    needed=((3, "if"), (1, "return")),
)
_WITH_STRINGS = Palette(
    forms=together(_NUMBERS, STRINGS, only(CHOICES, ["str"])),
    statements=_STATEMENTS,
    types=((2, "int"), (1, "bool"), (3, "str")),
    parameters=((2, "int"), (3, "str")),
    returns=((2, "int"), (1, "bool"), (4, "str")),
    sizes=_SIZES,
    depth=2,
    needed=((3, "if"), (1, "return")),
)


def branches(draws: Draws) -> Program:
    """def f(x, y):  if x > y and x % 2 == 0:  …  else:  …"""
    # What does not work out is left out of a program, the only test at times.
    while True:
        found = compose(draws, _WITH_STRINGS if chance(draws, 40) else _WHOLE)
        if _TEST.search(found.source):
            return found
