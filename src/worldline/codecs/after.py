"""The text behind a trace goes in; explanation, answer and repetition come out."""

import ast

from worldline.codecs.decoded import After
from worldline.trace import START_MARK

_OPEN, _CLOSE = "[ANSWER]", "[/ANSWER]"


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

    "assert f('a == b') == [1, 2]" -> "[1, 2]"; " 4 " -> "4"
    """
    text = answer.strip()
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return text.rpartition("==")[2].strip() or None
    if len(body) == 1 and isinstance(body[0], ast.Assert):
        test = body[0].test
        if isinstance(test, ast.Compare) and isinstance(test.ops[-1], ast.Eq):
            return ast.get_source_segment(text, test.comparators[-1])
    return text or None
