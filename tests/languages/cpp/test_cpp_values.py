"""C++ values as text: parsing, equality and kinds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.languages.cpp import cpp_values as values
from worldline.languages.cpp.cpp_literals import parse_value
from worldline.languages.cpp.literal_text import quote, write_value


@pytest.mark.parametrize(
    ("actual", "predicted", "rule"),
    [
        ("{1, 2}", "std::vector<long>({(long)1, 2L})", "spelling"),
        ("{{1}, {}}", "std::vector<std::vector<int>>{std::vector<int>{1}, {}}", "spelling"),
        ('std::map{{"a", 1}}', '{{"a", 1}}', "spelling"),
        ('std::map{{"a", 1}}', 'std::map<std::string,long>({{"a", 1}})', "spelling"),
        ("std::unordered_set{1, 2}", "{2, 1}", "spelling"),
        ('std::tuple{1, "a"}', 'std::make_tuple(1, "a")', "spelling"),
        ('"a\\n"', 'std::string("a\\012")', "spelling"),
        ('"ab"', 'R"(ab)"', "spelling"),
        ("1.0", "1", "spelling"),
        ("nan", "NAN", "spelling"),
        ("std::nullopt", "nullptr", "spelling"),
        ("Point{.x = 1, .y = 2}", "Point{1, 2}", "spelling"),
        ("Color::red", "red", "spelling"),
        ("{0x7ffe0010, nullptr}", "{0x5555aaaa, nullptr}", "spelling"),
        ("<lambda>", "f", "opaque"),
        ("0x7ffe0010", "nullptr", "opaque"),
        ("<uninitialized>", "0", "opaque"),
        ('"abc… <cut: 500 characters>', '"abcdef"', "shortened"),
        ("union U{.a = 1, .b = {2}}", "{2}", "spelling"),
    ],
)
def test_values_that_are_the_same(actual: str, predicted: str, rule: str) -> None:
    comparison = values.compare_values(actual, predicted)
    assert (comparison.is_same, comparison.rule) == (True, rule)


@pytest.mark.parametrize(
    ("actual", "predicted"),
    [
        ("1", '"1"'),
        ("'a'", '"a"'),
        ("true", "1"),
        ("0.0", "-0.0"),
        ("{1, 2}", "{2, 1}"),
        ("{1}", "{1, 1}"),
        ("std::set{1, 2}", "{2, 3}"),
        ("std::set{1}", "std::map{{1, 2}}"),
        ("std::unordered_set{1, 2}", "{2, 2}"),
        ("Point{.x = 1}", "Line{.x = 1}"),
        ("Point{.x = 1}", "Point{.y = 1}"),
        ("nullptr", "0x7ffe0010"),
        ("{nullptr}", "{0x7ffe0010}"),
        ('"abc… <cut: 500 characters>', '"abd"'),
        ("union U{.a = 1, .b = {2}}", "{3}"),
        ("union U{.a = <uninitialized>, .b = {2}}", "{3}"),
        ("true", "True"),
    ],
)
def test_values_that_differ(actual: str, predicted: str) -> None:
    assert not values.compare_values(actual, predicted).is_same


@pytest.mark.parametrize(
    ("expected", "answer", "is_equal"),
    [
        ("(std::vector<long>({(long)1, (long)-2}))", "{1, -2}", True),
        ("std::vector<long>()", "{}", True),
        ("std::vector<long>(3, 7)", "{7, 7, 7}", True),
        ("0.0", "-0.0", True),
        ("1", "1u", True),
        ("0x10", "16", True),
        ("(long)4.5f", "4", True),
        ("(double)4.5f", "4.5", True),
        ("std::make_optional(3)", "3", True),
        ("1", '"1"', False),
        ("{1, 2}", "{2, 1}", False),
        ("1", "0 + 1", False),
        ('std::map<std::string,long>({{"a", 1}, {"b", 2}})', '{{"b", 2}, {"a", 1}}', True),
        ('std::map<std::string,long>({{"a", 1}, {"b", 2}})', '{{"b", 1}, {"a", 2}}', False),
        ('{{"a", 1}, {"b", 2}}', '{{"b", 2}, {"a", 1}}', False),
    ],
)
def test_answers(expected: str, answer: str, is_equal: bool) -> None:
    assert values.answers_equal(expected, answer) is is_equal


def test_a_reference_may_be_rounded() -> None:
    assert values.is_reference_of("{0.30000000000000004}", "std::vector<double>({0.3})")
    assert not values.is_reference_of("{0.31}", "std::vector<double>({0.3})")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ('"a"', "str"),
        ("'a'", "str"),
        ("-1", "int"),
        ("1.5", "float"),
        ("inf", "float"),
        ("true", "bool"),
        ("nullptr", "None"),
        ("void", "None"),
        ("std::nullopt", "None"),
        ("{}", "list"),
        ("std::map{}", "dict"),
        ("std::unordered_set{1}", "set"),
        ("std::pair{1, 2}", "tuple"),
        ("Point{.x = 1}", "object"),
        ("<lambda>", "object"),
        ("0x7ffe0010", "object"),
        ("", "missing"),
        ("{1, 2… <cut: more than 100 characters>", "list"),
        ("std::map{{1, 2… <cut: more than 100 characters>", "dict"),
    ],
)
def test_kinds(value: str, kind: str) -> None:
    assert values.value_kind(value) == kind


def test_the_first_difference_is_found_inside() -> None:
    leaf = values.first_leaf('{1, std::map{{"a", 2}}}', '{1, {{"a", 3}}}')
    assert (leaf.path, leaf.kind, leaf.actual, leaf.predicted) == ('[1]["a"]', "int", "2", "3")
    leaf = values.first_leaf("Point{.x = 1, .y = {2}}", "Point{.x = 1, .y = {3}}")
    assert (leaf.path, leaf.actual, leaf.predicted) == (".y[0]", "2", "3")
    leaf = values.first_leaf("std::map{{1, 2}, {3, 4}}", "std::map{{3, 5}, {1, 2}}")
    assert (leaf.path, leaf.actual, leaf.predicted) == ("[3]", "4", "5")
    assert values.first_leaf("{1}", "{1, 2}").path == ""
    assert values.string_items('{"a", std::map{{"b", 1}}}') == {'"a"', '"b"'}


@pytest.mark.parametrize(
    ("actual", "start", "may"),
    [
        ("{1, 2}", "{1", True),
        ("std::set{1}", "{1", True),
        ("{1, 2}", "{2", False),
        ("1", "12", False),
    ],
)
def test_starts_of_values(actual: str, start: str, may: bool) -> None:
    assert values.may_start_value(actual, start) is may


def test_literals_as_python_values() -> None:
    assert values.parse_literal('std::map{{"a", {1, 2.5}}}') == {"a": [1, 2.5]}
    assert values.parse_literal("std::tuple{true, nullptr, std::set{1}}") == (True, None, {1})
    for text in ("f(1)", "Point{.x = 1}", "<lambda>", "{1"):
        with pytest.raises(ValueError, match="not a literal"):
            values.parse_literal(text)


scalars = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8).map(quote),
    st.integers(-(2**63), 2**64).map(str),
    st.floats().map(repr),
    st.sampled_from(
        ["true", "false", "nullptr", "'a'", "'\\0'", "Color::red", "<lambda>", "0x7ffe0010"]
    ),
)


texts = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.builds(
            lambda prefix, items: f"{prefix}{{{', '.join(items)}}}",
            st.sampled_from(["", "std::set", "std::tuple", "std::unordered_set"]),
            st.lists(inner, max_size=3),
        ),
        st.builds(
            lambda prefix, pairs: f"{prefix}{{{', '.join(f'{{{k}, {v}}}' for k, v in pairs)}}}",
            st.sampled_from(["std::map", "std::unordered_map"]),
            st.lists(st.tuples(inner, inner), max_size=3),
        ),
        inner.map(lambda item: f"Point{{.x = {item}, .y = 1}}"),
        inner.map(lambda item: f"&{item}"),
    ),
    max_leaves=12,
)


@given(texts)
def test_writing_a_parsed_value_changes_nothing(text: str) -> None:
    node = parse_value(text)
    assert node is not None
    written = write_value(node)
    again = parse_value(written)
    assert again is not None
    assert write_value(again) == written
    assert values.compare_values(text, written).is_same
    assert values.canonical_value(text) == values.canonical_value(written)
    assert values.answers_equal(text, text)
