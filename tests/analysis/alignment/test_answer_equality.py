"""Equality of answers and results, as in `assert expected == answer`."""

import ast
import contextlib
import time
import warnings
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from worldline.analysis.alignment import (
    answers_equal,
    compare_values,
    is_reference_of,
    parse_literal,
    results_equal,
)
from worldline.core.trace import SHORTENED_MARK

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text() | st.binary()
)  # fmt: skip
KEYS = st.booleans() | st.integers() | st.text()
LITERALS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(KEYS, inner)
        | st.sets(KEYS, min_size=1)
    ),
    max_leaves=8,
)


@given(LITERALS, LITERALS)
@example(1, True)
@example({1: [0.0]}, {True: [-0.0]})
@example([], ())
def test_literals_are_equal_exactly_if_python_says_so(one: Any, other: Any) -> None:
    assert answers_equal(repr(one), repr(one))
    assert answers_equal(repr(one), repr(other)) == (one == other)


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ("{'a': 1, 'b': 2}", '{"b": 2, "a": 1}'),
        ("[{'a': {'x': 1, 'y': 2}}]", "[{'a': {'y': 2, 'x': 1}}]"),
        ("'it\\'s'", '"it\'s"'),
        ("'a\\tb'", "'a\tb'"),
        ("'é'", "'\\xe9'"),
        ("'😀'", "'\\N{GRINNING FACE}'"),
        ("'ab'", "'a' 'b'"),
        ("'ab'", "('ab')"),
        ("'\\\\d'", "'\\d'"),
        ("'\\x00'", '"\\0"'),
        ("'a\\nb'", "'''a\nb'''"),
        ("1", "True"),
        ("1", "1.0"),
        ("1.0", "1"),
        ("1000", "1_000"),
        ("255", "0xff"),
        ("0.1", "0.10000000000000000"),
        ("(1+2j)", "1+2j"),
        ("-1", " - 1"),
        ("{1, 2, 3}", "{3, 2, 1}"),
        ("{(1, 2), (3, 4)}", "{(3, 4), (1, 2)}"),
        ("set()", "set()"),
        ("[1, 2]", "[1, 2,]"),
        ("[1, 2]", "[\n    1,  # one\n    2,\n]"),
        ("5", "    5\n"),
        ("5", "5  # five"),
        ("(1,)", "(1,)"),
        ("()", "( )"),
        ("None", "None"),
        ("Ellipsis", "Ellipsis"),
        (str(10**4000), hex(10**4000)),
        ("1" * 5000, "1" * 5000 + "\n"),
        # Not literals: compared as text.
        ("nan", "nan"),
        ("[nan, inf]", "[nan,inf]"),
        ("-inf", "-inf"),
        ("frozenset({1, 2})", "frozenset({2, 1})"),
        ("Counter({'a': 2, 'b': 1})", 'Counter({"a": 2, "b": 1})'),
        ("Counter({'a': 1, 'b': 1})", "Counter({'b': 1, 'a': 1})"),
        (
            "defaultdict(<class 'int'>, {'a': 1, 'b': 2})",
            "defaultdict(<class 'int'>, {'b': 2, 'a': 1})",
        ),
        ("deque([1, 2], maxlen=3)", "deque([1,2], maxlen=3)"),
        ("<f at 0x7f01>", "<f at 0x5500>"),
        ("<list_iterator object at 0x7f01>", "<list_iterator object at 0x5500>"),
        ("[" * 300 + "]" * 300, "[" * 300 + "]" * 300 + " "),
    ],
)
def test_correct_answers(expected: str, answer: str) -> None:
    assert answers_equal(expected, answer)


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ("'1'", "1"),
        ("'True'", "True"),
        ("b'a'", "'a'"),
        ("[1, 2]", "(1, 2)"),
        ("{1, 2}", "[1, 2]"),
        ("[1, 2]", "[2, 1]"),
        ("{}", "set()"),
        ("set()", "{}"),
        ("(1,)", "1"),
        ("1", "1,"),
        ("0", "None"),
        ("0", "''"),
        ("0.3", "0.30000000000000004"),
        ("'a'", "'a '"),
        ("'a\\nb'", "'a\\\\nb'"),
        ("'é'", "'e\u0301'"),
        ("{'a': 1}", "{'a': 1, 'a': 2}"),
        # After `==`, this is a comparison with 1 and an assertion message.
        ("(1, 2)", "1, 2"),
        ("((1, 2), 3)", "(1, 2), 3"),
        # An expression, not a value.
        ("'abc'", "'ab' + 'c'"),
        ("[0, 0]", "[0] * 2"),
        ("3", "1 + 2"),
        ("3", "len('abc')"),
        ("3", "max([3])"),
        ("True", "not False"),
        ("True", "True or False"),
        ("1", "1 == 1"),
        ("'a'", "f'a'"),
        ("1", "(lambda: 1)()"),
        ("[1]", "[*[1]]"),
        ("{'a': 1}", "{**{'a': 1}}"),
        ("inf", "1e999"),
        ("1e400", "inf"),
        ("5", "5;"),
        ("5", "5 6"),
        ("5", "5)"),
        ("5", "= 5"),
        ("5", "# 5"),
        ("5", ""),
        ("5", "_"),
        ("''", ""),
        ("5", "5\x00"),
        ("'a'", "'a\x00'"),
        ("'a'", "'\ud800'"),
        ("1", "1" * 5000),
        ("Counter({'a': 1})", "{'a': 1}"),
        ("Counter({'a': 1})", "Counter({'a': 2})"),
        ("OrderedDict({'a': 1, 'b': 2})", "OrderedDict({'b': 2, 'a': 1})"),
        ("OrderedDict([('a', 1), ('b', 2)])", "OrderedDict([('b', 2), ('a', 1)])"),
        ("deque([1, 2])", "deque([2, 1])"),
        ("deque([1, 2])", "[1, 2]"),
        ("frozenset({1})", "{1}"),
        ("nan", "inf"),
        ("<f at 0x7f01>", "<g at 0x7f01>"),
        # An unpredictable value does not equal any answer.
        ("<list_iterator object at 0x7f01>", "5"),
        ("<generator object f at 0x7f01>", ""),
        # Neither does a shortened value.
        ("[1, 2, … <cut: more than 9 items>", "["),
        ("[1, 2, … <cut: more than 9 items>", ""),
    ],
)
def test_incorrect_answers(expected: str, answer: str) -> None:
    assert not answers_equal(expected, answer)


