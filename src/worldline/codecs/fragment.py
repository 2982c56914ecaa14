"""JSON that breaks off in the middle goes in; as much as it says for certain comes out."""

import json
import re
from json.decoder import JSONDecodeError

from worldline.codecs.decoded import Fragment
from worldline.trace import Event

_JSON = json.JSONDecoder()
_BETWEEN = re.compile(r"[ ,]*")


def open_string(text: str) -> str | None:
    r"""The value of a JSON string that breaks off; none if it is not the start of one.

    '"ab\\n' -> "ab" (the last backslash may begin anything)
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


def open_locals(text: str, event: Event | None) -> Fragment | None:
    """The names and values that can be read in a JSON object that breaks off.

    '{"x": "1", "y": "ab' -> {"x": "1"}, open "y" with "ab"; none if it is no object of strings
    """
    if not text.startswith("{"):
        return None
    found: dict[str, str] = {}
    position = 1
    while True:
        position = _BETWEEN.match(text, position).end()  # type: ignore[union-attr]
        if position >= len(text):
            return Fragment(event, found)
        if text[position] != '"':
            return None
        try:
            name, position = _JSON.raw_decode(text, position)
        except JSONDecodeError:
            return Fragment(event, found)
        colon = text[position : position + 3]
        if len(colon) < 3:
            return Fragment(event, found, name)
        if colon != ': "':
            return None
        try:
            value, position = _JSON.raw_decode(text, position + 2)
        except JSONDecodeError:
            return Fragment(event, found, name, open_string(text[position + 2 :]))
        found[name] = value
