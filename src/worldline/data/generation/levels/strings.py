"""Level `strings`: methods, slices, splitting, joining, and loops that build a string."""

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.function_writer import write_single_function
from worldline.data.generation.grammar import NUMBERS, PIECES, STRINGS, merge
from worldline.data.generation.identifiers import weighted_choice
from worldline.data.generation.statement_writers import GrammarWeights

_FORMS = merge(STRINGS, {"int": [(1, "<int> + <n>"), (1, "<int> * <j>")]})
_STRAIGHT_LINE = GrammarWeights(
    templates=_FORMS,
    statements=((6, "assign"), (5, "change"), (1, "swap")),
    types=((6, "str"), (2, "int"), (2, "bool")),
    parameters=((8, "str"), (1, "int")),
    returns=((5, "str"), (2, "int"), (3, "bool")),
    statement_counts=((3, 1), (4, 2), (4, 3), (4, 4), (3, 6), (2, 9), (1, 14)),
)
_LISTS_OF_STRINGS = GrammarWeights(
    templates=merge(_FORMS, PIECES),
    statements=((6, "assign"), (5, "change")),
    types=((4, "str"), (4, "strs"), (1, "int"), (1, "bool")),
    parameters=((4, "str"), (1, "strs")),
    returns=((3, "str"), (3, "strs"), (1, "int"), (1, "bool")),
    statement_counts=((1, 1), (3, 2), (4, 3), (4, 4), (2, 6), (1, 9)),
)
_LOOPS = GrammarWeights(
    templates=merge(STRINGS, NUMBERS),
    statements=((5, "for"), (1, "while"), (2, "assign"), (2, "change"), (2, "if")),
    types=((5, "str"), (1, "int")),
    parameters=((6, "str"), (1, "int")),
    returns=((5, "str"), (1, "int")),
    statement_counts=((4, 1), (4, 2), (2, 3)),
    accumulators=((6, "str"), (1, "int")),
    depth=2,
    required_statements=((4, "for"), (1, "while")),
)


def write_strings(rng: SeededRandom) -> Program:
    """def f(s):  t = s.upper()[::-1]  …  return t.replace('A', 'b')"""
    return write_single_function(
        rng, weighted_choice(rng, [(5, _STRAIGHT_LINE), (3, _LISTS_OF_STRINGS), (3, _LOOPS)])
    )
