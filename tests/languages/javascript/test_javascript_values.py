"""Values of JavaScript: equality, kinds, and where two differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.languages.javascript import javascript_values as values
from worldline.languages.javascript.value_parser import parse_value, quote, write_value


@pytest.mark.parametrize(
    ("actual", "predicted", "rule"),
    [
        ("['a', 1]", '["a",1]', "spelling"),
        ("{a: 1}", "{ 'a': 1 }", "spelling"),
        ("new Map([['a', 1]])", "Map(1) { 'a' => 1 }", "spelling"),
        ("new Set([1, 2])", "Set(2) {1, 2}", "spelling"),
        ("1", "1.0", "spelling"),
        ("Promise {}", "Promise { <pending> }", "opaque"),
        ("'abc… <cut: 500 characters>", "'abcdef'", "shortened"),
    ],
)
def test_values_that_are_the_same(actual: str, predicted: str, rule: str) -> None:
    comparison = values.compare_values(actual, predicted)
    assert (comparison.is_same, comparison.rule) == (True, rule)


@pytest.mark.parametrize(
    ("actual", "predicted"),
    [
        ("1", "'1'"),
        ("null", "undefined"),
        ("0", "-0"),
        ("{a: 1, b: 2}", "{b: 2, a: 1}"),
        ("[1, 2]", "[2, 1]"),
        ("[1]", "new Set([1])"),
        ("Point {x: 1}", "{x: 1}"),
        ("1", "1n"),
        ("'abc… <cut: 500 characters>", "'abd'"),
        ("[Function: f]", "[Function: g]"),
        ("true", "True"),
    ],
)
def test_values_that_differ(actual: str, predicted: str) -> None:
    assert not values.compare_values(actual, predicted).is_same


@pytest.mark.parametrize(
    ("expected", "answer", "is_equal"),
    [
        ("{a: 1, b: 2}", '{"b": 2, "a": 1}', True),
        ("new Set([1, 2])", "new Set([2, 1])", True),
        ("0", "-0", True),
        ("[1]", "[1, ]", True),
        ("1", "'1'", False),
        ("[1, 2]", "[2, 1]", False),
        ("'-0'", "'0'", False),
        ("NaN", "NaN", True),
        ("1", "0 + 1", False),
    ],
)
def test_answers(expected: str, answer: str, is_equal: bool) -> None:
    assert values.answers_equal(expected, answer) is is_equal


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("'a'", "str"),
        ("-1", "int"),
        ("1.5", "float"),
        ("NaN", "float"),
        ("10n", "int"),
        ("true", "bool"),
        ("null", "None"),
        ("undefined", "None"),
        ("[]", "list"),
        ("{}", "dict"),
        ("new Map()", "dict"),
        ("new Set()", "set"),
        ("Point {x: 1}", "object"),
        ("[Function: f]", "object"),
        ("/a/g", "object"),
        ("", "missing"),
        ("[1, 2… <cut: more than 100 characters>", "list"),
    ],
)
def test_kinds(value: str, kind: str) -> None:
    assert values.value_kind(value) == kind


def test_the_first_difference_is_found_inside() -> None:
    leaf = values.first_leaf("[1, {a: 'x'}]", "[1, {a: 'y'}]")
    assert (leaf.path, leaf.kind, leaf.actual, leaf.predicted) == ("[1]['a']", "str", "'x'", "'y'")
    assert values.first_leaf("[1]", "[1, 2]").path == ""
    assert values.string_items("{a: ['b', 1]}") == {"'a'", "'b'"}


@pytest.mark.parametrize(
    ("actual", "start", "may"),
    [("[1, 2]", "[1", True), ("'ab'", '"a', True), ("[1, 2]", "[2", False), ("1", "12", False)],
)
def test_starts_of_values(actual: str, start: str, may: bool) -> None:
    assert values.may_start_value(actual, start) is may


scalars = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8).map(quote),
    st.integers(-(2**53), 2**53).map(str),
    st.sampled_from(["true", "false", "null", "undefined", "NaN", "-0", "1.5", "10n"]),
)
texts = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(inner, max_size=3).map(lambda items: f"new Set([{', '.join(items)}])"),
        st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3).map(
            lambda items: "{" + ", ".join(f"{k}: {v}" for k, v in items.items()) + "}"
        ),
    ),
    max_leaves=12,
)


@given(texts)
def test_writing_a_parsed_value_changes_nothing(text: str) -> None:
    node = parse_value(text)
    assert node is not None
    again = parse_value(write_value(node))
    assert again is not None
    assert write_value(again) == write_value(node)
    assert values.compare_values(text, write_value(node)).is_same
    assert values.answers_equal(text, text)
