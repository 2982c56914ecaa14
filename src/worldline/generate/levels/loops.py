"""Loops over numbers, lists and strings, counted and conditional, nested at times."""

import re

from worldline.benchmarks.draws import Draws
from worldline.generate.compose import compose
from worldline.generate.forms import DICTS, LISTS, NUMBERS, STRINGS, only, together
from worldline.generate.statements import Palette
from worldline.generate.words import weighted
from worldline.trace import Program

_LOOP = re.compile(r"^ +(?:for|while) ", re.MULTILINE)
_STATEMENTS = ((6, "for"), (4, "while"), (2, "if"), (2, "assign"), (3, "change"))
_NEEDED = ((3, "for"), (2, "while"))
_SIZES = ((4, 1), (5, 2), (3, 3), (1, 4))
_NUMBERS = Palette(
    forms=NUMBERS,
    statements=_STATEMENTS,
    types=((1, "int"),),
    parameters=((3, "int"),),
    returns=((1, "int"),),
    sizes=_SIZES,
    depth=2,
    needed=_NEEDED,
)
_LISTS = Palette(
    forms=together(NUMBERS, only(LISTS, ["int", "bool", "ints"])),
    statements=_STATEMENTS,
    types=((2, "int"), (1, "ints")),
    parameters=((4, "ints"), (2, "int")),
    returns=((3, "int"), (2, "ints")),
    sizes=_SIZES,
    gathered=((3, "int"), (2, "ints")),
    depth=2,
    needed=_NEEDED,
)
_STRINGS = Palette(
    forms=together(NUMBERS, STRINGS),
    statements=_STATEMENTS,
    types=((1, "int"), (1, "str")),
    parameters=((4, "str"), (1, "int")),
    returns=((2, "int"), (3, "str")),
    sizes=_SIZES,
    gathered=((2, "int"), (4, "str")),
    depth=2,
    needed=_NEEDED,
)
_DICTS = Palette(
    forms=together(NUMBERS, STRINGS, only(DICTS, ["dict", "int", "bool"])),
    statements=_STATEMENTS,
    types=((2, "int"), (1, "str")),
    parameters=((3, "dict"), (2, "str")),
    returns=((2, "int"), (2, "dict")),
    sizes=_SIZES,
    gathered=((2, "int"), (2, "dict")),
    depth=2,
    needed=_NEEDED,
)


def loops(draws: Draws) -> Program:
    """def f(n):  total = 0  for i in range(n):  …  return total"""
    palettes = [(4, _NUMBERS), (4, _LISTS), (4, _STRINGS), (1, _DICTS)]
    # What does not work out is left out of a program, the only loop at times.
    while not _LOOP.search((found := compose(draws, weighted(draws, palettes))).source):
        pass
    return found
