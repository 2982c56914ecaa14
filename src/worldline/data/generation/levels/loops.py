"""Level `loops`: `for` and `while` loops over numbers, lists, strings and dicts."""

import re

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.function_writer import write_single_function
from worldline.data.generation.grammar import DICTS, LISTS, NUMBERS, STRINGS, merge, select_types
from worldline.data.generation.identifiers import weighted_choice
from worldline.data.generation.statement_writers import GrammarWeights

_LOOP = re.compile(r"^ +(?:for|while) ", re.MULTILINE)
_STATEMENTS = ((6, "for"), (4, "while"), (2, "if"), (2, "assign"), (3, "change"))
_REQUIRED = ((3, "for"), (2, "while"))
_SIZES = ((4, 1), (5, 2), (3, 3), (1, 4))
_NUMBERS = GrammarWeights(
    templates=NUMBERS,
    statements=_STATEMENTS,
    types=((1, "int"),),
    parameters=((3, "int"),),
    returns=((1, "int"),),
    statement_counts=_SIZES,
    depth=2,
    required_statements=_REQUIRED,
)
_LISTS = GrammarWeights(
    templates=merge(NUMBERS, select_types(LISTS, ["int", "bool", "ints"])),
    statements=_STATEMENTS,
    types=((2, "int"), (1, "ints")),
    parameters=((4, "ints"), (2, "int")),
    returns=((3, "int"), (2, "ints")),
    statement_counts=_SIZES,
    accumulators=((3, "int"), (2, "ints")),
    depth=2,
    required_statements=_REQUIRED,
)
_STRINGS = GrammarWeights(
    templates=merge(NUMBERS, STRINGS),
    statements=_STATEMENTS,
    types=((1, "int"), (1, "str")),
    parameters=((4, "str"), (1, "int")),
    returns=((2, "int"), (3, "str")),
    statement_counts=_SIZES,
    accumulators=((2, "int"), (4, "str")),
    depth=2,
    required_statements=_REQUIRED,
)
_DICTS = GrammarWeights(
    templates=merge(NUMBERS, STRINGS, select_types(DICTS, ["dict", "int", "bool"])),
    statements=_STATEMENTS,
    types=((2, "int"), (1, "str")),
    parameters=((3, "dict"), (2, "str")),
    returns=((2, "int"), (2, "dict")),
    statement_counts=_SIZES,
    accumulators=((2, "int"), (2, "dict")),
    depth=2,
    required_statements=_REQUIRED,
)


def write_loops(rng: SeededRandom) -> Program:
    """def f(n):  total = 0  for i in range(n):  …  return total"""
    choices = [(4, _NUMBERS), (4, _LISTS), (4, _STRINGS), (1, _DICTS)]
    # Statements that fail the dry run are dropped, sometimes the only loop.
    while True:
        program = write_single_function(rng, weighted_choice(rng, choices))
        if _LOOP.search(program.source):
            return program
