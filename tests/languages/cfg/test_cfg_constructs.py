"""Graphs of each construct of the language, written by hand.

The programs are functions `f` that start on line 1, so that the numbers can be read off the text.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from worldline.languages.control_flow import FunctionGraph, build_cfg

Lines = dict[int, set[int]]
Value = TypeVar("Value")
HAS_COMPREHENSION_FRAMES = sys.version_info < (3, 12)


def function(text: str, name: str = "f") -> FunctionGraph:
    """Return the only function of this name in a program."""
    (only,) = [f for f in build_cfg(text).functions if f.name == name]
    return only


def by_version(*values: Value) -> Value:
    """Pick the value for this Python from those for 3.11, 3.12, …; the last holds from there on."""
    return values[min(sys.version_info[1] - 11, len(values) - 1)]


@dataclass(frozen=True)
class Case:
    """A function and its graph; lines without successors are left out of the mappings."""

    name: str
    text: str
    successors: Lines
    exits: set[int]
    exception_successors: Lines = field(default_factory=dict)
    reraises: set[int] = field(default_factory=set)
    yields: Lines = field(default_factory=dict)


CASES = [
    Case(
        "straight",
        """\
def f(x):
    y = x
    return y
""",
        {2: {3}},
        exits={3},
    ),
    Case(
        "if, elif, else",
        """\
def f(x):
    if x > 2:
        y = 1
    elif x > 1:
        y = 2
    else:
        y = 3
    return y
""",
        {2: {3, 4}, 3: {8}, 4: {5, 7}, 5: {8}, 7: {8}},
        exits={8},
    ),
    Case(
        "if without else at the end",
        """\
def f(x):
    if x:
        g(x)
""",
        {2: {3}},
        exits={2, 3},
    ),
    Case(
        "if on one line",
        """\
def f(x):
    if x: g(x)
    return x
""",
        {2: {3}},
        exits={3},
    ),
    Case(
        "return in the middle",
        """\
def f(x):
    if x:
        return 1
    x = 2
    return x
    x = 3
""",
        {2: {3, 4}, 4: {5}},
        exits={3, 5},
    ),
    Case(
        "while, else, break, continue",
        """\
def f(x):
    while x > 0:
        x -= 1
        if x == 5:
            continue
        if x == 3:
            break
        g(x)
    else:
        x = 9
    return x
""",
        {
            2: {3, 10},
            3: {4},
            4: {5, 6},
            5: {2},
            6: {7, 8},
            7: {11},
            8: {2},
            10: {11},
        },
        exits={11},
    ),
    Case(
        "while on one line goes back to itself",
        """\
def f(x):
    while x: x -= 1
    return x
""",
        {2: {2, 3}},
        exits={3},
    ),
    Case(
        "endless while",
        """\
def f(x):
    while True:
        if x():
            break
    return x
""",
        {2: {3}, 3: {2, 4}, 4: {5}},
        exits={5},
    ),
    Case(
        "for, else, break, continue",
        """\
def f(x):
    for y in x:
        if y == 1:
            continue
        if y == 2:
            break
        g(y)
    else:
        y = 3
    return y
""",
        {2: {3, 9}, 3: {4, 5}, 4: {2}, 5: {6, 7}, 6: {10}, 7: {2}, 9: {10}},
        exits={10},
    ),
    Case(
        "for at the end, and on one line",
        """\
def f(x):
    for y in x: g(y)
    for y in x:
        g(y)
""",
        {2: {2, 3}, 3: {4}, 4: {3}},
        exits={3},
    ),
    Case(
        "nested loops",
        """\
def f(x):
    for y in x:
        while y:
            y -= 1
    return x
""",
        {2: {3, 5}, 3: {2, 4}, 4: {3}},
        exits={5},
    ),
    Case(
        "try, except, else, finally",
        """\
def f(x):
    try:
        y = g(x)
    except ValueError:
        y = g(1)
    except (KeyError, OSError) as error:
        y = g(2)
    else:
        y = g(3)
    finally:
        h(x)
    return y
