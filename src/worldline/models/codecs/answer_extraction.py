"""Extraction of the answer from the text after a trace."""

import ast
import re

from worldline.core.trace import START_MARK, parse_source
from worldline.models.codecs.decoded import TextAfterTrace

_OPEN, _CLOSE = "[ANSWER]", "[/ANSWER]"
_FENCE = re.compile(r"^\s*```\w*\n|\n?```\s*$")


def parse_text_after_trace(text: str) -> TextAfterTrace:
    """Split the text after a trace into explanation and answer.

    "So it is 4.\\n[ANSWER]\\nassert f(1, 3) == 4\\n[/ANSWER]" -> "So it is 4.", "4", no repetition
    """
    explanation, is_open, rest = text.partition(_OPEN)
    answer, is_closed, rest = rest.partition(_CLOSE)
    return TextAfterTrace(
        explanation=explanation.strip(),
        answer=parse_answer(answer) if is_open and is_closed else None,
        # The program is stated again: the model has started over.
        is_repeating=START_MARK in (rest if is_closed else text),
    )


def parse_answer(answer: str) -> str | None:
    """The right-hand side of an assertion; the whole text if it is not an assertion.

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
    # `assert f(x)` and `assert not f(x)` state a boolean.
    is_negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return "False" if is_negated else "True"
