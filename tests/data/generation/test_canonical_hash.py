"""Programs that differ only in names and layout have the same hash, others do not."""

import pytest

from worldline.core.trace import Program, parse_source
from worldline.data.generation import DecontaminationIndex
from worldline.data.generation.canonical_hash import hash_program, hash_source, statement_kinds
from worldline.data.generation.source_symbols import symbols_in_text, symbols_in_tree

SOURCE = """
def f(xs, k):
    total = 0
    for x in xs:
        if x > k:
            total += x
    return total
"""


def kinds_of(source: str) -> str:
    return statement_kinds(parse_source(source))


def symbols_of(source: str) -> str:
    tree = parse_source(source)
    assert tree is not None
    return symbols_in_tree(tree)


@pytest.mark.parametrize(
    "other",
    [
        SOURCE.replace("total", "t").replace("xs", "items").replace(" k", " limit"),
        SOURCE.replace("def f", "def solve").replace("    ", "  "),
        SOURCE.replace("total = 0", "total = 0  # so far\n"),
        SOURCE.replace("    total = 0", '    """Adds up."""\n    total = (0)'),
        SOURCE.replace("(xs, k)", "(xs: list[int], k: int) -> int"),
        SOURCE.replace("total = 0", "total: int = 0"),
        SOURCE.replace("for x in", "x: int\n    for x in"),
        SOURCE.replace("total", "sum"),
    ],
)
def test_equivalent_sources_have_the_same_hash(other: str) -> None:
    assert other != SOURCE
    assert hash_source(other) == hash_source(SOURCE)
    assert kinds_of(other) == kinds_of(SOURCE)
    assert symbols_of(other) == symbols_of(SOURCE)
    assert symbols_in_text(other) in (symbols_of(SOURCE), None)


@pytest.mark.parametrize(
    "other",
    [
        SOURCE.replace("x > k", "x >= k"),
        SOURCE.replace("total = 0", "total = 1"),
        SOURCE.replace("return total", "return x"),
        SOURCE.replace("x > k", "k > x"),
        SOURCE.replace("total += x", "total += abs(x)"),
        SOURCE.replace("total = 0", "total = False"),
    ],
)
def test_different_sources_have_different_hashes(other: str) -> None:
    assert hash_source(other) != hash_source(SOURCE)


def test_annotations_of_a_class_are_part_of_the_hash() -> None:
    one, two = "class A:\n    x: int", "class A:\n    x: int\n    y: int"
    assert hash_source(one) != hash_source(two)


def test_names_of_builtins_and_methods_are_part_of_the_hash() -> None:
    assert hash_source("def f(x):\n    return len(x)") != hash_source(
        "def f(x):\n    return sum(x)"
    )
    assert hash_source("def f(x):\n    return x.upper()") != hash_source(
        "def f(x):\n    return x.lower()"
    )
    # A bound name hides the built-in of that name.
    assert hash_source("def f(len):\n    return len") == hash_source("def f(x):\n    return x")


def test_keyword_arguments_are_renamed_with_their_parameters() -> None:
    one = "def g(a, b=1):\n    return a - b\ndef f(x):\n    return g(x, b=2)"
    two = "def h(p, q=1):\n    return p - q\ndef f(y):\n    return h(y, q=2)"
    assert hash_source(one) == hash_source(two)
    assert hash_source("def f(x):\n    return sorted(x, reverse=True)") != hash_source(
        "def f(x):\n    return sorted(x, key=True)"
    )


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("def f(a): return a\ndef g(a): return f(a)", "def f(a): return a\ndef g(b): return f(b)"),
        ("n = 1\ndef f(): return n", "m = 1\ndef h(): return m"),
        (
            "def f():\n  global n\n  n = 1\ndef g(): return n",
            "def f():\n  global m\n  m = 1\ndef g(): return m",
        ),
        (
            "class A:\n  def __init__(self, a): self.a = a\nx = A(a=1)\ndef f(a): return a",
            "class B:\n  def __init__(me, b): me.a = b\ny = B(b=1)\ndef f(c): return c",
        ),
        (
            "class A:\n  def m(self, a): return a\ndef f(a): return A().m(a=a)",
            "class A:\n  def m(self, b): return b\ndef f(a): return A().m(b=a)",
        ),
    ],
)
def test_functions_of_a_program_may_use_any_local_names(one: str, two: str) -> None:
    assert hash_source(one) == hash_source(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("def f(): return 1\ndef g(): return f()", "def f(): return 1\ndef g(): return g()"),
        ("m = 1\nn = 2\ndef f(): return n", "m = 1\nn = 2\ndef f(): return m"),
        ("def f(len): return len\ndef g(): return len", "def f(a): return a\ndef g(): return sum"),
        ("def f(x, key): sorted(x, key=key)", "def f(x, reverse): sorted(x, reverse=reverse)"),
        ("def f(x, key): x.sort(key=key)", "def f(x, reverse): x.sort(reverse=reverse)"),
        ("match f:\n  case A(a=1): pass", "match f:\n  case A(b=1): pass"),
    ],
)
def test_programs_of_several_functions_with_different_meaning_differ(one: str, two: str) -> None:
    assert hash_source(one) != hash_source(two)


def test_hash_program_includes_the_call() -> None:
    one, two = Program("def f(a):\n    return a", "f(1)"), Program("def g(b): return b", "g(1)")
    assert hash_program(one) == hash_program(two)
    assert hash_program(one) != hash_program(Program(one.source, "f(2)"))


def test_invalid_and_very_deep_sources_have_a_hash() -> None:
    assert hash_source("def f(:") == hash_source("def f(:\n") != hash_source("def g(:")
    deep = "x = " + "-" * 5000 + "1"
    assert hash_source(deep) == hash_source(deep)


def test_kinds_of_statements_have_their_nesting() -> None:
    inside = "if a:\n    b = 1\n    c: int\nelse:\n    match b:\n        case 1:\n            f()\n"
    assert kinds_of(inside) == "(If(Assign)(Match(match_case(Expr))))"
    behind = "if a:\n    pass\nb = 1\n"
    assert kinds_of(behind) == "(If(Pass)()Assign)"
    assert kinds_of("lambda: 1") == "(Expr)"
    # Not known.
    assert kinds_of("def f(:") == ""


@pytest.mark.parametrize("source", [SOURCE, SOURCE.replace("total", "t"), "def f(:", "x = 1"])
def test_an_index_finds_the_same_programs_with_kinds_and_symbols_as_without(source: str) -> None:
    indexed = (SOURCE, "x = 2")
    owners = {hash_source(each): "a" for each in indexed}
    symbols = frozenset(map(symbols_of, indexed))
    kinds = frozenset(
        pair
        for each in indexed
        for pair in ((symbols_of(each), kinds_of(each)), ("", kinds_of(each)))
    )
    program = Program(source, "f(1)")
    found = DecontaminationIndex(owners).owner(program)
    assert found == DecontaminationIndex(owners, kinds=kinds, symbols=symbols).owner(program)
    # Not known of a program of the index.
    kinds |= {("", "")}
    assert found == DecontaminationIndex(owners, kinds=kinds, symbols=symbols).owner(program)
    assert (found == "a") is ("return" in source)
