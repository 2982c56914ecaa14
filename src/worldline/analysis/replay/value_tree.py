"""Items of a container in its recorded text, in the notation of any language.

The text of an item is part of the text of its container, so nothing is parsed as a value of
Python, and nothing is executed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from worldline.core.trace import SHORTENED_MARK

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_NAME = re.compile(r"\.?[A-Za-z_$][\w$]*\Z")
# After one of these, `<` begins an object without a notation: `[<function f>, …]`.
_BEFORE_ITEM = "([{,:=>&"
_SEPARATORS = ("=>", ":", "=")

ItemKind = Literal["index", "key", "field"]


@dataclass(frozen=True, slots=True)
class ValueItem:
    """One item of a container.

    Attributes:
        name: Its index, key or field, as text.
        text: Its value.
        kind: Whether the name is an index, a key or the name of a field.
    """

    name: str
    text: str
    kind: ItemKind


@lru_cache(maxsize=512)
def value_items(text: str) -> tuple[ValueItem, ...]:
    """The items of a container, in order; none if the value is no container.

    "[1, 'a, b']" -> 0: 1, 1: 'a, b'; "{'a': (1, 2)}" -> 'a': (1, 2);
    "Point { x: 1 }" -> x: 1; "deque([1])" -> 0: 1; "7" -> ()
    """
    text, is_shortened = _without_mark(text.strip())
    start = _open_bracket(text, is_shortened=is_shortened)
    if start is None:
        return ()
    prefix, opening = text[:start].strip(), text[start]
    inside = text[start + 1 :] if is_shortened else text[start + 1 : -1]
    parts = [part.strip() for part in _split(inside, ",")]
    parts = [part for part in parts if part]
    if prefix and opening == "(" and len(parts) == 1 and not _is_field(parts[0]):
        # A wrapper such as `deque([1, 2])`, `new Map([…])` or `Some([1])`.
        inner = value_items(parts[0])
        return inner or (ValueItem("0", parts[0], "index"),)
    if prefix.startswith("defaultdict") and len(parts) == 2:
        return value_items(parts[1])
    return tuple(_items(parts, opening, prefix))


def _items(parts: list[str], opening: str, prefix: str) -> Iterator[ValueItem]:
    pairs = "map" in prefix.lower() and opening == "{"
    index = 0
    for part in parts:
        name, value = _split_name(part, opening, prefix)
        if name is not None:
            is_field = _NAME.match(name) is not None
            yield ValueItem(name.removeprefix("."), value, "field" if is_field else "key")
            continue
        pair = value_items(part) if pairs else ()
        if len(pair) == 2:
            # C++ writes the entries of a map as `{key, value}`.
            yield ValueItem(pair[0].text, pair[1].text, "key")
            continue
        yield ValueItem(str(index), part, "index")
        index += 1


def _split_name(part: str, opening: str, prefix: str) -> tuple[str | None, str]:
    """The name or key of an item, and its value: "x: 1" -> "x", "1"; "1" -> None, "1"."""
    if opening == "(" and not prefix:
        return None, part
    for position, separator in _separators(part):
        name, value = part[:position].strip(), part[position + len(separator) :].strip()
        if not name or (opening != "{" and not _NAME.match(name)):
            return None, part
        return name, value
    return None, part


def _is_field(part: str) -> bool:
    name, _ = _split_name(part, "(", "x")
    return name is not None


def _separators(part: str) -> Iterator[tuple[int, str]]:
    """The separator between a name and its value, if there is one outside of brackets."""
    for position in _top_level(part):
        for separator in _SEPARATORS:
            if not part.startswith(separator, position):
                continue
            # `std::pair` and `==` are no separators, nor is `..=` in a range of Rust.
            around = part[max(0, position - 1) : position + 2]
            if separator != "=>" and ("::" in around or "==" in around or ".=" in around):
                break
            yield position, separator
            return


def _split(text: str, separator: str) -> list[str]:
    """Split a text outside of brackets and strings."""
    parts, start = [], 0
    for position in _top_level(text):
        if text[position] == separator:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def _top_level(text: str) -> Iterator[int]:
    """The positions of a text outside of brackets, strings and objects without a notation."""
    position = 0
    while position < len(text):
        end = _skip(text, position)
        if end == position:
            yield position
            position += 1
        else:
            position = end


def _open_bracket(text: str, *, is_shortened: bool) -> int | None:
    """The position of the bracket that the last character closes."""
    position, last = 0, None
    if text[:1] in ("'", '"', "`", "<"):
        return None
    while position < len(text):
        end = _skip(text, position)
        if end == position:
            position += 1
            continue
        last = position if text[position] in _CLOSING else None
        position = end
    if last is None:
        return None
    return last if is_shortened or text.endswith(_CLOSING[text[last]]) else None


def _skip(text: str, position: int) -> int:
    """The end of the string, bracket or object that begins at a position; else the position."""
    character = text[position]
    if character in "'\"`":
        return _skip_string(text, position)
    if character == "<" and text[:position].rstrip()[-1:] in _BEFORE_ITEM:
        return _skip_object(text, position)
    if character not in _CLOSING:
        return position
    expected = [_CLOSING[character]]
    position += 1
    while position < len(text) and expected:
        character = text[position]
        if character in "'\"`":
            position = _skip_string(text, position)
            continue
        if character == "<" and text[position - 1 : position].strip() in ("", *_BEFORE_ITEM):
            position = _skip_object(text, position)
            continue
        if character in _CLOSING:
            expected.append(_CLOSING[character])
        elif character == expected[-1]:
            expected.pop()
        position += 1
    return position


def _skip_string(text: str, start: int) -> int:
    position = start + 1
    while position < len(text):
        if text[position] == "\\":
            position += 2
            continue
        if text[position] == text[start]:
            return position + 1
        position += 1
    return len(text)


def _skip_object(text: str, start: int) -> int:
    """The end of `<function f at 0x1>`, which may contain others; `<` alone is an operator."""
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] == "<") - (text[position] == ">")
        if depth == 0:
            return position + 1
    return start + 1


def _without_mark(text: str) -> tuple[str, bool]:
    """The text without the mark of the recorder, and whether it was shortened."""
    before, mark, _ = text.rpartition(SHORTENED_MARK)
    return (before, True) if mark else (text, False)
