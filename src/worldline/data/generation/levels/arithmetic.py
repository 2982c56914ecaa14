"""Level `arithmetic`: straight-line code with numbers, comparisons and small floats."""

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.function_writer import write_single_function
from worldline.data.generation.grammar import FLOATS, NUMBERS, merge
from worldline.data.generation.identifiers import chance
from worldline.data.generation.statement_writers import GrammarWeights

SIZES = ((1, 1), (2, 2), (3, 3), (3, 4), (3, 5), (3, 7), (2, 10), (2, 14), (1, 20))
_STATEMENTS = ((5, "assign"), (5, "change"), (1, "swap"))
_INTEGERS = GrammarWeights(
    templates=NUMBERS,
    statements=_STATEMENTS,
    types=((6, "int"), (1, "bool")),
    parameters=((1, "int"),),
    returns=((5, "int"), (4, "bool")),
    statement_counts=SIZES,
)
_WITH_FLOATS = GrammarWeights(
    templates=merge(NUMBERS, FLOATS),
    statements=_STATEMENTS,
    types=((3, "int"), (1, "bool"), (4, "float")),
    parameters=((3, "int"), (2, "float")),
    returns=((1, "int"), (2, "bool"), (4, "float")),
    statement_counts=SIZES,
)


def write_arithmetic(rng: SeededRandom) -> Program:
    """def f(x, y):  z = x * 3 - y  …  return z % 7"""
    return write_single_function(rng, _WITH_FLOATS if chance(rng, 22) else _INTEGERS)
