"""Notation of changed variables: one `name=value` per line.

A value is written as it is, or, if that would be ambiguous, as `\\` and a JSON string. `x=5` is a
variable and its value; `x` alone is a variable that was deleted.
"""

import json
import re
from json.decoder import JSONDecodeError
from typing import Protocol

from worldline.models.codecs.partial_json import parse_partial_string
from worldline.models.codecs.replay_state import Activation, ReplayState
from worldline.models.codecs.segments import safe_json
from worldline.models.special_token_syntax import SPECIAL_TOKEN_START

_JSON = json.JSONDecoder()
_NAME = re.compile(r"\.?\w+")
# Characters that cannot be in a line of text between special tokens: line ends, control
# characters, half of a surrogate pair, the start of a special token.
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|" + re.escape(SPECIAL_TOKEN_START)
)
# The same as Lark regular expressions; JSON follows a backslash.
_CONTROL = r"\x00-\x08\x0a-\x1f\x7f-\x9f"
_ANGLE = rf"<{{1,9}}[^<|{_CONTROL}]"
_REST = rf"([^<{_CONTROL}]|{_ANGLE})"
_ESCAPE = r'\\(["\\bfnrt\/]|u[0-9a-fA-F]{4})'


class StateParseError(Exception):
    """Text that is not a state. Raised and caught inside the codecs."""


def write_value(text: str, *, marks: str = "") -> str:
    r"""Write a value, or a source line: as it is, or as JSON if that would be ambiguous.

    "[1, 2]" -> "[1, 2]"; "" -> '\\""'; "<|frame_sep|>" -> '\\"\\u003c|frame_sep|>"'

    Args:
        text: the value.
        marks: characters, in addition to `\`, with which the format begins a special notation.
    """
    is_plain = text and text[0] not in f"\\{marks}" and not needs_escape(text)
    return text if is_plain else f"\\{safe_json(text)}"


def needs_escape(text: str) -> bool:
    """Whether a text cannot be in one line between special tokens."""
    return _UNSAFE.search(text) is not None


def parse_value(text: str) -> str:
    """Parse a value that `write_value` wrote."""
    if not text.startswith("\\"):
        return text
    value, end = _parse_json(text, 1)
    if end != len(text):
        raise StateParseError
    return value


def write_name(name: str) -> str:
    """Write a variable's name: "x" -> "x"; as JSON if it is not a Python name."""
    return name if _NAME.fullmatch(name) else f"\\{safe_json(name)}"


def parse_entry(text: str) -> tuple[str, str | None]:
    """Split one line into name and unparsed value: "x=5" -> "x", "5"; "x" -> "x", None"""
    if text.startswith("\\"):
        name, end = _parse_json(text, 1)
    else:
        match = _NAME.match(text)
        if match is None:
            raise StateParseError
        name, end = match[0], match.end()
    if end == len(text):
        return name, None
    if text[end] != "=":
        raise StateParseError
    return name, text[end + 1 :]


def parse_entries(text: str) -> list[tuple[str, str | None]]:
    """ "x=5\\ny" -> ("x", "5"), ("y", None)"""
    return [parse_entry(line) for line in text.split("\n")] if text else []


def parse_partial_entries(text: str) -> list[tuple[str, str | None]]:
    """The certain part of a truncated state; all entries but the last are complete.

    "x=5\\ny='a" -> ("x", "5"), ("y", "'a"); "x=5\\ny" -> ("x", "5"), ("", None)
    """
    complete, _, last = text.rpartition("\n")
    entries = parse_entries(complete)
    if last.startswith("\\"):
        try:
            return [*entries, parse_entry(last)]
        except StateParseError:
            return [*entries, ("", None)]
    name, equals, value = last.partition("=")
    if not re.fullmatch(r"\.?\w*", name):
        raise StateParseError
    return [*entries, (name, value) if equals else ("", None)]


def state_entries(text: str) -> list[tuple[str, str]]:
    """Split the text of a state into variables and the text of each; "" stands for no variable.

    '{"x": "1"}' -> ("x", '"x": "1"'); "x=1\\ny=2" -> ("x", "x=1"), ("y", "y=2")
    """
    if text.startswith("{"):
        try:
            values = json.loads(text)
        except ValueError:
            return [("", text)]
        return [(name, f"{json.dumps(name)}: {json.dumps(v)}") for name, v in values.items()]
    entries = []
    for line in text.split("\n"):
        try:
            name, value = parse_entry(line)
        except StateParseError:
            name, value = "", None
        entries.append((name if value is not None else "", line))
    return entries


def _parse_json(text: str, start: int) -> tuple[str, int]:
    try:
        value, end = _JSON.raw_decode(text, start)
    except (JSONDecodeError, RecursionError):
        raise StateParseError from None
    if not isinstance(value, str):
        raise StateParseError
    return value, end


def value_regex(max_chars: int, *, marks: str = "") -> str:
    """Lark regular expressions of a plain value and of a value written as JSON."""
    first = rf"([^\\<{re.escape(marks)}{_CONTROL}]|{_ANGLE})"
    quoted = rf'\\"([^"\\\x00-\x1f]|{_ESCAPE}){{0,{max_chars}}}"'
    return f"/{first}{text_regex(max_chars)}/ | /{quoted}/"


def text_regex(max_chars: int) -> str:
    """Regular expression of any text that can be in one line between special tokens."""
    return rf"{_REST}{{0,{max_chars}}}<{{0,9}}"


class ValueNotation(Protocol):
    """Notation of values, which may refer to values that were shown before.

    `name` is the variable of the value; None for a value that is returned or raised.
    """

    def write(
        self, value: str, name: str | None, activation: Activation, replay: ReplayState
    ) -> str:
        """Write a value."""
        ...

    def parse(
        self, text: str, name: str | None, activation: Activation, replay: ReplayState
    ) -> str:
        """Parse a value that `write` wrote."""
        ...

    def parse_partial(self, text: str) -> str | None:
        """The certain beginning of a truncated value; None if nothing is certain."""
        ...

    def grammar(self, max_chars: int) -> str:
        """Lark grammar of a value: the terminal VALUE."""
        ...


class PlainValues:
    """Notation that writes every value in full."""

    def write(
        self, value: str, name: str | None, activation: Activation, replay: ReplayState
    ) -> str:
        """ "5" -> "5" """
        return write_value(value)

    def parse(
        self, text: str, name: str | None, activation: Activation, replay: ReplayState
    ) -> str:
        """ "5" -> "5" """
        return parse_value(text)

    def parse_partial(self, text: str) -> str | None:
        """ "'ab" -> "'ab" """
        return parse_partial_string(text[1:]) if text.startswith("\\") else text

    def grammar(self, max_chars: int) -> str:
        """Plain text, or JSON after a backslash."""
        return f"VALUE: {value_regex(max_chars)}\n"