""",
        {
            2: {3},
            3: {9},
            4: {5, 6},
            5: {11},
            # The third way is the one of an exception that neither clause is for.
            6: {7, 11},
            7: {11},
            9: {11},
            11: {12},
        },
        exits={12},
        exception_successors={3: {4}, 4: {11}, 5: {11}, 6: {11}, 7: {11}, 9: {11}},
        reraises={11},
    ),
    Case(
        "with",
        """\
def f(x):
    with g(x) as y:
        h(y)
    return y
""",
        # The line of the `with` comes again when it is left, with an exception or without.
        {2: {3, 4}, 3: {2}},
        exits={4},
        exception_successors={3: {2}},
        reraises={2},
    ),
    Case(
        "match",
        """\
def f(x):
    match x:
        case 1:
            y = 1
        case [a, b] if a > b:
            y = 2
        case _:
            y = 3
    return y
""",
        {2: {3}, 3: {4, 5}, 4: {9}, 5: {6, 7}, 6: {9}, 7: {8}, 8: {9}},
        exits={9},
    ),
    Case(
        "bare raise",
        """\
def f(x):
    try:
        g(x)
    except ValueError:
        raise
    return x
""",
        {2: {3}, 3: {6}, 4: {5}},
        exits={6},
        exception_successors={3: {4}},
        reraises={4, 5},
    ),
    Case(
        "a call over several lines",
        """\
def f(x):
    y = g(
        x,
        h(x),
    )
    return y
""",
        {2: {3, 6}, 3: {4}, 4: {2}},
        exits={6},
    ),
    Case(
        "boolean operators over several lines",
        """\
def f(x, y, z):
    if (
        x
        and y
        or z
    ):
        return 1
    return 2
""",
        # Up to 3.11 every operand is followed by the line of the `if`, where the decision is.
        by_version(
            {2: {4, 5, 7, 8}, 3: {2}, 4: {2}, 5: {2}},
            {3: {4, 5}, 4: {5, 7}, 5: {7, 8}},
        ),
        exits={7, 8},
    ),
    Case(
        "a chained comparison",
        """\
def f(x):
    if (0 <
        x <
        g(x)):
        return 1
    return 2
""",
        {2: {3, 4, 5, 6}, 3: {2}, 4: {2}},
        exits={5, 6},
    ),
    Case(
        "conditional expression and assert",
        """\
def f(x):
    y = 1 if x else 2
    assert y, x
    return y
""",
        {2: {3}, 3: {4}},
        exits={4},
    ),
    Case(
        "generator",
        """\
def f(x):
    for y in x:
        yield y
    z = yield
    return z
""",
        {2: {3, 4}, 3: {2}, 4: {5}},
        exits={5},
        yields={3: {2}, 4: {5}},
    ),
    Case(
        "a generator that cleans up",
        """\
def f(x):
    try:
        yield from x
    finally:
        g(x)
""",
        {2: {3}, 3: {5}},
        exits={5},
        # From 3.12 on its line may come again when something is thrown in.
        exception_successors=by_version({3: {5}}, {3: {3, 5}}),
        reraises={5},
        yields={3: {5}},
    ),
    Case(
        "async for, async with, await",
        """\
async def f(x):
    async for y in x:
        z = await y
    async with x:
        g(z)
    return z