HOSTILE = [
    "[" * 5000,
    "[" * 5000 + "]" * 5000,
    "(" * 100_000,
    "-" * 100_000 + "1",
    "1+" * 100_000 + "1",
    "not " * 50_000 + "1",
    "lambda:" * 10_000 + "1",
    "a." * 50_000 + "a",
    "'" * 50_001,
    "\\'" * 30_000,
    "'\\" * 30_000,
    "<" * 50_000,
    "<a" * 50_000,
    "{'a': " * 5000,
    "1" * 200_000,
    "0x" + "f" * 100_000,
    "\x00" * 1000,
    "\ud800" * 1000,
]


@pytest.mark.parametrize("answer", HOSTILE, ids=lambda text: f"{text[:6]!r}…")
@pytest.mark.parametrize("expected", ["5", "Counter({'a': 1})", "<list_iterator object>"])
def test_hostile_answers_are_compared_quickly(expected: str, answer: str) -> None:
    start = time.perf_counter()
    assert not answers_equal(expected, answer)
    assert time.perf_counter() - start < 2


@given(st.text(alphabet="[](){}'\"\\,:+-*<>#=_ \n\t\x0001aéNx."))
def test_any_text_is_parsed_or_rejected_without_warnings(text: str) -> None:
    with warnings.catch_warnings(action="error"):
        answers_equal("Counter({'a': 1})", text)
        answers_equal(text, "[1]")
        with contextlib.suppress(ValueError):
            parse_literal(text)


@given(LITERALS)
def test_parsed_literals_equal_those_of_python(value: Any) -> None:
    assert parse_literal(repr(value)) == ast.literal_eval(repr(value))


@pytest.mark.parametrize(
    ("actual", "answer", "is_state", "is_result"),
    [
        ("{'b': 1, 'aa': 2}", "{'aa': 2, 'b': 1}", False, True),
        ("6", "6.0", False, True),
        ("True", "1", False, True),
        ("[0.0]", "[-0.0]", False, True),
        ("{3, 1}", "{1, 3}", True, True),
        ("Counter({'a': 1, 'b': 1})", "Counter({'b': 1, 'a': 1})", False, True),
        ("'1'", "1", False, False),
        ("[1]", "(1,)", False, False),
        ("0.1", "0.10000000000000002", False, False),
        ("'abc'", "'ab' + 'c'", False, False),
        # Unpredictable values, as for states.
        ("<list_iterator object at 0x7f01>", "<list_iterator object at 0x5500>", True, True),
        ("<program.A object at 0x7f01>", "5", False, False),
        (f"'ab{SHORTENED_MARK}9000 characters>", "'abab", True, True),
    ],
)
def test_results_are_compared_by_value_and_states_by_text(
    actual: str, answer: str, is_state: bool, is_result: bool
) -> None:
    assert compare_values(actual, answer).is_same == is_state
    assert results_equal(actual, answer) == is_result


@given(LITERALS, LITERALS)
@example(1, True)
@example({"a": 1, "b": 2}, {"b": 2, "a": 1})
def test_literal_results_are_equal_exactly_if_python_says_so(one: Any, other: Any) -> None:
    assert results_equal(repr(one), repr(other)) == (one == other)


@pytest.mark.parametrize(
    ("actual", "reference", "expected"),
    [
        ("0.33000000000000007", "0.33", True),
        ("(1, 2.0000000001)", "(1, 2.0)", True),
        ("0.34", "0.33", False),
        ("'0.33000000000000007'", "'0.33'", False),
        ("[1.0]", "[1.0, 2.0]", False),
    ],
)
def test_a_reference_may_be_rounded(actual: str, reference: str, expected: bool) -> None:
    assert is_reference_of(actual, reference) == expected
