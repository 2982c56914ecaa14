"""Answers of models: which texts are values, objects, exceptions, or unreadable."""

import ast
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from worldline.languages.python.recorder import parse_literal
from worldline.models.hybrid import parse_answer

ATOMS = st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(
    allow_nan=False, allow_infinity=False
)  # fmt: skip
KEYS = st.none() | st.booleans() | st.integers() | st.text() | st.binary()
LITERALS = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.sets(KEYS, max_size=3)
    ),
    max_leaves=8,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LITERALS)
def test_every_literal_that_python_prints_is_its_value(value: object) -> None:
    answer = parse_answer(f"{value!r}\n>>> next(line)")
    assert answer.kind == "value"
    assert parse_literal(answer.value) == value


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("42", "value", "42"),
        ("  'a b'  \n", "value", "'a b'"),
        ("```python\n[1, 2]\n```", "value", "[1, 2]"),
        (">>> f(1)\n3", "value", "3"),
        ("3\nThe result is 3.", "value", "3"),
        ("nan", "value", "nan"),
        ("<Response [200]>", "object", "<Response [200]>"),
        ("datetime.date(2020, 1, 1)", "object", "datetime.date(2020, 1, 1)"),
        ("defaultdict(<class 'list'>, {})", "object", "defaultdict(<class 'list'>, {})"),
        ("re.ASCII|re.DOTALL", "object", "re.ASCII|re.DOTALL"),
        ("KeyError: 'a'", "exception", "KeyError: 'a'"),
        ("StopIteration", "exception", "StopIteration"),
        (
            "Traceback (most recent call last):\n  File x\njson.decoder.JSONDecodeError: no",
            "exception",
            "json.decoder.JSONDecodeError: no",
        ),
    ],
)
def test_readable(text: str, kind: str, value: str) -> None:
    answer = parse_answer(text)
    assert (answer.kind, answer.value) == (kind, value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ">>>",
        "It returns five.",
        "five",
        "x = 3",
        "1 +",
        "[1, 2",
        "Traceback (most recent call last):",
        "[" * 5_000 + "]" * 5_000,
        "-" * 100_000 + "1",
        "9" * 10_000,
        "\0",
    ],
)
def test_unreadable(text: str) -> None:
    answer = parse_answer(text)
    assert answer.kind is None
    assert answer.problem


@pytest.mark.parametrize(
    ("text", "expected_type", "kind"),
    [
        ("True", "bool", "value"),
        ("1", "bool", None),
        ("'yes'", "bool", None),
        ("<object>", "bool", None),
        ("3", "int", "value"),
        ("3", "float", "value"),
        ("[1]", "list", "value"),
        ("(1,)", "list", None),
        ("TypeError: no len", "int", "exception"),
    ],
)
def test_expected_type(text: str, expected_type: str, kind: str | None) -> None:
    assert parse_answer(text, expected_type=expected_type).kind == kind


def test_nothing_is_executed() -> None:
    answer = parse_answer("__import__('os').system('touch /tmp/never')")
    # It is the text of an object at most.
    assert answer.kind != "value"
    assert parse_answer("open('x').read()").kind != "value"


def test_special_floats() -> None:
    assert math.isnan(parse_literal("nan"))
    assert parse_literal("-inf") == -math.inf
    with pytest.raises(ValueError, match="nested"):
        parse_literal("(" * 100 + ")" * 100)
    assert ast.literal_eval("1") == parse_literal("1")
