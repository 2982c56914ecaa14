"""Notation of values as edits of known ones: copy, append or splice."""

import re
from collections.abc import Iterator

from worldline.core.util.text import common_prefix_length
from worldline.models.codecs.replay_state import Activation, ReplayState
from worldline.models.codecs.value_notation import (
    PlainValues,
    StateParseError,
    needs_escape,
    parse_value,
    text_regex,
    value_regex,
    write_name,
    write_value,
)

_MARKS = "=+@"
_SPLICE = re.compile(r"@([0-9]{1,9}),([0-9]{1,9}):")
# Texts that most tokenizers make about one token of.
_TOKEN_ESTIMATE = re.compile(r"[^\W\d_]{1,5}|\d{1,3}|[^\w\s]{1,3}|\s+|_")


class EditedValues(PlainValues):
    """Notation that writes a value in full, or, if that is shorter, as an edit of a known value.

    `=x` is the value of the variable x, and `=` alone the value that was returned or raised last.
    `+d` is the variable's last value with d inserted before its last character. `@3,1:d` is the
    first three characters of the last value, d, and its last character.
    """

    def write(
        self, value: str, name: str | None, activation: Activation, replay: ReplayState
    ) -> str:
        """ "'abcdefghijk'", if the variable was "'abcdefghij'" -> "+k" """
        plain = write_value(value, marks=_MARKS)
        if needs_escape(value):
            return plain
        return min([plain, *_edits(value, name, activation, replay)], key=_token_estimate)

    def parse(
        self, text: str, name: str | None, activation: Activation, replay: ReplayState
    ) -> str:
        """Parse a value in full, or apply an edit."""
        if not text.startswith(tuple(_MARKS)):
            return parse_value(text)
        copied = replay.last_value if text == "=" else activation.state.get(text[1:])
        before = copied if text.startswith("=") else activation.state.get(name or "")
        if not before:
            raise StateParseError
        return before if text.startswith("=") else _apply_edit(before, text)

    def parse_partial(self, text: str) -> str | None:
        """None for an edit: nothing is certain before it is complete."""
        return None if text.startswith(tuple(_MARKS)) else super().parse_partial(text)

    def grammar(self, max_chars: int) -> str:
        """Plain text, JSON after a backslash, or one of the three edits."""
        plain = value_regex(max_chars, marks=_MARKS)
        rest = text_regex(max_chars)
        edits = rf"/=(\.?\w{{1,40}})?/ | /\+{rest}/ | /@[0-9]{{1,9}},[0-9]{{1,9}}:{rest}/"
        return f"VALUE: {plain} | {edits}\n"


def _edits(
    value: str, name: str | None, activation: Activation, replay: ReplayState
) -> Iterator[str]:
    """All edits of known values that give a value."""
    if value and value == replay.last_value:
        yield "="
    for other, known in activation.state.items():
        if known == value and write_name(other) == other:
            yield f"={other}"
    before = activation.state.get(name or "")
    if before:
        start = common_prefix_length(before, value)
        end = common_prefix_length(before[start:][::-1], value[start:][::-1])
        new = value[start : len(value) - end]
        yield f"@{start},{end}:{new}"
        if value[:-1].startswith(before[:-1]) and value[-1:] == before[-1]:
            yield f"+{value[len(before) - 1 : -1]}"


def _apply_edit(before: str, edit: str) -> str:
    """ "'abc'", "+d" -> "'abcd'"; "'abc'", "@1,2:xy" -> "'xyc'" """
    if edit.startswith("+"):
        return before[:-1] + edit[1:] + before[-1]
    splice = _SPLICE.match(edit)
    if splice is None or int(splice[1]) + int(splice[2]) > len(before):
        raise StateParseError
    kept_end = before[len(before) - int(splice[2]) :]
    return before[: int(splice[1])] + edit[splice.end() :] + kept_end


def _token_estimate(text: str) -> int:
    """Approximate number of tokens of a text."""
    return sum(1 for _ in _TOKEN_ESTIMATE.finditer(text))
