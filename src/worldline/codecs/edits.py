"""A value and what is known already go in; the value by what is new in it comes out, and back."""

import re
from collections.abc import Iterator

from worldline.codecs.course import Course, Running
from worldline.codecs.values import (
    NotAState,
    PlainValues,
    is_hard,
    read,
    spell,
    spell_name,
    text_pattern,
    value_patterns,
)

_MARKS = "=+@"
_SPLICE = re.compile(r"@([0-9]{1,9}),([0-9]{1,9}):")
# What a vocabulary makes about one token of.
_TOKENISH = re.compile(r"[^\W\d_]{1,5}|\d{1,3}|[^\w\s]{1,3}|\s+|_")


class EditedValues(PlainValues):
    """Values as they are, or, where that is shorter, by what is known already.

    `=x` is the value of the variable x, and `=` alone the one that was returned or raised last;
    `+d` is the variable's last value with d put in before its last character; `@3,1:d` is its
    first three characters, d, and its last one.
    """

    def spell(self, value: str, name: str | None, running: Running, course: Course) -> str:
        """ "'abcdefghijk'", where the variable was "'abcdefghij'" -> "+k" """
        plain = spell(value, marks=_MARKS)
        if is_hard(value):
            return plain
        return min([plain, *_by_what_is_known(value, name, running, course)], key=_cost)

    def read(self, text: str, name: str | None, running: Running, course: Course) -> str:
        """The value that was written so."""
        if not text.startswith(tuple(_MARKS)):
            return read(text)
        known = course.returned if text == "=" else running.state.get(text[1:])
        before = running.state.get(name or "")
        if text.startswith("="):
            before = known
        if not before:
            raise NotAState
        return before if text.startswith("=") else _edited(before, text)

    def open(self, text: str) -> str | None:
        """Nothing is certain of a change before it is whole."""
        return None if text.startswith(tuple(_MARKS)) else super().open(text)

    def grammar(self, longest: int) -> str:
        """Plain text, JSON behind a backslash, or one of the three ways to go by what is known."""
        plain = value_patterns(longest, marks=_MARKS)
        rest = text_pattern(longest)
        known = rf"/=(\.?\w{{1,40}})?/ | /\+{rest}/ | /@[0-9]{{1,9}},[0-9]{{1,9}}:{rest}/"
        return f"VALUE: {plain} | {known}\n"


def _by_what_is_known(
    value: str, name: str | None, running: Running, course: Course
) -> Iterator[str]:
    """All ways to write a value by what is known already."""
    if value and value == course.returned:
        yield "="
    for other, known in running.state.items():
        if known == value and spell_name(other) == other:
            yield f"={other}"
    before = running.state.get(name or "")
    if before:
        start = _common(before, value)
        end = _common(before[start:][::-1], value[start:][::-1])
        new = value[start : len(value) - end]
        yield f"@{start},{end}:{new}"
        if value[:-1].startswith(before[:-1]) and value[-1:] == before[-1]:
            yield f"+{value[len(before) - 1 : -1]}"


def _edited(before: str, edit: str) -> str:
    """ "'abc'", "+d" -> "'abcd'"; "'abc'", "@1,2:xy" -> "'xyc'" """
    if edit.startswith("+"):
        return before[:-1] + edit[1:] + before[-1]
    found = _SPLICE.match(edit)
    if found is None or int(found[1]) + int(found[2]) > len(before):
        raise NotAState
    return before[: int(found[1])] + edit[found.end() :] + before[len(before) - int(found[2]) :]


def _common(a: str, b: str) -> int:
    """How many characters two texts have in common from the start."""
    pairs = zip(a, b, strict=False)
    return next((i for i, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))


def _cost(text: str) -> int:
    """About how many tokens a text takes."""
    return sum(1 for _ in _TOKENISH.finditer(text))
