"""Programs that differ in nothing but names and looks have one key, others have two."""

import pytest

from worldline.generate.normal import program_key, source_key
from worldline.trace import Program

SOURCE = """
def f(xs, k):
    total = 0
    for x in xs:
        if x > k:
            total += x
    return total
"""


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
def test_the_same_program(other: str) -> None:
    assert other != SOURCE
    assert source_key(other) == source_key(SOURCE)


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
def test_another_program(other: str) -> None:
    assert source_key(other) != source_key(SOURCE)


def test_annotations_of_a_class_may_be_its_fields() -> None:
    one, two = "class A:\n    x: int", "class A:\n    x: int\n    y: int"
    assert source_key(one) != source_key(two)


def test_names_that_are_not_its_own_are_kept() -> None:
    assert source_key("def f(x):\n    return len(x)") != source_key("def f(x):\n    return sum(x)")
    assert source_key("def f(x):\n    return x.upper()") != source_key(
        "def f(x):\n    return x.lower()"
    )
    # A name that is bound hides the function of that name.
    assert source_key("def f(len):\n    return len") == source_key("def f(x):\n    return x")


def test_keywords_follow_the_parameters_that_they_name() -> None:
    one = "def g(a, b=1):\n    return a - b\ndef f(x):\n    return g(x, b=2)"
    two = "def h(p, q=1):\n    return p - q\ndef f(y):\n    return h(y, q=2)"
    assert source_key(one) == source_key(two)
    assert source_key("def f(x):\n    return sorted(x, reverse=True)") != source_key(
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
def test_several_functions_name_what_is_theirs_as_they_like(one: str, two: str) -> None:
    assert source_key(one) == source_key(two)


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
def test_several_functions_that_differ(one: str, two: str) -> None:
    assert source_key(one) != source_key(two)


def test_the_call_counts_where_it_is_asked_for() -> None:
    one, two = Program("def f(a):\n    return a", "f(1)"), Program("def g(b): return b", "g(1)")
    assert program_key(one) == program_key(two)
    assert program_key(one) != program_key(Program(one.source, "f(2)"))


def test_what_is_no_program_has_a_key_as_well() -> None:
    assert source_key("def f(:") == source_key("def f(:\n") != source_key("def g(:")
    deep = "x = " + "-" * 5000 + "1"
    assert source_key(deep) == source_key(deep)
