"""Numbers in a straight line: sums, products, quotients, remainders, comparisons, small floats."""

from worldline.benchmarks.draws import Draws
from worldline.generate.compose import compose
from worldline.generate.forms import FLOATS, NUMBERS, together
from worldline.generate.statements import Palette
from worldline.generate.words import chance
from worldline.trace import Program

SIZES = ((1, 1), (2, 2), (3, 3), (3, 4), (3, 5), (3, 7), (2, 10), (2, 14), (1, 20))
_STATEMENTS = ((5, "assign"), (5, "change"), (1, "swap"))
_WHOLE = Palette(
    forms=NUMBERS,
    statements=_STATEMENTS,
    types=((6, "int"), (1, "bool")),
    parameters=((1, "int"),),
    returns=((5, "int"), (4, "bool")),
    sizes=SIZES,
)
_WITH_FLOATS = Palette(
    forms=together(NUMBERS, FLOATS),
    statements=_STATEMENTS,
    types=((3, "int"), (1, "bool"), (4, "float")),
    parameters=((3, "int"), (2, "float")),
    returns=((1, "int"), (2, "bool"), (4, "float")),
    sizes=SIZES,
)


def arithmetic(draws: Draws) -> Program:
    """def f(x, y):  z = x * 3 - y  …  return z % 7"""
    return compose(draws, _WITH_FLOATS if chance(draws, 22) else _WHOLE)
