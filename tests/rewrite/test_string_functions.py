"""Every function that is put into programs does what the operation does, for any arguments."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rewrite.drawn import Drawn, Text
from worldline.rewrite.strings.functions import (
    IN,
    JOIN_ALL,
    REVERSED,
    SLICE,
    SLICE_STEP,
    Function,
    method_function,
)
from worldline.rewrite.strings.functions.choosing import BY_ARGUMENTS, KEYWORDS, TEMPLATES

METHODS = [
    function
    for method, suffixes in BY_ARGUMENTS.items()
    for count in range(len(suffixes))
    if (function := method_function(method, count)) is not None
]
NAMED = [
    function
    for method, names in KEYWORDS.items()
    for total in range(1, len(names) + 1)
    for count in range(total)
    if (function := method_function(method, count, names[count:total])) is not None
]
EXAMPLES = 100
DRAWN = 700
ALL = [*METHODS, *NAMED, IN, JOIN_ALL, SLICE, SLICE_STEP, REVERSED]


# Few characters, so that parts overlap and stand at ends; and some whose case is not simple.
SMALL = st.sampled_from(["".join(each) for n in range(7) for each in product("ab", repeat=n)])
MIXED = st.text("aAbB1 \t\n\r-+.,_\x0b\x1c", max_size=10)
ANY = st.text(st.sampled_from("ßΣσςİıŉǅα٣Ⅷ½\x85\u2028\u00a0éaZ 1") | st.characters(), max_size=6)
TEXTS = st.one_of(SMALL, SMALL, MIXED, ANY)
NUMBERS = st.integers(-12, 12) | st.sampled_from([10**30, -(10**30), 1001, True])
ODD: st.SearchStrategy[Any] = st.sampled_from([None, 1.5, b"a", Text("ab"), [], (), {}, ["a", "b"]])
PARTS = st.sampled_from(["", "a", "b", "ab", "aa", "aba", " ", "1", "A", "- ", "a1"]) | TEXTS
TEXT_LISTS = st.lists(TEXTS | st.sampled_from(["a", ""]), max_size=4)
TUPLES = st.lists(PARTS | ODD, max_size=3).map(tuple)
TABLES = st.dictionaries(
    st.sampled_from([97, 98, 49, 946, "a"]),
    st.sampled_from(["", "x", "ab", None, 99, 55296, -1, 10**30, 1114111, 1114112, 1.5, True]),
    max_size=4,
)
LISTS = TEXT_LISTS | TEXT_LISTS.map(tuple) | st.lists(TEXTS | ODD | NUMBERS, max_size=4)

# What most often goes into a parameter of this name; anything else does now and then.
ARGUMENTS: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("part", "sep", "old", "chars"), PARTS),
    **dict.fromkeys(("prefix", "suffix"), PARTS | TUPLES),
    **dict.fromkeys(("start", "stop", "step"), NUMBERS | st.none()),
    **dict.fromkeys(("count", "maxsplit", "width", "tabsize"), NUMBERS),
    "text": TEXTS,
    "new": TEXTS,
    "fillchar": st.sampled_from(["*", "é", "", "ab"]),
    "parts": LISTS | TEXTS | st.dictionaries(TEXTS, st.just(1), max_size=3),
    "table": TABLES,
}


def parameters(function: Function) -> list[str]:
    return function.text.partition("(")[2].partition(")")[0].split(", ")


def arguments(function: Function) -> st.SearchStrategy[list[Any]]:
    """Mostly what the loop treats; one time in three, anything in one of the places."""
    names = parameters(function)
    if function is JOIN_ALL:
        # It is for generators, and they are tried below.
        return st.tuples(TEXTS | ODD, LISTS).map(list)
    usual = st.tuples(*(ARGUMENTS[name] for name in names)).map(list)
    odd = st.tuples(usual, st.integers(0, len(names) - 1), ODD | NUMBERS | TEXTS)

    def with_odd(drawn: tuple[list[Any], int, Any]) -> list[Any]:
        values, place, value = drawn
        return [*values[:place], value, *values[place + 1 :]]

    return st.one_of(usual, usual, odd.map(with_odd))


def made(function: Function) -> Callable[..., Any]:
    """The function itself, as a program has it."""
    space: dict[str, Any] = {}
    exec(function.text, space)
    found: Callable[..., Any] = space[function.name]
    return found


def real(function: Function) -> Callable[..., Any]:
    """Python's own operation, with the same parameters."""
    names = ", ".join(parameters(function))
    found: Callable[..., Any] = eval(f"lambda {names}: {function.fallback}")
    return found


def outcome(function: Callable[..., Any], values: list[Any]) -> tuple[Any, ...]:
    """What a call gives, down to the types; or what it raises, down to the message."""
    try:
        value = function(*values)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is compared
        return type(error), str(error)
    return type(value), value, repr(value)


def test_all_functions_are_tried() -> None:
    assert {function.name for function in ALL} == set(TEMPLATES)
    assert len({function.text for function in ALL}) == len(ALL)


@pytest.mark.parametrize("function", ALL, ids=str)
def test_a_function_does_what_python_does(function: Function) -> None:
    ours, pythons = made(function), real(function)

    @settings(max_examples=EXAMPLES)
    @given(arguments(function))
    def same(values: list[Any]) -> None:
        assert outcome(ours, values) == outcome(pythons, values)

    same()


@pytest.mark.parametrize("function", ALL, ids=str)
def test_a_function_does_what_python_does_in_rare_cases(function: Function) -> None:
    ours, pythons = made(function), real(function)
    drawn = Drawn(7)
    for _ in range(DRAWN):
        values = drawn.arguments(parameters(function))
        if function is JOIN_ALL:
            values[1] = list(drawn.items())
        assert outcome(ours, values) == outcome(pythons, values), values


@settings(max_examples=200)
@given(TEXTS | ODD, LISTS, st.integers(0, 5))
def test_what_a_generator_gives_is_joined_and_its_error_kept(
    text: Any, parts: list[Any], fails: int
) -> None:
    def items() -> Any:
        for number, part in enumerate(parts):
            if number == fails:
                raise KeyError("in between")
            yield part

    assert outcome(made(JOIN_ALL), [text, items()]) == outcome(real(JOIN_ALL), [text, items()])


# What a loop treats, by the names of its parameters.
USUAL = {
    "text": "banana",
    "part": "na",
    "sep": "an",
    "old": "na",
    "new": "x",
    "chars": "ab",
    "prefix": "ba",
    "suffix": "na",
    "fillchar": "*",
    "parts": ["a", "b"],
    "table": {97: "x"},
    "start": 1,
    "stop": -1,
    "step": -2,
    "count": 1,
    "maxsplit": 1,
    "width": 9,
    "tabsize": 4,
}


@pytest.mark.parametrize("function", ALL, ids=str)
def test_python_is_not_asked_for_usual_values(function: Function) -> None:
    space: dict[str, Any] = {}
    exec(function.template.replace("FALLBACK", "1 / 0"), space)
    values = [USUAL[name] for name in parameters(function)]
    assert outcome(space[function.name], values) == outcome(real(function), values)
