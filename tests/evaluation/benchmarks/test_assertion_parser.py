"""Assertion parser: asserted calls, unusable assertions, and constant folding."""

import ast
import math

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from worldline.core.errors import InputError
from worldline.evaluation.benchmarks.assertion_parser import (
    AssertedCall,
    UnusableAssertion,
    parse_assertions,
)
from worldline.evaluation.benchmarks.constant_folding import constant_value


def parse(*lines: str) -> list[AssertedCall | UnusableAssertion]:
    body = "".join(f"    {line}\n" for line in lines)
    return parse_assertions(f"METADATA = {{}}\n\ndef check(candidate):\n{body}", "f")


def parse_one(line: str) -> AssertedCall:
    (case,) = parse(line)
    assert isinstance(case, AssertedCall), case
    return case


@pytest.mark.parametrize(
    ("line", "call", "expected"),
    [
        ("assert candidate(1, 2) == 3", "f(1, 2)", 3),
        ("assert 3 == candidate(1,2)", "f(1,2)", 3),
        ("assert candidate() == None, 'a message'", "f()", None),
        ("assert (candidate('a') == 'b'), str(candidate('a'))", "f('a')", "b"),
        ("assert candidate(x=[1]) == {'a': (1, 2)}", "f(x=[1])", {"a": (1, 2)}),
        ("assert candidate(3 * 19) == [3] * 2 + [19]", "f(3 * 19)", [3, 3, 19]),
        ("assert candidate('candidate(1)') == 'x' * 3", "f('candidate(1)')", "xxx"),
        ("assert candidate(5) == (3 + 5, -2.5 + 1)", "f(5)", (8, -1.5)),
        ("assert candidate(1)", "f(1)", True),
        ("assert not candidate(1)", "f(1)", False),
        ("assert candidate(1) is True", "f(1)", True),
        ("assert False is candidate(1)", "f(1)", False),
        ("assert candidate(1) is None", "f(1)", None),
        ("assert candidate([\n    1,\n      2]) == 1", "f([ 1, 2])", 1),
        ("assert candidate([\n    1, # one\n    2]) == 1", "f([1, 2])", 1),
        ("assert candidate('''a\n  b''') == 1", "f('a\\n  b')", 1),
    ],
)
def test_assertion_of_an_exact_value(line: str, call: str, expected: object) -> None:
    case = parse_one(line)
    assert (case.call, case.expected, case.text) == (call, expected, line)
    assert type(case.expected) is type(expected)
    assert (case.tolerance, case.accepts_any_sequence) == (None, False)


@pytest.mark.parametrize("distance", ["abs", "math.fabs"])
@pytest.mark.parametrize("difference", ["candidate(1) - 2.0/3", "2.0/3 - candidate(1)"])
def test_assertion_with_a_tolerance(distance: str, difference: str) -> None:
    case = parse_one(f"assert {distance}({difference}) < 1e-6")
    assert (case.call, case.expected, case.tolerance) == ("f(1)", 2 / 3, 1e-6)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("assert tuple(candidate(1)) == tuple([1, 2])", [1, 2]),
        ("assert list([1, 2]) == list(candidate(1))", [1, 2]),
        ("assert tuple(candidate(1)) == (1, 2)", (1, 2)),
    ],
)
def test_assertion_that_accepts_lists_and_tuples(line: str, expected: object) -> None:
    case = parse_one(line)
    assert (case.expected, case.accepts_any_sequence, case.call) == (expected, True, "f(1)")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("assert True, 'good for debugging'", "it is always True"),
        ("assert (candidate(1) == 2, 'in brackets')", "it is always True"),
        ("assert 0", "it is always False"),
        ("assert 1 + 1 == 2", "it does not call the function"),
        ("assert candidate == 2", "it does not call the function"),
        ("assert candidate(1) == candidate(2)", "it compares two calls, and names no value"),
        ("assert candidate(1) == f(1)", "it compares two calls, and names no value"),
        ("assert candidate(candidate(1)) == 2", "it compares two calls, and names no value"),
        ("assert candidate(x) == y", "its values have names that only the test knows: x, y"),
        ("assert candidate(math.pi) == 3", "its values have names that only the test knows: math"),
        ("assert candidate(abs(-1)) == 3", "its values have names that only the test knows: abs"),
        ("assert candidate(*xs) == 1", "its values have names that only the test knows: xs"),
        ("assert candidate(1) != 2", "it does not say which value is right"),
        ("assert candidate(1) < 2", "it does not say which value is right"),
        ("assert 0 < candidate(1) < 2", "it does not say which value is right"),
        ("assert candidate(1) in (1, 2)", "it does not say which value is right"),
        ("assert candidate(1) and True", "it does not say which value is right"),
        ("assert candidate(1) == 10 ** 10 ** 10", "it does not say which value is right"),
        ("assert candidate(1) == 1 / 0", "it does not say which value is right"),
        ("assert candidate(1) == math.pi", "it does not say which value is right"),
        ("assert abs(candidate(1)) < 2", "it does not say which value is right"),
        ("assert abs(candidate(1) - 2) > 2", "it does not say which value is right"),
        ("assert list(candidate(1)) == tuple([1])", "it does not say which value is right"),
        ("assert candidate(1)[0] == 1", "it does not say which value is right"),
        ("assert -candidate(1) == 1", "it does not say which value is right"),
    ],
)
def test_unusable_assertion_has_a_reason(line: str, reason: str) -> None:
    assert parse(line) == [UnusableAssertion(line, reason)]


