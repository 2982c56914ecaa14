"""What a value is shown as: `repr`, exactly, as far as it is shown."""

import sys
from collections import OrderedDict, deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.recorders.inner.rendering import (
    PATIENCE,
    has_own_repr,
    program_reprs,
    render,
    render_apart,
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
    """What a set or a dict can hold."""
    few = st.frozensets(atoms, max_size=3)
    return draw(atoms | few | st.tuples(atoms) | st.tuples(few, st.tuples(atoms, few)))


def containers(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Containers of such values, two of a type that the recorder leaves to Python."""
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
def test_text_is_repr(value: object) -> None:
    assert render(value, WIDE) == repr(value)


@given(values, st.integers(20, 60))
def test_a_cut_text_says_how_long_it_was(value: object, limit: int) -> None:
    whole = repr(value)
    shown = render(value, limit)
    if len(whole) <= limit:
        assert shown == whole
    elif len(whole) <= PATIENCE * limit:
        assert shown == f"{whole[:limit]}… <cut: {len(whole)} characters>"
    else:
        assert shown == f"{whole[:limit]}… <cut: more than {PATIENCE * limit} characters>"


@given(st.lists(st.text(characters, max_size=5) | st.integers(), min_size=1), st.integers(0, 9))
def test_a_value_that_holds_itself_is_repr_too(items: list[object], where: int) -> None:
    items.insert(where, items)
    items.append({"again": (items, [items])})
    assert render(items, WIDE) == repr(items)


@pytest.mark.parametrize("levels", [1, 100, 5_000])
def test_depth_is_no_limit(levels: int) -> None:
    value: object = ()
    for _ in range(levels):
        value = [value]
    assert render(value, WIDE) == "[" * levels + "()" + "]" * levels


@pytest.mark.parametrize("digits", [640, 4_300, 4_301, 50_000])
def test_an_int_is_whole_and_the_setting_of_its_program_stays(digits: int) -> None:
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


def test_an_int_that_takes_long_to_write_is_measured() -> None:
    bits = (10**100_000).bit_length()
    assert render(10**100_000, WIDE) == f"<int of {bits} bits… <cut: 100000 characters>"


class Plain:
    """Has object's repr."""


class Shown:
    """Has its own."""

    def __repr__(self) -> str:
        return "shown"


class Listed(list[int]):
    """Has list's, which shows what is in it."""


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
def test_addresses_are_left_out_of_all_but_strings(value: object, text: str) -> None:
    assert render(value, WIDE) == text


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        ([1, "a", (2.0, None), {3: {4}}], ()),
        (Plain(), ()),
        ([{"a": (Plain(), len, Plain)}], ()),
        (Shown(), (Shown,)),
        ({1: [frozenset({(Shown(), 2)})]}, (Shown,)),
        ({Shown(): OrderedDict()}, (Shown, OrderedDict)),
        (Listed([1]), (Listed,)),
    ],
)
def test_a_repr_of_the_programs_own_is_found_wherever_it_is(
    value: object, kinds: tuple[type, ...]
) -> None:
    assert program_reprs(value) == frozenset(map(id, kinds))


def test_a_type_is_asked_without_running_its_code() -> None:
    class Meta(type):
        def __getattribute__(cls, name: str) -> object:
            raise AssertionError(name)

    class Odd(metaclass=Meta):
        pass

    assert not has_own_repr(Odd)
    assert has_own_repr(Shown)


def test_rendering_apart_stops_where_the_copy_ends() -> None:
    class Deadly:
        def __repr__(self) -> str:
            import os

            os._exit(1)

    found = render_apart([Shown(), Deadly(), Shown()], WIDE)
    assert found == ["shown", "<unrenderable: the process died>"]
    assert render_apart([[Shown(), 1]], WIDE) == ["[shown, 1]"]
