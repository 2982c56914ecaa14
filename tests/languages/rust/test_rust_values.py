"""Rust values as text: notation, kinds and equality."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.languages.rust import rust_values
from worldline.languages.rust.rust_literals import ValueNode, parse_value
from worldline.languages.rust.rust_value_text import write_value


@pytest.mark.parametrize(
    ("actual", "other"),
    [
        ("[1, 2]", "vec![1, 2]"),
        ("[1, 2]", "[1isize, 2_isize]"),
        ('["a"]', 'vec![String::from("a")]'),
        ('["a", "b"]', '["a".to_string(), "b".into()]'),
        ('{"a": 1, "b": 2}', 'HashMap::from([(String::from("b"), 2), (String::from("a"), 1)])'),
        ("{1, 2}", "{2, 1}"),
        ("{}", "HashMap::new()"),
        ("{}", "HashSet::<i32>::new()"),
        ("[]", "Vec::<Vec<String>>::new()"),
        ('""', "String::new()"),
        ("[0, 0, 0]", "vec![0; 3]"),
        ("(1,)", "(1 , )"),
        ("Some(3)", "Option::Some(3)"),
        ("Red", "Color::Red"),
        ("Point { x: 1, y: 2 }", "Point { y: 2, x: 1 }"),
        ("3", "Box::new(3)"),
        ("3", "&3"),
        ("NaN", "f64::NAN"),
        ("inf", "f64::INFINITY"),
        ("9223372036854775807", "isize::MAX"),
        ("-128", "i8::MIN"),
        ("[97, 10]", 'b"a\\n"'),
        ('"a\\n\\u{1}"', '"a\\x0a\\u{01}"'),
        ("1e16", "10000000000000000.0"),
        ("0.1", "0.10000000149011612"),
        ("0..3", "0 .. 3"),
        ('panic!("no")', 'panic!( "no" )'),
    ],
)
def test_values_are_the_same(actual: str, other: str) -> None:
    comparison = rust_values.compare_values(actual, other)
    assert comparison.is_same
    assert comparison.rule == "spelling"
    assert rust_values.answers_equal(actual, other)


@pytest.mark.parametrize(
    ("actual", "other"),
    [
        ("[1, 2]", "[2, 1]"),
        ("[1, 2]", "(1, 2)"),
        ("{1, 2}", "[1, 2]"),
        ('{"a": 1}', '{"a": 2}'),
        ('"a"', "'a'"),
        ('"1"', "1"),
        ("true", "1"),
        ("Some(3)", "3"),
        ("Some(3)", "None"),
        ("Ok(3)", "Err(3)"),
        ("0.0", "-0.0"),
        ("0.1", "0.2"),
        ("0.10000000149011612", "0.1"),
        ("(1,)", "1"),
        ("()", "(1,)"),
        ("Point { x: 1 }", "Point(1)"),
        ("Point { x: 1 }", "Other { x: 1 }"),
        ("[1]", "[1"),
        ("1", "<closure>"),
    ],
)
def test_values_are_not_the_same(actual: str, other: str) -> None:
    assert not rust_values.compare_values(actual, other).is_same


def test_what_cannot_be_predicted_matches_anything() -> None:
    for text in ("<closure>", "<dyn Shape>", "<Chars>", "<uninitialized>"):
        assert rust_values.is_opaque(text)
        assert rust_values.compare_values(text, "1").rule == "opaque"
    assert rust_values.compare_values("[1, <closure>]", "[1, f]").is_same
    assert not rust_values.compare_values("[1, <closure>]", "[2, f]").is_same
    assert not rust_values.is_opaque('"<a>"')


def test_a_shortened_value_is_compared_up_to_there() -> None:
    actual = "[1, 2… <cut: more than 5 characters>"
    assert rust_values.compare_values(actual, "vec![1, 2, 3]").rule == "shortened"
    assert not rust_values.compare_values(actual, "[2, 2, 3]").is_same


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        *(('"a"', "str"), ("'a'", "str"), ("-1", "int"), ("1.5", "float"), ("NaN", "float")),
        *(("true", "bool"), ("()", "None"), ("None", "None"), ("[1]", "list"), ("{1}", "set")),
        *(("{1: 2}", "dict"), ("{}", "dict"), ("(1, 2)", "tuple"), ("Some(1)", "object")),
        *(("P { x: 1 }", "object"), ("<closure>", "object"), ("", "missing"), ("[1… <", "list")),
    ],
)
def test_kinds(value: str, kind: str) -> None:
    assert rust_values.value_kind(value) == kind


def test_the_innermost_difference() -> None:
    leaf = rust_values.first_leaf(
        '[1, {"a": (2, Some(P { x: 3 }))}]', '[1, {"a": (2, Some(P { x: 4 }))}]'
    )
    assert (leaf.path, leaf.kind, leaf.actual, leaf.predicted) == (
        '[1]["a"].1.0.x',
        "int",
        "3",
        "4",
    )


def test_strings_and_python_values() -> None:
    assert rust_values.string_items('[("b", 1), ("c", 2)]') == {'"b"', '"c"'}
    assert rust_values.parse_literal('{"a": [1, None, Some(2.5)]}') == {"a": [1, None, 2.5]}
    with pytest.raises(ValueError, match="not a literal"):
        rust_values.parse_literal("f(1) + 2")


def test_a_reference_may_be_rounded() -> None:
    assert rust_values.is_reference_of("[0.30000000000000004]", "vec![0.3]")
    assert not rust_values.is_reference_of("[0.31]", "vec![0.3]")


NUMBERS = st.integers() | st.floats(allow_nan=False)
SCALARS = st.one_of(
    NUMBERS.map(lambda value: ValueNode("number", value)),
    st.text().map(lambda text: ValueNode("string", text)),
    st.characters().map(lambda char: ValueNode("char", char)),
    st.booleans().map(lambda value: ValueNode("boolean", value)),
    st.just(ValueNode("unit")),
)
NODES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: ValueNode("list", items=tuple(items))),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda items: ValueNode("tuple", items=tuple(items))
        ),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda items: ValueNode("set", items=tuple(items))
        ),
        st.lists(inner, max_size=2).map(
            lambda items: ValueNode("struct", name="A", items=tuple(items))
        ),
        st.lists(st.tuples(inner, inner), min_size=1, max_size=3).map(
            lambda pairs: ValueNode(
                "map", keys=tuple(a for a, _ in pairs), items=tuple(b for _, b in pairs)
            )
        ),
    ),
    max_leaves=8,
)


@given(NODES)
def test_what_is_written_is_read(node: ValueNode) -> None:
    text = write_value(node)
    assert parse_value(text) == node
    assert rust_values.canonical_value(text) == write_value(node, is_canonical=True)
