"""Every inserted function does what the string operation does, for any arguments."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.languages.rewrite.random_arguments import RandomArguments, StrSubclass
from worldline.languages.python.rewrite.strings.templates import (
    IN,
    JOIN_ALL,
    REVERSED,
    SLICE,
    SLICE_STEP,
    StringFunction,
    function_for_call,
)
from worldline.languages.python.rewrite.strings.templates.selection import (
    KEYWORDS,
    SUFFIX_BY_ARGUMENT_COUNT,
    TEMPLATES,
)

METHOD_FUNCTIONS = [
    function
    for method, suffixes in SUFFIX_BY_ARGUMENT_COUNT.items()
    for count in range(len(suffixes))
    if (function := function_for_call(method, count)) is not None
]
KEYWORD_FUNCTIONS = [
    function
    for method, names in KEYWORDS.items()
    for total in range(1, len(names) + 1)
    for count in range(total)
    if (function := function_for_call(method, count, names[count:total])) is not None
]
EXAMPLES = 100
RANDOM_DRAWS = 700
ALL = [*METHOD_FUNCTIONS, *KEYWORD_FUNCTIONS, IN, JOIN_ALL, SLICE, SLICE_STEP, REVERSED]


# Few characters, so that parts overlap and are at the ends; and some with unusual case rules.
SMALL = st.sampled_from(["".join(each) for n in range(7) for each in product("ab", repeat=n)])
MIXED = st.text("aAbB1 \t\n\r-+.,_\x0b\x1c", max_size=10)
ANY = st.text(st.sampled_from("ßΣσςİıŉǅα٣Ⅷ½\x85\u2028\u00a0éaZ 1") | st.characters(), max_size=6)
TEXTS = st.one_of(SMALL, SMALL, MIXED, ANY)
NUMBERS = st.integers(-12, 12) | st.sampled_from([10**30, -(10**30), 1001, True])
UNUSUAL: st.SearchStrategy[Any] = st.sampled_from(
    [None, 1.5, b"a", StrSubclass("ab"), [], (), {}, ["a", "b"]]
)
PARTS = st.sampled_from(["", "a", "b", "ab", "aa", "aba", " ", "1", "A", "- ", "a1"]) | TEXTS
TEXT_LISTS = st.lists(TEXTS | st.sampled_from(["a", ""]), max_size=4)
TUPLES = st.lists(PARTS | UNUSUAL, max_size=3).map(tuple)
TABLES = st.dictionaries(
    st.sampled_from([97, 98, 49, 946, "a"]),
    st.sampled_from(["", "x", "ab", None, 99, 55296, -1, 10**30, 1114111, 1114112, 1.5, True]),
    max_size=4,
)
LISTS = TEXT_LISTS | TEXT_LISTS.map(tuple) | st.lists(TEXTS | UNUSUAL | NUMBERS, max_size=4)

# Typical values for a parameter of this name; unusual ones are added below.
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


def parameters(function: StringFunction) -> list[str]:
    return function.text.partition("(")[2].partition(")")[0].split(", ")


def arguments(function: StringFunction) -> st.SearchStrategy[list[Any]]:
    """Mostly values that the loop handles; one time in three, any value for one parameter."""
    names = parameters(function)
    if function is JOIN_ALL:
        # It is for generators, which have their own test below.
        return st.tuples(TEXTS | UNUSUAL, LISTS).map(list)
    common = st.tuples(*(ARGUMENTS[name] for name in names)).map(list)
    unusual = st.tuples(common, st.integers(0, len(names) - 1), UNUSUAL | NUMBERS | TEXTS)

    def replace_one(drawn: tuple[list[Any], int, Any]) -> list[Any]:
        values, index, value = drawn
        return [*values[:index], value, *values[index + 1 :]]

    return st.one_of(common, common, unusual.map(replace_one))


def load_function(function: StringFunction) -> Callable[..., Any]:
    """Load the function as it is inserted into a program."""
    space: dict[str, Any] = {}
    exec(function.text, space)
    loaded: Callable[..., Any] = space[function.name]
    return loaded


def load_fallback(function: StringFunction) -> Callable[..., Any]:
    """Return Python's own operation, with the same parameters."""
    names = ", ".join(parameters(function))
    fallback: Callable[..., Any] = eval(f"lambda {names}: {function.fallback}")
    return fallback


def outcome(function: Callable[..., Any], values: list[Any]) -> tuple[Any, ...]:
    """Result of a call with its type, or its exception with the message."""
    try:
        value = function(*values)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is compared
        return type(error), str(error)
    return type(value), value, repr(value)


def test_all_functions_are_tested() -> None:
    assert {function.name for function in ALL} == set(TEMPLATES)
    assert len({function.text for function in ALL}) == len(ALL)


@pytest.mark.parametrize("function", ALL, ids=str)
def test_a_function_does_what_python_does(function: StringFunction) -> None:
    ours, fallback = load_function(function), load_fallback(function)

    @settings(max_examples=EXAMPLES)
    @given(arguments(function))
    def same(values: list[Any]) -> None:
        assert outcome(ours, values) == outcome(fallback, values)

    same()


@pytest.mark.parametrize("function", ALL, ids=str)
def test_a_function_does_what_python_does_in_rare_cases(function: StringFunction) -> None:
    ours, fallback = load_function(function), load_fallback(function)
    random_arguments = RandomArguments(7)
    for _ in range(RANDOM_DRAWS):
        values = random_arguments.arguments(parameters(function))
        if function is JOIN_ALL:
            values[1] = list(random_arguments.items())
        assert outcome(ours, values) == outcome(fallback, values), values


@settings(max_examples=200)
@given(TEXTS | UNUSUAL, LISTS, st.integers(0, 5))
def test_items_of_a_generator_are_joined_and_its_error_is_raised(
    text: Any, parts: list[Any], fails: int
) -> None:
    def items() -> Any:
        for number, part in enumerate(parts):
            if number == fails:
                raise KeyError("in between")
            yield part

    assert outcome(load_function(JOIN_ALL), [text, items()]) == outcome(
        load_fallback(JOIN_ALL), [text, items()]
    )


# Values that the loops handle, by the names of parameters.
TYPICAL_ARGUMENTS = {
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
def test_the_fallback_is_not_used_for_typical_values(function: StringFunction) -> None:
    space: dict[str, Any] = {}
    exec(function.template.replace("FALLBACK", "1 / 0"), space)
    values = [TYPICAL_ARGUMENTS[name] for name in parameters(function)]
    assert outcome(space[function.name], values) == outcome(load_fallback(function), values)
