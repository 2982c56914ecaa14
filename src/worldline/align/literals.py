"""A benchmark's value and a model's answer go in; whether they are the same value comes out.

`compare` asks whether an imagined state is the real one, text against text. Here the question is
the one that benchmarks ask: would `assert expected == answer` hold? Nothing is executed.
"""

import ast

from worldline.align.equality import compare


def is_same_value(expected: str, answer: str) -> bool:
    """Whether an answer is right.

    "{'a': 1, 'b': 2}", '{"b": 2, "a": 1}' -> True; "1", "1.0" -> True; "'1'", "1" -> False

    Values that are no literals (`Counter({'a': 1})`, `<f at 0x7f>`) are compared as text. An answer
    that only computes the value (`'ab' + 'c'`) is not one.
    """
    try:
        return bool(ast.literal_eval(expected.strip()) == ast.literal_eval(answer.strip()))
    # What `literal_eval` raises for text that is no literal, or one too deep or too long for it.
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return compare(expected.strip(), answer.strip()).is_same
