"""Values of Go as text: equality, kinds and leaves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.language import Leaf
from worldline.languages.go import go_values
from worldline.languages.go.go_strings import quote, unescape
from worldline.languages.go.go_value_parser import parse_value
from worldline.languages.go.go_value_writer import write_value


@pytest.mark.parametrize(
    ("actual", "predicted"),
    [
        ("[]int{1, 2}", "[]int{1,2}"),
        ("[]int{1, 2}", "[]int64{1, 2}"),
        ("[][]int{{1}, nil}", "[][]int{[]int{1}, []int(nil)}"),
        ('map[string]int{"a": 1, "b": 2}', 'map[string]int{"b": 2, "a": 1}'),
        ("[]rune{97}", "[]rune{'a'}"),
        ("[]byte{97, 98}", '[]byte("ab")'),
        ('"a\\n"', '"a\\x0a"'),
        ('"a"', "`a`"),
        ("1.0", "1"),
        ("int64(5)", "5"),
        ("NaN", "math.NaN()"),
        ("+Inf", "math.Inf(1)"),
        ("nil", "(*Node)(nil)"),
        ("[]int(nil)", "nil"),
        ("Point{X: 1, Y: 2}", "Point{1, 2}"),
        ("[]Point{{X: 1}}", "[]Point{Point{X: 1}}"),
        ("<func>", "0x4a1b20"),
        ("<chan int>", "anything"),
        ('errors.New("a")', 'fmt.Errorf("a")'),
        ("(1, nil)", "(1,nil)"),
        ("[]int{1, 2}", "[1 2]"),
        ("[]string{… <cut: more than 9 characters>", '[]string{"abc"}'),
    ],
)
def test_values_that_are_the_same(actual: str, predicted: str) -> None:
    assert go_values.compare_values(actual, predicted).is_same


@pytest.mark.parametrize(
    ("actual", "predicted"),
    [
        ("[]int{1, 2}", "[]int{2, 1}"),
        ("[]int{}", "[]int(nil)"),
        ('"1"', "1"),
        ("0.0", "-0.0"),
        ("0.1", "0.10000000000000002"),
        ('map[string]int{"a": 1}', 'map[string]int{"a": 2}'),
        ("&Point{X: 1}", "Point{X: 1}"),
        ("Point{X: 1}", "Point{X: 2}"),
        ('errors.New("a")', 'errors.New("b")'),
        ("(1, nil)", "(1, 2)"),
        ("true", "false"),
        ("nil", "0"),
    ],
)
def test_values_that_are_not(actual: str, predicted: str) -> None:
    assert not go_values.compare_values(actual, predicted).is_same


def test_answers_are_compared_as_go_prints_them() -> None:
    assert go_values.answers_equal("[]int{}", "[]int(nil)")
    assert go_values.is_reference_of("[]float64{0.1}", "[]float64{0.10000000001}")
    assert not go_values.is_reference_of("[]float64{0.1}", "[]float64{0.2}")
    assert not go_values.answers_equal('"1"', "1")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ('"a"', "str"),
        ("-1", "int"),
        ("1.5", "float"),
        ("true", "bool"),
        ("nil", "None"),
        ("[]int(nil)", "list"),
        ("[2]bool{true, false}", "list"),
        ("map[string]int{}", "dict"),
        ("map[string]int{… <cut: more than 9 characters>", "dict"),
        ("(1, nil)", "tuple"),
        ("Point{X: 1}", "object"),
        ("&Point{X: 1}", "object"),
        ("<func>", "object"),
        ("", "missing"),
    ],
)
def test_kinds(value: str, kind: str) -> None:
    assert go_values.value_kind(value) == kind


@pytest.mark.parametrize(
    ("actual", "predicted", "leaf"),
    [
        ("[]int{1, 2}", "[]int{1, 3}", Leaf("[1]", "int", "2", "3")),
        (
            'map[string][]int{"a": {1}, "b": {2}}',
            'map[string][]int{"b": {3}, "a": {1}}',
            Leaf('["b"][0]', "int", "2", "3"),
        ),
        ("&P{X: 1, Y: nil}", "&P{X: 1, Y: 2}", Leaf(".Y", "None", "nil", "2")),
        ("(1, true)", "(1, false)", Leaf("[1]", "bool", "true", "false")),
        ("[]int{1}", "[]int{1, 2}", Leaf("", "list", "[]int{1}", "[]int{1, 2}")),
        ("1", "x y", Leaf("", "int", "1", "x y")),
    ],
)
def test_leaves(actual: str, predicted: str, leaf: Leaf) -> None:
    assert go_values.first_leaf(actual, predicted) == leaf


def test_literals_become_python_values() -> None:
    text = 'map[string][]any{"a": {1, 2.5, nil, true, "x"}}'
    assert go_values.parse_literal(text) == {"a": [1, 2.5, None, True, "x"]}
    assert go_values.string_items(text) == {'"a"', '"x"'}
    for other in ("Point{X: 1}", "<func>", "1 2"):
        with pytest.raises(ValueError, match="not a literal"):
            go_values.parse_literal(other)


@given(st.text() | st.binary().map(lambda data: data.decode("utf-8", "surrogateescape")))
def test_a_quoted_string_is_read_again(text: str) -> None:
    if all(not 0xD800 <= ord(char) < 0xDC80 and not 0xDCFF < ord(char) < 0xE000 for char in text):
        data = text.encode("utf-8", "surrogateescape")
        assert unescape(quote(text)).encode("utf-8", "surrogateescape") == data


LITERALS = st.recursive(
    st.integers(-(2**63), 2**63 - 1).map(str)
    | st.booleans().map(lambda value: str(value).lower())
    | st.text('ab\n"\\é').map(quote),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[]any{{{', '.join(items)}}}")
        | st.dictionaries(st.text("ab", max_size=2).map(quote), inner, max_size=3).map(
            lambda pairs: f"map[string]any{{{', '.join(f'{k}: {v}' for k, v in pairs.items())}}}"
        )
    ),
    max_leaves=8,
)


@given(LITERALS)
def test_a_value_is_written_as_it_was_read(text: str) -> None:
    node = parse_value(text)
    assert node is not None
    assert go_values.compare_values(text, write_value(node)).is_same
    assert go_values.compare_values(text, text.replace(", ", " ,  ")).is_same or '"' in text
