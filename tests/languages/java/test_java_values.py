"""Values of Java: equality, kinds, and where two differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.languages.java import java_values as values
from worldline.languages.java.java_value_parser import parse_value
from worldline.languages.java.java_value_writer import quote, write_value


@pytest.mark.parametrize(
    ("actual", "predicted", "rule"),
    [
        ('["a", 1]', '["a",1]', "spelling"),
        ("[1, 2]", "List.of(1L, 2l)", "spelling"),
        ("[1, 2]", "new ArrayList<Long>(Arrays.asList((long)1l, (long)2l))", "spelling"),
        ("[1, 2]", "new int[]{1, 2}", "spelling"),
        ("[[1], []]", "(new int[][] {{1}, {}})", "spelling"),
        ('{"a"=1, "b"=2}', '{"b"=2, "a"=1}', "spelling"),
        ('{"a"=1}', 'new HashMap<String, Long>(Map.of("a", 1l))', "spelling"),
        ("Set[1, 2]", "new HashSet<>(Arrays.asList(2, 1))", "spelling"),
        ("Set[1, 2]", "{2, 1}", "spelling"),
        ('Optional["a"]', 'Optional.of("a")', "spelling"),
        ("Optional.empty", "Optional.empty()", "spelling"),
        ('Pair[1, "a"]', 'Pair.with(1l, "a")', "spelling"),
        ("0.5", "0.5f", "spelling"),
        ("1000000", "1_000_000", "spelling"),
        ('"é"', '"\\u00e9"', "spelling"),
        ("<lambda>", "anything", "opaque"),
        ('"abc… <cut: 500 characters>', '"abcdef"', "shortened"),
    ],
)
def test_values_that_are_the_same(actual: str, predicted: str, rule: str) -> None:
    comparison = values.compare_values(actual, predicted)
    assert (comparison.is_same, comparison.rule) == (True, rule)


@pytest.mark.parametrize(
    ("actual", "predicted"),
    [
        ("1", '"1"'),
        ("1", "1.0"),
        ("'a'", '"a"'),
        ("0.0", "-0.0"),
        ("[1, 2]", "[2, 1]"),
        ("[1]", "Set[1]"),
        ("Point[x=1]", "Point{x=1}"),
        ("Point[x=1]", "Point[x=2]"),
        ("Color.RED", "Color.GREEN"),
        ('"abc… <cut: 500 characters>', '"abd"'),
        ('new StringBuilder("a")', '"a"'),
        ("true", "True"),
        ("{}", "Set[]"),
    ],
)
def test_values_that_differ(actual: str, predicted: str) -> None:
    assert not values.compare_values(actual, predicted).is_same


@pytest.mark.parametrize(
    ("expected", "answer", "is_equal"),
    [
        ("5.0", "5", True),
        ('"a"', '("a")', True),
        ("{1=[2]}", "Map.of(1, List.of(2))", True),
        ("NaN", "Double.NaN", True),
        ("1", '"1"', False),
        ("[1, 2]", "[2, 1]", False),
        ('"1.0"', '"1"', False),
        ("1", "0 + 1", False),
    ],
)
def test_answers(expected: str, answer: str, is_equal: bool) -> None:
    assert values.answers_equal(expected, answer) is is_equal


def test_a_reference_may_be_rounded() -> None:
    assert values.is_reference_of("[0.30000000000000004]", "List.of(0.3)")
    assert not values.is_reference_of("[0.31]", "List.of(0.3)")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ('"a"', "str"),
        ("'a'", "str"),
        ("-1", "int"),
        ("1.5E10", "float"),
        ("NaN", "float"),
        ("true", "bool"),
        ("null", "None"),
        ("[]", "list"),
        ("{}", "dict"),
        ("Set[]", "set"),
        ('"a"=1', "tuple"),
        ("Pair[1, 2]", "tuple"),
        ("Point[x=1]", "object"),
        ("Node{next=null}", "object"),
        ("Color.RED", "object"),
        ('new IllegalStateException("no")', "object"),
        ("<lambda>", "object"),
        ("", "missing"),
        ("[1, 2… <cut: more than 100 characters>", "list"),
    ],
)
def test_kinds(value: str, kind: str) -> None:
    assert values.value_kind(value) == kind


def test_the_first_difference_is_inside() -> None:
    leaf = values.first_leaf('[1, {"a"=Point[x="x"]}]', '[1, {"a"=Point[x="y"]}]')
    assert leaf.path == '[1]["a"].x'
    assert (leaf.kind, leaf.actual, leaf.predicted) == ("str", '"x"', '"y"')
    assert values.first_leaf("[1]", "[1, 2]").path == ""
    assert values.string_items('{"a"=["b", 1]}') == {'"a"', '"b"'}
    assert values.parse_literal('{"a"=[1, null]}') == {"a": [1, None]}


@pytest.mark.parametrize(
    ("actual", "start", "may"),
    [("[1, 2]", "[1", True), ('"ab"', '"a', True), ("[1, 2]", "[2", False), ("1", "12", False)],
)
def test_starts_of_values(actual: str, start: str, may: bool) -> None:
    assert values.may_start_value(actual, start) is may


scalars = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8).map(quote),
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.sampled_from(["true", "null", "NaN", "-0.0", "1.5", "'a'", "'\\''", "Color.RED"]),
)
texts = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(inner, max_size=3).map(lambda items: f"Set[{', '.join(items)}]"),
        st.lists(st.tuples(scalars, inner), max_size=3).map(
            lambda items: "{" + ", ".join(f"{key}={value}" for key, value in items) + "}"
        ),
        inner.map(lambda item: f"Optional[{item}]"),
        inner.map(lambda item: f"Point[x={item}, y=1]"),
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


def test_identity_hashes_are_not_compared() -> None:
    for actual, predicted in (
        ('"A@3eb1f2c"', '"A@12ab34"'),
        ('["x", "pkg.Node$Inner@1b6d3586"]', '["x", "pkg.Node$Inner@74a14482"]'),
        ('"[I@1b6d3586 end"', '"[I@00ff00 end"'),
    ):
        comparison = values.compare_values(actual, predicted)
        assert (comparison.is_same, comparison.rule) == (True, "addresses")
        assert values.canonical_value(actual) == values.canonical_value(predicted)
        assert values.results_equal(actual, predicted)
    for actual, predicted in (
        ('"A@3eb1f2c"', '"B@3eb1f2d"'),
        ('"bob@cafe"', '"bob@face"'),
        ('"A@3eb1f2c"', '"A@hash"'),
        ('"x A@3eb1f2c"', '"y A@3eb1f2c"'),
    ):
        assert not values.compare_values(actual, predicted).is_same
