"""Equality of values: for each rule, pairs that are equal by it and pairs that are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.analysis.alignment import EQUALITY_RULES, compare_values, is_opaque
from worldline.languages.python.recorder.child.bounded_repr import ADDRESS
from worldline.languages.python.value_equality import may_start_value, without_addresses


@pytest.mark.parametrize(
    ("rule", "actual", "predicted"),
    [
        ("addresses", "<function f at 0x7f01>", "<function f at 0x55aa>"),
        ("addresses", "[<__main__.A object>]", "[<__main__.A object at 0x1>]"),
        ("addresses", "<Thread(T-1, started)>", "<Thread(T-1, started 139872345678912)>"),
        ("main module", "[<program.A object>]", "[<__main__.A object at 0x7f12>]"),
        ("main module", "(<class 'program.A'>, 'x')", "(<class '__main__.A'>, 'x')"),
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
def test_values_are_equal_by_the_rule(rule: str, actual: str, predicted: str) -> None:
    result = compare_values(actual, predicted)
    assert (result.is_same, result.rule) == (True, rule)


@pytest.mark.parametrize(
    ("actual", "predicted"),
    [
        ("<function f at 0x7f01>", "<function g at 0x7f01>"),
        ("<module 'math' (built-in)>", "<module 'cmath' (built-in)>"),
        ("<program.A object>", "<__main__.B object at 0x7f12>"),
        ("'<program.A object>'", "'<__main__.A object>'"),
        ("<program.A object>", "<other.A object>"),
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
        # A backslash at the end of a line continues the string literal.
        ("'a\\\n at 0xff'", "'a\\\n at 0x10'"),
        ("<Thread(T-1, started)>", "<Thread(T-2, started 139872)>"),
        ("'seed 123456789)>'", "'seed)>'"),
        ("'<zip object>'", "'<map object>'"),
        ("1", "1 # 2"),
        ("ﬁ(1)", "fi(1)"),
        ("1", "0x" + "f" * 5_000),
        ("1", "-" * 500 + "2"),
        ("1", "1" + "+1" * 900),
        # The name by which an object is hidden from the parser.
        ("'a'", "'object_61'"),
        ("{'<', 1}", "{1, 'object_3c'}"),
    ],
)
def test_values_are_not_equal(actual: str, predicted: str) -> None:
    assert not compare_values(actual, predicted).is_same


@pytest.mark.parametrize(
    "value",
    [
        "<f at 0x7f01>",
        "<function f at 0x7f0123456789>",
        "<__main__.A object at 0x7f0123456789>, 1]",
        "<bound method A.g of <__main__.A object at 0xFFFFFFFFFFFFFFFF>>",
        "<code object f at 0x7f0123456789, file 'a.py', line 1>",
        "<coroutine f at 0x7f01; 0x7f02>",
        "<_MainThread(MainThread, started 139872345678912)>",
        "<Thread(T-1, started daemon 139872345678912)>",
        "<lock object>",
        "<A(5)>",
    ],
)
def test_addresses_that_the_recorder_removes_are_ignored(value: str) -> None:
    """Every address that the recorder removes is ignored in a predicted value."""
    recorded = ADDRESS.sub("", value)
    assert without_addresses(value) == recorded
    assert without_addresses(recorded) == recorded


def test_addresses_of_any_length_are_ignored() -> None:
    """The recorder removes only possible addresses; a model may write any length."""
    for value in ("<f at 0x1>", "<f at 0x" + "7" * 30 + ">"):
        assert ADDRESS.sub("", value) == value
        assert without_addresses(value) == "<f>"


def test_every_rule_has_an_example() -> None:
    marks = test_values_are_equal_by_the_rule.pytestmark  # type: ignore[attr-defined]
    assert {row[0] for row in marks[0].args[1]} == {name for name, _ in EQUALITY_RULES}


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
def test_opaque_values(value: str, expected: bool) -> None:
    assert is_opaque(value) == expected
    if expected:
        assert compare_values(value, "anything").rule == "opaque"


@pytest.mark.parametrize(
    ("actual", "start", "expected"),
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
def test_may_start_value(actual: str, start: str, expected: bool) -> None:
    assert may_start_value(actual, start) == expected


def test_shortened_sets_are_equal_in_any_order() -> None:
    text = "{" + ", ".join(repr(f"k{i}") for i in range(3_000)) + "}"
    assert compare_values(text[:10_000] + "… <cut: 26890 characters>", text).rule == "shortened"


def test_shortened_values_are_compared_up_to_their_end() -> None:
    assert compare_values("'aaa… <cut: 900 characters>", "'aaabbbb'").rule == "shortened"
    assert not compare_values("'aaa… <cut: 900 characters>", "'aab'").is_same


literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=8,
)


@given(literals)
def test_a_value_equals_itself_without_a_rule(value: object) -> None:
    result = compare_values(repr(value), repr(value))
    assert (result.is_same, result.rule) == (True, None)


@given(literals, literals)
def test_values_with_different_texts_are_equal_only_if_python_says_so(a: object, b: object) -> None:
    if compare_values(repr(a), repr(b)).is_same:
        # Not of `ast.literal_eval`, which does not accept infinity.
        assert a == b
        assert type(a) is type(b)


@given(
    st.text("<>{}[]()#'\",:= a1b", max_size=24),
    st.sampled_from(["[1, 'a']", "{'a', 'b'}", "<A a>", "{<A>: 1}"]),
)
def test_any_text_can_be_compared(predicted: str, actual: str) -> None:
    assert isinstance(compare_values(actual, predicted).is_same, bool)
    assert isinstance(compare_values(actual, f"[{predicted}]").is_same, bool)


def test_text_behind_an_object_is_kept() -> None:
    assert not compare_values("[<A>, 1]", "[<A>a1, 1]").is_same
    assert compare_values("[<A>, {2, 1}]", "[<A>, {1, 2}]").is_same
