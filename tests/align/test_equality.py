"""When two values are the same: every rule with a pair that it makes equal and one it must not."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.align import RULES, compare, is_opaque
from worldline.align.equality import starts_alike


@pytest.mark.parametrize(
    ("rule", "true", "predicted"),
    [
        ("addresses", "<function f at 0x7f01>", "<function f at 0x55aa>"),
        ("addresses", "[<__main__.A object>]", "[<__main__.A object at 0x1>]"),
        ("module paths", "<module 'math' (built-in)>", "<module 'math' from '/usr/lib/math.so'>"),
        ("iterator names", "[<str_ascii_iterator object>, 1]", "[<str_iterator object>, 1]"),
        ("set order", "{3, 1, 2}", "{1, 2, 3}"),
        ("set order", "[{'b', 'a'}, 1]", "[{'a', 'b'}, 1]"),
        ("spelling", "['a', 1]", '["a",1]'),
        ("spelling", "'С'", "'\\u0421'"),
        ("spelling", "datetime.date(2020, 1, 1)", "datetime.date(2020,1,1)"),
        (
            "set order",
            "{frozenset({1, 9}), frozenset({2, 3})}",
            "{frozenset({3, 2}), frozenset({9, 1})}",
        ),
        ("set order", "{<A>, <B>}", "{<B>, <A>}"),
        (
            "set order",
            "defaultdict(<class 'set'>, {'a': {'x', 'y'}})",
            "defaultdict(<class 'set'>, {'a': {'y', 'x'}})",
        ),
    ],
)
def test_same_by_rule(rule: str, true: str, predicted: str) -> None:
    found = compare(true, predicted)
    assert (found.is_same, found.rule) == (True, rule)


@pytest.mark.parametrize(
    ("true", "predicted"),
    [
        ("<function f at 0x7f01>", "<function g at 0x7f01>"),
        ("<module 'math' (built-in)>", "<module 'cmath' (built-in)>"),
        ("[<str_iterator object>, 1]", "[<str_iterator object>, 2]"),
        ("{1, 2}", "{1, 3}"),
        ("[1, 2]", "[2, 1]"),
        ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"),
        ("1", "True"),
        ("1", "1.0"),
        ("0.0", "-0.0"),
        ("'1'", "1"),
        ("'a '", "'a'"),
        ("(1,)", "1"),
        ("[1]", "(1,)"),
        ("set()", "{}"),
        ("None", "'None'"),
        ("'<f at 0x1>x'", "'<f at 0x1>y'"),
        ("1.9", "1.9000000000000004"),
        ("'fault at 0xff'", "'fault at 0x10'"),
        ("'<zip object>'", "'<map object>'"),
        ("1", "1 # 2"),
        ("ﬁ(1)", "fi(1)"),
        ("1", "0x" + "f" * 5_000),
        ("1", "-" * 500 + "2"),
        ("1", "1" + "+1" * 900),
    ],
)
def test_not_the_same(true: str, predicted: str) -> None:
    assert not compare(true, predicted).is_same


def test_every_rule_has_an_example() -> None:
    marks = test_same_by_rule.pytestmark  # type: ignore[attr-defined]
    assert {row[0] for row in marks[0].args[1]} == {name for name, _ in RULES}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("<list_iterator object at 0x7f01>", True),
        ("<generator object f.<locals>.<genexpr>>", True),
        ("<unrenderable: ValueError>", True),
        ("<function f at 0x7f01>", False),
        ("<__main__.A object>", False),
        ("'<list_iterator object>'", False),
        ("1", False),
    ],
)
def test_opaque(value: str, expected: bool) -> None:
    assert is_opaque(value) == expected
    if expected:
        assert compare(value, "anything").rule == "opaque"


@pytest.mark.parametrize(
    ("true", "start", "expected"),
    [
        ("[1, 2]", "[1, ", True),
        ("[1, 2]", "[2", False),
        ("[1, 2]", "[1, 2, 3", False),
        ("{'b', 'a'}", "{'a", True),
        ("{'a': 1, 'b': 2}", "{'a': 1, 'b': 3", False),
        ("<program.A object>", "<program.A object at 0x7f", True),
        ("<str_ascii_iterator object>", "<str_iter", True),
        ("'ab… <cut: 900 characters>", "'abab", True),
        ("'ab… <cut: 900 characters>", "'ac", False),
    ],
)
def test_starting_alike(true: str, start: str, expected: bool) -> None:
    assert starts_alike(true, start) == expected


def test_a_long_set_that_was_cut_is_the_same_in_any_order() -> None:
    text = "{" + ", ".join(repr(f"k{i}") for i in range(3_000)) + "}"
    assert compare(text[:10_000] + "… <cut: 26890 characters>", text).rule == "cut"


def test_a_cut_value_is_compared_as_far_as_it_goes() -> None:
    assert compare("'aaa… <cut: 900 characters>", "'aaabbbb'").rule == "cut"
    assert not compare("'aaa… <cut: 900 characters>", "'aab'").is_same


literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=8,
)


@given(literals)
def test_a_value_is_the_same_as_itself_by_its_text(value: object) -> None:
    found = compare(repr(value), repr(value))
    assert (found.is_same, found.rule) == (True, None)


@given(literals, literals)
def test_values_of_different_text_are_the_same_only_if_equal(a: object, b: object) -> None:
    if compare(repr(a), repr(b)).is_same:
        assert ast.literal_eval(repr(a)) == ast.literal_eval(repr(b))
        assert type(a) is type(b)