""",
        {2: {3, 4}, 3: {2}, 4: {5, 6}, 5: {4}},
        exits={6},
        # From 3.12 on an `await` line may come again when something is thrown in.
        exception_successors=by_version(
            {2: {4}, 5: {4}},
            {2: {2, 4}, 3: {3}, 4: {5, 6}, 5: {4}},
            {2: {2, 4}, 3: {3}, 4: {4}, 5: {4}},
        ),
        reraises=by_version({2, 4}, {2, 4}, {2, 3, 4}),
        yields={2: {3, 4}, 3: {2}, 4: {5, 6}},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_construct(case: Case) -> None:
    result = function(case.text)
    assert nonempty(result.successors) == case.successors
    assert nonempty(result.exception_successors) == case.exception_successors
    assert result.exits == case.exits
    assert result.reraises == case.reraises
    assert {line: set(after) for line, after in result.yields.items()} == case.yields
    assert result.call_lines == {1}


def nonempty(mapping: Mapping[int, frozenset[int]]) -> Lines:
    return {line: set(after) for line, after in mapping.items() if after}


def test_entry_is_the_first_line_with_code() -> None:
    assert function('def f(x):\n    "Text."\n    global y\n    y = x\n').entry == {4}
    assert function("def f(x): return x\n").entry == {1}
    assert function("x = 1\n", "<module>").entry == {1}
    assert function("def f():\n    pass\n").entry == {2}


def test_a_multi_line_call_enters_at_its_first_line() -> None:
    assert function("def f(x):\n    return g(\n        x)\n").entry == {2}
    boolean = function("def f(x, y):\n    return (\n        x\n        and y)\n")
    assert boolean.entry == {3}


DECORATED = """\
@g
@h(
    1
)
def f(
    x,
    y=2,
):
    return x

@g
class A:
    x = 1
"""


def test_a_decorated_function_is_called_on_the_line_of_its_first_decorator() -> None:
    result = function(DECORATED)
    assert result.first_line == 1
    assert result.call_lines == {1}
    assert result.entry == {9}
    body = function(DECORATED, "A")
    assert body.kind == "class"
    assert body.call_lines == {11}
    assert nonempty(body.successors) == {11: {13}}


def test_decorators_are_applied_from_the_last_to_the_first() -> None:
    module = function(DECORATED, "<module>")
    assert nonempty(module.successors) == {
        1: {2, 5},
        2: {1, 3, 7},
        3: {2},
        7: {5},
        5: {2, 11},
        11: {12},
        12: {11},
    }


def test_module_body_is_called_on_its_first_line() -> None:
    module = function("x = 1\ndef f():\n    return 1\nf()\n", "<module>")
    assert module.kind == "module"
    assert module.call_lines == {1}
    assert module.entry == {1}
    assert nonempty(module.successors) == {1: {2}, 2: {4}}
    assert module.exits == {4}


def test_comprehension_has_a_frame_only_up_to_3_11() -> None:
    text = "def f(x):\n    y = [\n        z\n        for z in x\n    ]\n    return y\n"
    names = [result.name for result in build_cfg(text).functions]
    if HAS_COMPREHENSION_FRAMES:
        assert names == ["<module>", "f", "<listcomp>"]
        assert nonempty(function(text).successors) == {2: {4, 6}, 4: {2}}
        inner = function(text, "<listcomp>")
        assert inner.kind == "comprehension"
        assert inner.call_lines == {2}
        assert inner.entry == {2}
        assert nonempty(inner.successors) == {2: {2, 4}, 3: {2}, 4: {3}}
    else:
        assert names == ["<module>", "f"]


def test_comprehension_on_one_line_goes_back_to_itself() -> None:
    text = "def f(x):\n    y = [z for z in x]\n    return y\n"
    if HAS_COMPREHENSION_FRAMES:
        assert nonempty(function(text).successors) == {2: {3}}
        assert nonempty(function(text, "<listcomp>").successors) == {2: {2}}
    else:
        assert nonempty(function(text).successors) == {2: {2, 3}}


def test_generator_expression_yields_on_its_line() -> None:
    result = function("def f(x):\n    return sum(y for y in x)\n", "<genexpr>")
    assert result.kind == "comprehension"
    assert result.is_generator
    assert dict(result.yields) == {2: {2}}
    assert result.exits == {2}


def test_lambda_has_a_frame_of_its_own() -> None:
    result = function("f = lambda x: x or 1\n", "<lambda>")
    assert result.kind == "lambda"
    assert result.entry == {1}
    assert result.exits == {1}
    assert nonempty(result.successors) == {}


def test_a_loop_on_one_line_within_a_try() -> None:
    text = "def f(x):\n    try:\n        for y in x: g(y)\n    except E: pass\n    return 1\n"
    result = function(text)
    assert nonempty(result.successors) == {2: {3}, 3: {3, 5}, 4: {5}}
    assert nonempty(result.exception_successors) == {3: {4}}
