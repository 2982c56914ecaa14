"""Lists, dicts, sets and tuples: made, changed in place, taken apart and summed up."""

from worldline.benchmarks.draws import Draws
from worldline.generate.compose import compose
from worldline.generate.forms import DICTS, LISTS, NUMBERS, PAIRS, PIECES, SETS, STRINGS, together
from worldline.generate.statements import Palette
from worldline.generate.words import weighted
from worldline.trace import Program

_STRAIGHT = ((3, "assign"), (8, "change"))
_LOOPING = ((3, "assign"), (6, "change"), (2, "for"), (1, "if"))
_SIZES = ((1, 1), (2, 2), (4, 3), (4, 4), (3, 6), (2, 8), (1, 12))
_LISTS = Palette(
    forms=together(NUMBERS, LISTS),
    statements=_STRAIGHT,
    types=((4, "ints"), (2, "int"), (1, "bool")),
    parameters=((5, "ints"), (2, "int")),
    returns=((5, "ints"), (2, "int"), (1, "bool")),
    sizes=_SIZES,
)
_DICTS = Palette(
    forms=together(NUMBERS, DICTS),
    statements=_STRAIGHT,
    types=((2, "dict"), (2, "int"), (1, "bool"), (1, "strs"), (1, "ints")),
    parameters=((5, "dict"), (2, "int")),
    returns=((6, "dict"), (2, "int"), (1, "bool"), (1, "strs"), (1, "ints")),
    sizes=_SIZES,
)
_LOOPS = Palette(
    forms=together(NUMBERS, LISTS, DICTS),
    statements=_LOOPING,
    types=((2, "ints"), (2, "int"), (1, "dict")),
    parameters=((4, "ints"), (3, "dict"), (1, "int")),
    returns=((3, "ints"), (1, "int"), (3, "dict")),
    sizes=((2, 1), (4, 2), (4, 3), (2, 5)),
    gathered=((2, "int"), (3, "ints"), (2, "dict")),
    depth=2,
    needed=((1, "for"),),
)
_OTHERS = Palette(
    forms=together(NUMBERS, LISTS, SETS, PAIRS),
    statements=_STRAIGHT,
    types=((2, "ints"), (2, "set"), (2, "pair"), (1, "int"), (1, "bool")),
    parameters=((3, "ints"), (2, "pair"), (1, "int"), (1, "set")),
    returns=((1, "ints"), (2, "set"), (3, "pair"), (1, "int"), (1, "bool")),
    sizes=((2, 1), (4, 2), (4, 3), (2, 4)),
)
_WORDS = Palette(
    forms=together(STRINGS, PIECES, NUMBERS),
    statements=_LOOPING,
    types=((3, "strs"), (2, "str"), (1, "int")),
    parameters=((5, "strs"), (1, "str")),
    returns=((4, "strs"), (2, "str"), (1, "int")),
    sizes=((2, 1), (4, 2), (3, 3)),
    gathered=((2, "strs"), (1, "str"), (1, "int")),
    depth=1,
)


def containers(draws: Draws) -> Program:
    """def f(xs):  xs.append(3)  xs[0] = 7  …  return xs"""
    kinds = [(5, _LISTS), (4, _DICTS), (3, _LOOPS), (2, _OTHERS), (2, _WORDS)]
    return compose(draws, weighted(draws, kinds))
