"""Equality of answers and results, as in `assert expected == answer`.

The comparison of states is stricter: `value_equality` compares the text of two values. Nothing is
executed here.
"""

import ast
import warnings
from typing import Any

from worldline.languages.python.value_equality import (
    canonical_value,
    compare_values,
    with_dicts_sorted,
)

# Longest answer that is compared as text: 2 × the expected text + 1000 characters. Normalizing a
# text never removes more than that, and it is slow on the endless quotes of a repetitive model.
_LENGTH_FACTOR, _LENGTH_MARGIN = 2, 1000
# Difference of floats below which HumanEval's tests count a result as correct.
_ROUNDING = 1e-6


def answers_equal(expected: str, answer: str) -> bool:
    """Whether an answer is correct.

    "{'a': 1, 'b': 2}", '{"b": 2, "a": 1}' -> True; "1", "1.0" -> True; "'1'", "1" -> False

    Args:
        expected: The value that the benchmark expects. Values that are not literals
            (`Counter({'a': 1})`, `<f at 0x7f>`) are compared as text.
        answer: The model's answer. An expression that computes the value (`'ab' + 'c'`) is not
            an answer.
    """
    expected, answer = expected.strip(), answer.strip()
    if expected == answer:
        return True
    try:
        value = parse_literal(expected)
    except ValueError:
        is_comparable = len(answer) <= _LENGTH_FACTOR * len(expected) + _LENGTH_MARGIN
        return is_comparable and _normalize(expected) == _normalize(answer)
    try:
        return bool(value == parse_literal(answer))
    except ValueError:
        return False


def results_equal(actual: str, answer: str) -> bool:
    """Whether a model's or a benchmark's answer is what the program returned.

    "{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}" -> True; "6", "6.0" -> True

    Dict order and the type of a number may differ as long as `==` holds; in states they may not.
    As in states, what no model can predict is not compared: an address, or the rest of a shortened
    value.
    """
    return compare_values(actual, answer).is_same or answers_equal(actual, answer)


def is_reference_of(actual: str, reference: str) -> bool:
    """Whether a benchmark's value is what the program returned, up to the rounding of floats.

    "0.33000000000000007", "0.33" -> True: HumanEval compares such results by their difference.
    """
    if results_equal(actual, reference):
        return True
    try:
        return _is_close(parse_literal(actual), parse_literal(reference))
    except ValueError:
        return False


def _is_close(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, int | float):
        return abs(a - b) < _ROUNDING
    if isinstance(a, list | tuple) and type(a) is type(b):
        return len(a) == len(b) and all(map(_is_close, a, b))
    return bool(a == b)


def _normalize(value: str) -> str:
    """The same text for equal values.

    Not `compare_values`, which accepts any text for a value that cannot be predicted.
    """
    with warnings.catch_warnings(action="ignore"):
        return with_dicts_sorted(canonical_value(value))


def parse_literal(text: str) -> Any:
    """Evaluate a text as the literal on the right-hand side of `==`.

    "{1: 'a'}" -> {1: 'a'}; "(1, 2)" -> (1, 2); "1, 2" -> ValueError, it is not one value

    Raises:
        ValueError: The text is not a literal.
    """
    try:
        # Do not warn about invalid escape sequences in a model's output.
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(f"_ == {text.strip()}", mode="eval")
        match tree.body:
            case ast.Compare(_, [ast.Eq()], [value]):
                return ast.literal_eval(value)
    # Raised for text that is not a literal, or too deep or too long for the parser.
    except (TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"not a literal: {error}") from error
    raise ValueError("not a literal: more than one value")
