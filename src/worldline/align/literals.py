"""A benchmark's value and a model's answer go in; whether they are the same value comes out.

`compare` asks whether an imagined state is the real one, text against text. Here the question is
the one that benchmarks ask: would `assert expected == answer` hold? Nothing is executed.
"""

import ast
import warnings
from typing import Any

from worldline.align.equality import canonical, with_dicts_sorted

# Models that repeat themselves write on and on; the rules for texts take long over quotes that
# are never closed, and what they take out of a text is never that much.
_LONGER, _MUCH_LONGER = 2, 1000


def is_same_value(expected: str, answer: str) -> bool:
    """Whether an answer is right.

    "{'a': 1, 'b': 2}", '{"b": 2, "a": 1}' -> True; "1", "1.0" -> True; "'1'", "1" -> False

    Values that are no literals (`Counter({'a': 1})`, `<f at 0x7f>`) are compared as text. An answer
    that only computes the value (`'ab' + 'c'`) is not one.
    """
    expected, answer = expected.strip(), answer.strip()
    if expected == answer:
        return True
    try:
        value = literal(expected)
    except ValueError:
        is_as_long = len(answer) <= _LONGER * len(expected) + _MUCH_LONGER
        return is_as_long and _one_text(expected) == _one_text(answer)
    try:
        return bool(value == literal(answer))
    except ValueError:
        return False


def _one_text(value: str) -> str:
    """Text that is the same for values that are. Not `compare`: to it, whatever is said of a value
    that nobody can know is right."""
    with warnings.catch_warnings(action="ignore"):
        return with_dicts_sorted(canonical(value))


def literal(text: str) -> Any:
    """The value that a text spells where it stands behind `==`; a ValueError where it is none.

    "{1: 'a'}" -> {1: 'a'}; "(1, 2)" -> (1, 2); "1, 2" -> ValueError, it is 1 and something more
    """
    try:
        # A model's escape sequences are not ours to warn of.
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(f"_ == {text.strip()}", mode="eval")
        match tree.body:
            case ast.Compare(_, [ast.Eq()], [value]):
                return ast.literal_eval(value)
    # What these raise for text that is no literal, or one too deep or too long for them.
    except (TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"not a literal: {error}") from error
    raise ValueError("not a literal: more than one value")
