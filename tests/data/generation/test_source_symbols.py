"""Symbols that are read from a text are those of its syntax tree."""

import random
from typing import Any

import pytest

from tests.support.paths import PROGRAMS_FOLDER
from worldline.core.trace import parse_source
from worldline.data.generation import generate_programs
from worldline.data.generation.source_symbols import symbols_in_text, symbols_in_tree

# Numbers of annotations, comments and strings do not count; other numbers are written in a way
# that is not known before parsing.
SOURCES = [
    "x = 5",
    "x: int = 5",
    "x: 5",
    "x = [\n  1, 2\n]\nx[0]: 5 = 3",
    "(x): 5 = 3",
    "def f(a: 5):\n  return 1",
    "def f(a:\n  5):\n  return 1",
    "def f(a: [5], b: {6}) -> (7):\n  return 1",
    "def f(a, b) -> 5:\n  return 1",
    "def f(a=(1, [2]), *, b=3):\n  return a[1:2] + {1: 2}[1]",
    "class A(B, x=5):\n  y = 1\n  z: 6\n  w: 7 = 8",
    "async def f(a: 5):\n  return 1",
    "f = lambda x: 5",
    "f = [lambda x: 5, {6: lambda: 7}]",
    "f'{5}' '6'",
    "'5' '6' \"7\" r'8'",
    "'it\\'s 5'\nx = 6",
    "'''\n5 # ' \"\"\" '''\nx = 4",
    '"""5 \' \\""" 6"""\nx = 4',
    "x = 1 # 5 '",
    "x = 1 \\\n  + 2",
    "x = .5 + 1. + 1e3 + 0x10 + 1_000 + 2j + 00",
    "x = 1.50 + 0.25 + 0 + 10",
    "x = -1 - +2 % 3 * 4 ** 5 // 6 / 7",
    "x -= 1\nx += 2\nx %= 3",
    "x1 = a2.b3\ny = x1[4]",
    "x = [a for a in {1: 2}] + [*{3}] + [b[0] for b in [{c: c for c in [1]}]]",
    "del x[0], y['a']",
    "[a, b] = 1, 2",
    "if x: y = 5\nelse: y = 6",
    "if x:\n  y = 5\nelif z:\n  pass\nelse :  \n  y = 6",
    "match x:\n  case [1, {'a': 2}]:\n    pass",
    "print((y := 5))",
    "@g(5)\ndef f():\n  pass",
    "type = 5",
    "x = 1; y = 2",
    "x = 5 if y else 6",
    "x = 123456789012345678901234567890123456789012345678901234567890",
    "é = 5",
    "x = 'é' + 5",
    "x = True",
    "def f(a, /, b, *c, **d):\n  return a[...]",
]
# Up to Python 3.11 they are not valid.
TYPE_PARAMETERS = [
    "def f[T: (5)](a):\n  return 1",
    "class A[T: 5](B):\n  x = 1",
    "type X[T: (5)] = 6",
]


def check(source: str) -> bool:
    """Compare both ways to read the symbols; whether they are known from the text."""
    tree, symbols = parse_source(source), symbols_in_text(source)
    assert tree is None or symbols in (None, symbols_in_tree(tree))
    return symbols is not None


@pytest.mark.parametrize("source", [*SOURCES, *TYPE_PARAMETERS])
def test_the_symbols_of_a_text_are_those_of_its_tree(source: str) -> None:
    check(source)
    inside = source.replace("\n", "\n    ")
    check(f"def f(a):\n  if a:\n    {inside}")


@pytest.mark.parametrize("source", TYPE_PARAMETERS)
def test_type_parameters_are_not_read(source: str) -> None:
    assert symbols_in_text(source) is None


def test_the_symbols_of_most_programs_are_known(cruxeval: list[dict[str, Any]]) -> None:
    known = [check(row["code"]) for row in cruxeval]
    assert sum(known) > 0.9 * len(known)
    assert all(check(each.program.source) for each in generate_programs(count=200, seed=4))
    for path in PROGRAMS_FOLDER.glob("*.py"):
        check(path.read_text())


def test_the_symbols_of_joined_sources() -> None:
    draws = random.Random(1)
    for _ in range(3000):
        check("\n".join(draws.sample(SOURCES, draws.randint(2, 4))))


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_the_symbols_of_sources_with_another_character() -> None:
    draws = random.Random(2)
    known = 0
    for _ in range(20_000):
        source = draws.choice(SOURCES)
        place = draws.randrange(len(source) + 1)
        added = draws.choice("0123456789abf_.:,;'\"[](){}#\\ \n-+%=@$\t")
        known += check(source[:place] + added + source[place + draws.randint(0, 1) :])
    assert known > 1000
