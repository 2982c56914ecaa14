"""Changed variables go in, a line of text each comes out; and back.

A value is written as it is, or, where that could be taken for something else, as `\\` and a JSON
string. `x=5` is a variable and its value, `x` alone one that is gone.
"""

import json
import re
from json.decoder import JSONDecodeError
from typing import Protocol

from worldline.codecs.course import Course, Running
from worldline.codecs.fragment import open_string
from worldline.codecs.pieces import json_text

_JSON = json.JSONDecoder()
_NAME = re.compile(r"\.?\w+")
# What cannot stand in a line of text between special tokens: the ends of lines, controls, half
# surrogates, the start of a special token.
_HARD = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|<\\|")
# The same in Lark's notation, with JSON behind a backslash.
_CONTROL = r"\x00-\x08\x0a-\x1f\x7f-\x9f"
_ANGLE = rf"<{{1,9}}[^<|{_CONTROL}]"
_REST = rf"([^<{_CONTROL}]|{_ANGLE})"
_ESCAPE = r'\\(["\\bfnrt\/]|u[0-9a-fA-F]{4})'


class NotAState(Exception):  # noqa: N818
    """Text that tells no state: not seen outside of the codecs."""


def spell(text: str, *, marks: str = "") -> str:
    r"""A value, or a source line, as it is written: plainly where that cannot be misread.

    "[1, 2]" -> "[1, 2]"; "" -> '\\""'; "<|frame_sep|>" -> '\\"\\u003c|frame_sep|>"'

    `marks`: with what else than `\` a format begins something that is no plain value.
    """
    is_plain = text and text[0] not in f"\\{marks}" and not is_hard(text)
    return text if is_plain else f"\\{json_text(text)}"


def is_hard(text: str) -> bool:
    """Whether a text cannot stand in one line between special tokens."""
    return _HARD.search(text) is not None


def read(text: str) -> str:
    """The value that was written so."""
    if not text.startswith("\\"):
        return text
    value, end = _read_json(text, 1)
    if end != len(text):
        raise NotAState
    return value


def spell_name(name: str) -> str:
    """ "x" -> "x"; a name that Python's own syntax cannot have is written as JSON."""
    return name if _NAME.fullmatch(name) else f"\\{json_text(name)}"


def read_entry(text: str) -> tuple[str, str | None]:
    """ "x=5" -> "x", "5" (not yet read); "x" -> "x", none"""
    if text.startswith("\\"):
        name, end = _read_json(text, 1)
    else:
        found = _NAME.match(text)
        if found is None:
            raise NotAState
        name, end = found[0], found.end()
    if end == len(text):
        return name, None
    if text[end] != "=":
        raise NotAState
    return name, text[end + 1 :]


def read_entries(text: str) -> list[tuple[str, str | None]]:
    """ "x=5\\ny" -> ("x", "5"), ("y", none)"""
    return [read_entry(line) for line in text.split("\n")] if text else []


def open_entries(text: str) -> list[tuple[str, str | None]]:
    """What is certain in a state that breaks off: all but the last is whole.

    "x=5\\ny='a" -> ("x", "5"), ("y", "'a"); "x=5\\ny" -> ("x", "5"), ("", none)
    """
    whole, _, last = text.rpartition("\n")
    found = read_entries(whole)
    if last.startswith("\\"):
        try:
            return [*found, read_entry(last)]
        except NotAState:
            return [*found, ("", None)]
    name, is_named, value = last.partition("=")
    if not re.fullmatch(r"\.?\w*", name):
        raise NotAState
    return [*found, (name, value) if is_named else ("", None)]


def _read_json(text: str, start: int) -> tuple[str, int]:
    try:
        value, end = _JSON.raw_decode(text, start)
    except (JSONDecodeError, RecursionError):
        raise NotAState from None
    if not isinstance(value, str):
        raise NotAState
    return value, end


def value_patterns(longest: int, *, marks: str = "") -> str:
    """What a plain value, or one written as JSON, may look like, in Lark's notation."""
    first = rf"([^\\<{re.escape(marks)}{_CONTROL}]|{_ANGLE})"
    quoted = rf'\\"([^"\\\x00-\x1f]|{_ESCAPE}){{0,{longest}}}"'
    return f"/{first}{text_pattern(longest)}/ | /{quoted}/"


def text_pattern(longest: int) -> str:
    """Any text that can stand in one line between special tokens."""
    return rf"{_REST}{{0,{longest}}}<{{0,9}}"


class Values(Protocol):
    """A way to write values, which may look at what is known already. `name`: the variable whose
    value it is; none for a value that is returned or raised."""

    def spell(self, value: str, name: str | None, running: Running, course: Course) -> str:
        """A value as it is written."""
        ...

    def read(self, text: str, name: str | None, running: Running, course: Course) -> str:
        """The value that was written so."""
        ...

    def open(self, text: str) -> str | None:
        """The start of a value that breaks off; none where nothing is certain."""
        ...

    def grammar(self, longest: int) -> str:
        """What a value may look like, in Lark's notation: the terminal VALUE."""
        ...


class PlainValues:
    """Values as they are."""

    def spell(self, value: str, name: str | None, running: Running, course: Course) -> str:
        """ "5" -> "5" """
        return spell(value)

    def read(self, text: str, name: str | None, running: Running, course: Course) -> str:
        """ "5" -> "5" """
        return read(text)

    def open(self, text: str) -> str | None:
        """ "'ab" -> "'ab" """
        return open_string(text[1:]) if text.startswith("\\") else text

    def grammar(self, longest: int) -> str:
        """Plain text, or JSON behind a backslash."""
        return f"VALUE: {value_patterns(longest)}\n"
