"""Level `containers`: lists, dicts, sets and tuples, created, changed in place and indexed."""

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.function_writer import write_single_function
from worldline.data.generation.grammar import (
    DICTS,
    LISTS,
    NUMBERS,
    PAIRS,
    PIECES,
    SETS,
    STRINGS,
    merge,
)
from worldline.data.generation.identifiers import weighted_choice
from worldline.data.generation.statement_writers import GrammarWeights

_STRAIGHT_LINE = ((3, "assign"), (8, "change"))
_WITH_LOOPS = ((3, "assign"), (6, "change"), (2, "for"), (1, "if"))
_SIZES = ((1, 1), (2, 2), (4, 3), (4, 4), (3, 6), (2, 8), (1, 12))
_LISTS = GrammarWeights(
    templates=merge(NUMBERS, LISTS),
    statements=_STRAIGHT_LINE,
    types=((4, "ints"), (2, "int"), (1, "bool")),
    parameters=((5, "ints"), (2, "int")),
    returns=((5, "ints"), (2, "int"), (1, "bool")),
    statement_counts=_SIZES,
)
_DICTS = GrammarWeights(
    templates=merge(NUMBERS, DICTS),
    statements=_STRAIGHT_LINE,
    types=((2, "dict"), (2, "int"), (1, "bool"), (1, "strs"), (1, "ints")),
    parameters=((5, "dict"), (2, "int")),
    returns=((6, "dict"), (2, "int"), (1, "bool"), (1, "strs"), (1, "ints")),
    statement_counts=_SIZES,
)
_LOOPS = GrammarWeights(
    templates=merge(NUMBERS, LISTS, DICTS),
    statements=_WITH_LOOPS,
    types=((2, "ints"), (2, "int"), (1, "dict")),
    parameters=((4, "ints"), (3, "dict"), (1, "int")),
    returns=((3, "ints"), (1, "int"), (3, "dict")),
    statement_counts=((2, 1), (4, 2), (4, 3), (2, 5)),
    accumulators=((2, "int"), (3, "ints"), (2, "dict")),
    depth=2,
    required_statements=((1, "for"),),
)
_SETS_AND_TUPLES = GrammarWeights(
    templates=merge(NUMBERS, LISTS, SETS, PAIRS),
    statements=_STRAIGHT_LINE,
    types=((2, "ints"), (2, "set"), (2, "pair"), (1, "int"), (1, "bool")),
    parameters=((3, "ints"), (2, "pair"), (1, "int"), (1, "set")),
    returns=((1, "ints"), (2, "set"), (3, "pair"), (1, "int"), (1, "bool")),
    statement_counts=((2, 1), (4, 2), (4, 3), (2, 4)),
)
_WORDS = GrammarWeights(
    templates=merge(STRINGS, PIECES, NUMBERS),
    statements=_WITH_LOOPS,
    types=((3, "strs"), (2, "str"), (1, "int")),
    parameters=((5, "strs"), (1, "str")),
    returns=((4, "strs"), (2, "str"), (1, "int")),
    statement_counts=((2, 1), (4, 2), (3, 3)),
    accumulators=((2, "strs"), (1, "str"), (1, "int")),
    depth=1,
)


def write_containers(rng: SeededRandom) -> Program:
    """def f(xs):  xs.append(3)  xs[0] = 7  …  return xs"""
    choices = [(5, _LISTS), (4, _DICTS), (3, _LOOPS), (2, _SETS_AND_TUPLES), (2, _WORDS)]
    return write_single_function(rng, weighted_choice(rng, choices))
