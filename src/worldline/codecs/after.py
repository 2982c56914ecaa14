"""The text behind a trace goes in; explanation, answer and repetition come out."""

import ast
import re

from worldline.codecs.decoded import After
from worldline.trace import START_MARK, parse_source

_OPEN, _CLOSE = "[ANSWER]", "[/ANSWER]"
_FENCE = re.compile(r"^\s*```\w*\n|\n?```\s*$")


def read_after(text: str) -> After:
    """Take apart what a model wrote behind its trace.

    "So it is 4.\\n[ANSWER]\\nassert f(1, 3) == 4\\n[/ANSWER]" -> "So it is 4.", "4", no repetition
    """
    explanation, found, rest = text.partition(_OPEN)
    answer, is_closed, rest = rest.partition(_CLOSE)
    return After(
        explanation=explanation.strip(),
        answer=answer_value(answer) if found and is_closed else None,
        # The problem is stated again: the model has started over.
        is_repeating=START_MARK in (rest if is_closed else text),
    )


def answer_value(answer: str) -> str | None:
    """The right-hand side of an assertion, or the whole where there is none.

    "assert f('a == b') == [1, 2]" -> "[1, 2]"; " 4 " -> "4"; "assert not f(1)" -> "False"
    """
    text = _FENCE.sub("", answer).strip()
    tree = parse_source(text)
    if tree is None:
        return text.rpartition("==")[2].strip() or None
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Assert):
        return text or None
    test = tree.body[0].test
    if isinstance(test, ast.Compare):
        return ast.get_source_segment(text, test.comparators[-1])
    # `assert f(x)` and `assert not f(x)` say that it is true, or false.
    is_not = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return "False" if is_not else "True"
