"""Items of containers in the notations of all languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.analysis.replay import value_items

SCALARS = st.none() | st.booleans() | st.integers() | st.text() | st.binary(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=4)
    ),
)


@given(st.lists(VALUES, max_size=6))
def test_items_of_a_list_are_their_reprs(items: list[object]) -> None:
    assert [item.text for item in value_items(repr(items))] == [repr(item) for item in items]


@given(st.dictionaries(st.text() | st.integers() | st.tuples(st.text()), VALUES, max_size=6))
def test_items_of_a_dict_are_its_keys_and_values(mapping: dict[object, object]) -> None:
    found = [(item.name, item.text, item.kind) for item in value_items(repr(mapping))]
    assert found == [(repr(key), repr(value), "key") for key, value in mapping.items()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Point(x=1, y='a=b')", [("x", "1"), ("y", "'a=b'")]),
        ("deque([1, 2])", [("0", "1"), ("1", "2")]),
        ("Counter({'a': 1})", [("'a'", "1")]),
        ("defaultdict(<class 'int'>, {'a': 1})", [("'a'", "1")]),
        ('[<code f, file "<p>", line 1>, 3]', [("0", '<code f, file "<p>", line 1>'), ("1", "3")]),
        ("[1, 2, … <cut: 12345>", [("0", "1"), ("1", "2")]),
        # JavaScript.
        ("Point {x: 1, 'b-c': 2}", [("x", "1"), ("'b-c'", "2")]),
        ("['b', index: 1]", [("0", "'b'"), ("index", "1")]),
        ("new Map([['a', 1]])", [("0", "['a', 1]")]),
        # C++.
        ('std::map{{"a", 1}, {"b", 2}}', [('"a"', "1"), ('"b"', "2")]),
        ("Point{.x = 1, .y = 2}", [("x", "1"), ("y", "2")]),
        ("{std::pair{1, 2}}", [("0", "std::pair{1, 2}")]),
        # Java.
        ('{"a"=1, "b"=[2]}', [('"a"', "1"), ('"b"', "[2]")]),
        ("Node{value=1, next=null}", [("value", "1"), ("next", "null")]),
        # Rust.
        ("Rect { w: 1, h: Some(2) }", [("w", "1"), ("h", "Some(2)")]),
        # Go.
        ("[][]int{{1}, nil}", [("0", "{1}"), ("1", "nil")]),
        ('map[string]int{"a": 1}', [('"a"', "1")]),
        ("&Point{X: 1}", [("X", "1")]),
    ],
)  # fmt: skip
def test_notations(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(item.name, item.text) for item in value_items(text)] == expected


@pytest.mark.parametrize(
    "text", ["7", "'f(1)'", '"[1]"', "<program.P object>", "0..=3", "()", "{}", "", "None", "f("]
)
def test_what_has_no_items(text: str) -> None:
    assert value_items(text) == ()
