"""Extraction of the answer from the text after a trace."""

import re

from worldline.core.language import get_language
from worldline.core.trace import DEFAULT_LANGUAGE
from worldline.models.codecs.decoded import TextAfterTrace

_OPEN, _CLOSE = "[ANSWER]", "[/ANSWER]"
_FENCE = re.compile(r"^\s*```\w*\n|\n?```\s*$")


def parse_text_after_trace(text: str, language: str = DEFAULT_LANGUAGE) -> TextAfterTrace:
    """Split the text after a trace into explanation and answer.

    "So it is 4.\\n[ANSWER]\\nassert f(1, 3) == 4\\n[/ANSWER]" -> "So it is 4.", "4", no repetition
    """
    explanation, is_open, rest = text.partition(_OPEN)
    answer, is_closed, rest = rest.partition(_CLOSE)
    return TextAfterTrace(
        explanation=explanation.strip(),
        answer=parse_answer(answer, language) if is_open and is_closed else None,
        # The program is stated again: the model has started over.
        is_repeating=get_language(language).source.START_MARK in (rest if is_closed else text),
    )


def parse_answer(answer: str, language: str = DEFAULT_LANGUAGE) -> str | None:
    """The right-hand side of an assertion; the whole text if it is not an assertion.

    "assert f('a == b') == [1, 2]" -> "[1, 2]"; " 4 " -> "4"; "assert not f(1)" -> "False"
    """
    return get_language(language).source.parse_answer(_FENCE.sub("", answer))
