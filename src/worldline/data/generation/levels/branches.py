"""Level `branches`: if, elif, else, boolean operators and early returns."""

import re

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.function_writer import write_single_function
from worldline.data.generation.grammar import CHOICES, LOGIC, NUMBERS, STRINGS, merge, select_types
from worldline.data.generation.identifiers import chance
from worldline.data.generation.statement_writers import GrammarWeights

_CONDITION = re.compile(r"\b(?:if|and|or|not) ")
_NUMBERS = merge(NUMBERS, LOGIC, select_types(CHOICES, ["int"]))
_STATEMENTS = ((6, "if"), (2, "return"), (2, "assign"), (2, "change"))
_SIZES = ((2, 1), (3, 2), (4, 3), (4, 4), (3, 6), (2, 9))
_NUMBERS_ONLY = GrammarWeights(
    templates=_NUMBERS,
    statements=_STATEMENTS,
    types=((6, "int"), (2, "bool")),
    parameters=((6, "int"), (1, "bool")),
    returns=((5, "int"), (3, "bool")),
    statement_counts=_SIZES,
    depth=2,
    required_statements=((3, "if"), (1, "return")),
)
_WITH_STRINGS = GrammarWeights(
    templates=merge(_NUMBERS, STRINGS, select_types(CHOICES, ["str"])),
    statements=_STATEMENTS,
    types=((2, "int"), (1, "bool"), (3, "str")),
    parameters=((2, "int"), (3, "str")),
    returns=((2, "int"), (1, "bool"), (4, "str")),
    statement_counts=_SIZES,
    depth=2,
    required_statements=((3, "if"), (1, "return")),
)


def write_branches(rng: SeededRandom) -> Program:
    """def f(x, y):  if x > y and x % 2 == 0:  …  else:  …"""
    # Statements that fail the dry run are dropped, sometimes the only condition.
    while True:
        program = write_single_function(rng, _WITH_STRINGS if chance(rng, 40) else _NUMBERS_ONLY)
        if _CONDITION.search(program.source):
            return program