def test_assertion_in_a_loop_is_unusable() -> None:
    result = parse("for x in range(3):", "    assert candidate(x) == 1", "assert candidate(4) == 5")
    assert [type(each) for each in result] == [UnusableAssertion, AssertedCall]
    assert "loop" in getattr(result[0], "reason", "")


@pytest.mark.parametrize(
    "test", ["def check(candidate:", "x = 1", "def check(): pass", "def a(c): pass\ndef b(c): pass"]
)
def test_invalid_test_source_is_refused(test: str) -> None:
    with pytest.raises(InputError, match="the test of 'f'"):
        parse_assertions(test, "f")


NUMBERS = st.integers(-20, 20) | st.floats(-20, 20).map(lambda x: round(x, 2))
TEXTS = st.recursive(
    NUMBERS.map(repr) | st.sampled_from(["'ab'", "[1]", "(2, 'c')", "{3: 4}", "True", "None"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%", "**"]), inner).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        ),
        inner.map(lambda text: f"(-{text})"),
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        inner.map(lambda text: f"{{'k': {text}}}"),
    ),
    max_leaves=6,
)


@given(TEXTS)
def test_constant_value_equals_eval(text: str) -> None:
    try:
        result = constant_value(ast.parse(text, mode="eval").body)
    except ValueError:
        reject()
    assert repr(result) == repr(eval(text))


@pytest.mark.parametrize(
    "text",
    [
        "x", "f()", "[x for x in y]", "9 ** 9 ** 9", "'a' * 10 ** 9", "[[0] * 9999] * 9999",
        "10 ** 9 * [0]", "'%999999999d' % 1", "1 << 10", "{**{}}", "'a' + 1", "1 if x else 2",
        "2.0 ** 99999", "{[]: 1}", "1 @ 2", "~1", "not 1", "f''", "*a",
    ],
)  # fmt: skip
def test_non_constant_or_too_large_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        constant_value(ast.parse(f"({text},)", mode="eval").body)


def test_constants_keep_sign_and_type() -> None:
    assert math.copysign(1, constant_value(ast.parse("-0.0", mode="eval").body)) == -1
    assert repr(constant_value(ast.parse("{1, 1 + 1}", mode="eval").body)) == "{1, 2}"
    assert repr(constant_value(ast.parse("0.5 * 10**6", mode="eval").body)) == "500000.0"


def test_unusual_assertions_are_parsed_or_unusable() -> None:
    result = parse_assertions(
        "def check(candidate):\n"
        "    assert (candidate)(1) == 2\n"
        "    assert abs(candidate(1) - 2) < [1]\n"
        "    assert abs(candidate(1) - 2) < 1j\n"
        "    assert abs(candidate(1) - 2) < 10**400\n",
        "f",
    )
    assert isinstance(result[0], AssertedCall)
    assert (result[0].call, result[0].expected) == ("f(1)", 2)
    assert [type(each) for each in result[1:]] == [UnusableAssertion] * 3
