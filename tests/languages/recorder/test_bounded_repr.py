"""Rendering of values: the text is `repr`, up to the limit."""

import sys
from collections import OrderedDict, deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.languages.python.recorder.child.bounded_repr import (
    MAX_LENGTH_FACTOR,
    has_own_repr,
    render,
    render_in_fork,
    types_with_own_repr,
)

WIDE = 10**6

characters = st.characters(exclude_categories=())
atoms = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(600, 4_200).map(lambda digits: 10**digits - 1)
    | st.floats()
    | st.complex_numbers()
    | st.text(characters, max_size=20)
    | st.binary(max_size=20)
    | st.just(...)
    | st.builds(range, st.integers(-5, 5), st.integers(-5, 5))
)


@st.composite
def keys(draw: st.DrawFn) -> object:
    """Hashable values: items of sets and keys of dicts."""
    few = st.frozensets(atoms, max_size=3)
    return draw(atoms | few | st.tuples(atoms) | st.tuples(few, st.tuples(atoms, few)))


def containers(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Containers of such values; Python renders the last two types."""
    return (
        st.lists(inner, max_size=5)
        | st.tuples(inner, inner)
        | st.dictionaries(keys(), inner, max_size=5)
        | st.sets(keys(), max_size=5)
        | st.builds(deque, st.lists(inner, max_size=5))
        | st.builds(bytearray, st.binary(max_size=20))
    )


values: st.SearchStrategy[object] = st.recursive(atoms | keys(), containers, max_leaves=30)


@given(values)
def test_the_text_of_a_value_is_its_repr(value: object) -> None:
    assert render(value, WIDE) == repr(value)


@given(values, st.integers(20, 60))
def test_a_shortened_text_has_the_length_of_the_complete_one(value: object, limit: int) -> None:
    complete = repr(value)
    text = render(value, limit)
    if len(complete) <= limit:
        assert text == complete
    elif len(complete) <= MAX_LENGTH_FACTOR * limit:
        assert text == f"{complete[:limit]}… <cut: {len(complete)} characters>"
    else:
        max_length = MAX_LENGTH_FACTOR * limit
        assert text == f"{complete[:limit]}… <cut: more than {max_length} characters>"


@given(st.lists(st.text(characters, max_size=5) | st.integers(), min_size=1), st.integers(0, 9))
def test_the_text_of_a_recursive_value_is_its_repr(items: list[object], index: int) -> None:
    items.insert(index, items)
    items.append({"again": (items, [items])})
    assert render(items, WIDE) == repr(items)


@pytest.mark.parametrize("levels", [1, 100, 5_000])
def test_values_may_be_nested_deeply(levels: int) -> None:
    value: object = ()
    for _ in range(levels):
        value = [value]
    assert render(value, WIDE) == "[" * levels + "()" + "]" * levels


@pytest.mark.parametrize("digits", [640, 4_300, 4_301, 50_000])
def test_a_long_int_is_rendered_and_the_digit_limit_stays(digits: int) -> None:
    before = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(640)
        value = 10 ** (digits - 1)
        text = "1" + "0" * (digits - 1)
        assert render(value, WIDE) == text
        assert render([value, {value: -value}], WIDE) == f"[{text}, {{{text}: -{text}}}]"
        assert sys.get_int_max_str_digits() == 640
    finally:
        sys.set_int_max_str_digits(before)


def test_a_huge_int_is_described_by_its_size() -> None:
    bits = (10**100_000).bit_length()
    assert render(10**100_000, WIDE) == f"<int of {bits} bits… <cut: 100000 characters>"


class Plain:
    """Class with the default repr."""


class WithRepr:
    """Class with its own repr."""

    def __repr__(self) -> str:
        return "shown"


class ListSubclass(list[int]):
    """Class with the repr of list, which renders its items."""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Plain(), f"<{__name__}.Plain object>"),
        ([Plain().__str__], "[<method-wrapper '__str__' of Plain object>]"),
        (iter([]), "<list_iterator object>"),
        (len, "<built-in function len>"),
        ("<x at 0x7f0000000000>", "'<x at 0x7f0000000000>'"),
        (b" at 0x7f0000000000>", "b' at 0x7f0000000000>'"),
    ],
)
def test_addresses_are_removed_except_from_strings(value: object, text: str) -> None:
    assert render(value, WIDE) == text


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        ([1, "a", (2.0, None), {3: {4}}], ()),
        (Plain(), ()),
        ([{"a": (Plain(), len, Plain)}], ()),
        (WithRepr(), (WithRepr,)),
        ({1: [frozenset({(WithRepr(), 2)})]}, (WithRepr,)),
        ({WithRepr(): OrderedDict()}, (WithRepr, OrderedDict)),
        (ListSubclass([1]), (ListSubclass,)),
    ],
)
def test_types_with_their_own_repr_are_found_at_any_depth(
    value: object, kinds: tuple[type, ...]
) -> None:
    assert types_with_own_repr(value) == frozenset(map(id, kinds))


def test_a_type_is_inspected_without_running_its_metaclass() -> None:
    class Meta(type):
        def __getattribute__(cls, name: str) -> object:
            raise AssertionError(name)

    class Odd(metaclass=Meta):
        pass

    assert not has_own_repr(Odd)
    assert has_own_repr(WithRepr)


def test_rendering_stops_at_a_repr_that_ends_the_fork() -> None:
    class Fatal:
        def __repr__(self) -> str:
            import os

            os._exit(1)

    texts = render_in_fork([WithRepr(), Fatal(), WithRepr()], WIDE)
    assert texts == ["shown", "<unrenderable: the process died>"]
    assert render_in_fork([[WithRepr(), 1]], WIDE) == ["[shown, 1]"]
