"""Strings: methods, slices, searching, splitting, joining, and building them letter by letter."""

from worldline.benchmarks.draws import Draws
from worldline.generate.compose import compose
from worldline.generate.forms import NUMBERS, PIECES, STRINGS, together
from worldline.generate.statements import Palette
from worldline.generate.words import weighted
from worldline.trace import Program

_FORMS = together(STRINGS, {"int": [(1, "<int> + <n>"), (1, "<int> * <j>")]})
_PLAIN = Palette(
    forms=_FORMS,
    statements=((6, "assign"), (5, "change"), (1, "swap")),
    types=((6, "str"), (2, "int"), (2, "bool")),
    parameters=((8, "str"), (1, "int")),
    returns=((5, "str"), (2, "int"), (3, "bool")),
    sizes=((3, 1), (4, 2), (4, 3), (4, 4), (3, 6), (2, 9), (1, 14)),
)
_PIECES = Palette(
    forms=together(_FORMS, PIECES),
    statements=((6, "assign"), (5, "change")),
    types=((4, "str"), (4, "strs"), (1, "int"), (1, "bool")),
    parameters=((4, "str"), (1, "strs")),
    returns=((3, "str"), (3, "strs"), (1, "int"), (1, "bool")),
    sizes=((1, 1), (3, 2), (4, 3), (4, 4), (2, 6), (1, 9)),
)
_BUILDING = Palette(
    forms=together(STRINGS, NUMBERS),
    statements=((5, "for"), (1, "while"), (2, "assign"), (2, "change"), (2, "if")),
    types=((5, "str"), (1, "int")),
    parameters=((6, "str"), (1, "int")),
    returns=((5, "str"), (1, "int")),
    sizes=((4, 1), (4, 2), (2, 3)),
    gathered=((6, "str"), (1, "int")),
    depth=2,
    needed=((4, "for"), (1, "while")),
)


def strings(draws: Draws) -> Program:
    """def f(s):  t = s.upper()[::-1]  …  return t.replace('A', 'b')"""
    return compose(draws, weighted(draws, [(5, _PLAIN), (3, _PIECES), (3, _BUILDING)]))
