"""Row with the answer: `ANSWER: 'NOT'`, `ANSWER: raise ValueError('x')`."""

import re

from worldline.core.trace import DEFAULT_LANGUAGE
from worldline.models.codecs.answer_extraction import parse_answer
from worldline.models.codecs.item_text import (
    parse_item,
    split_items,
    with_straight_quotes,
    write_items,
)
from worldline.models.codecs.row_notation import strip_marks
from worldline.models.codecs.rows import Item

ANSWER_PREFIX = "ANSWER:"
_ANSWER = re.compile(
    r"(?:the\s+)?(?:final\s+)?answer(?:\*\*)?\s*[:=](?:\*\*)?\s*|(?-i:ANSWER\s+)|\[ANSWER\]\s*",
    re.IGNORECASE,
)
_JSON_ANSWER = re.compile(r"\{\s*\"answer\"\s*:\s*(.*)\}\s*\Z", re.IGNORECASE)
_CODE = re.compile(r"`+([^`]*)`*")
_CLOSE = "[/ANSWER]"
_EQUATION = re.compile(r"assert\b|[A-Za-z_][\w.]*\(.*\)\s*==")


def write_answer(item: Item) -> str:
    """ " 'NOT'", " raise ValueError('x')" """
    for quotes_all in (False, True):
        text = write_items([item], is_return=True, is_yield=False, quotes_all=quotes_all)
        if parse_value(text) == item:
            break
    return f" {text}"


def find_answer(text: str) -> tuple[int, int] | None:
    """Span of the value in a line with the answer; None if the line has none.

    "**ANSWER:** 4" -> 12, 13
    """
    line, start = strip_marks(text)
    if match := _JSON_ANSWER.match(line):
        return start + match.start(1), start + match.end(1)
    match = _ANSWER.match(line)
    return None if match is None else (start + match.end(), start + len(line))


def parse_value(text: str, language: str = DEFAULT_LANGUAGE) -> Item | None:
    """The answer, as a value that is returned or an exception that is raised.

    "4", "assert f(1) == 4", "f(1) == 4", "`4`", "4 [/ANSWER]" -> return 4
    """
    text = with_straight_quotes(text.split(_CLOSE)[0].strip())
    if match := _CODE.match(text):
        text = match[1].strip()
    if not text:
        return None
    if _EQUATION.match(text):
        text = (
            parse_answer(text if text.startswith("assert") else f"assert {text}", language) or text
        )
    parts, is_closed = split_items(text)
    if is_closed and len(parts) == 1 and parts[0]:
        text = parts[0]
    item = parse_item(text, is_return=True)
    return (
        item
        if item is not None and item.kind in ("raise", "return")
        else Item("return", value=text)
    )
