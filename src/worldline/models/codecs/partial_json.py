"""Parser of truncated JSON, which returns the part that is certain."""

import json
import re
from json.decoder import JSONDecodeError

from worldline.core.trace import Event
from worldline.models.codecs.decoded import Fragment

_JSON = json.JSONDecoder()
_SEPARATOR = re.compile(r"[ ,]*")


def parse_partial_string(text: str) -> str | None:
    r"""Value of a truncated JSON string; None if the text does not start with one.

    '"ab\\n' -> "ab" (the last backslash may begin any escape)
    """
    if not text.startswith('"'):
        return None
    # An escape is at most 12 characters long (a surrogate pair), so at most those are dropped.
    for end in range(len(text), max(0, len(text) - 13), -1):
        try:
            value = json.loads(text[:end] + '"')
        except JSONDecodeError:
            continue
        return value if isinstance(value, str) else None
    return None


def parse_partial_locals(text: str, event: Event | None) -> Fragment | None:
    """Names and values in a truncated JSON object; None if it is not an object of strings.

    '{"x": "1", "y": "ab' -> {"x": "1"}, open "y" with "ab"
    """
    if not text.startswith("{"):
        return None
    values: dict[str, str] = {}
    position = 1
    while True:
        position = _SEPARATOR.match(text, position).end()  # type: ignore[union-attr]
        if position >= len(text):
            return Fragment(event, values)
        if text[position] != '"':
            return None
        try:
            name, position = _JSON.raw_decode(text, position)
        except JSONDecodeError:
            return Fragment(event, values)
        colon = text[position : position + 3]
        if len(colon) < 3:
            return Fragment(event, values, name)
        if colon != ': "':
            return None
        try:
            value, position = _JSON.raw_decode(text, position + 2)
        except JSONDecodeError:
            return Fragment(event, values, name, parse_partial_string(text[position + 2 :]))
        values[name] = value
