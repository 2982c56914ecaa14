"""Text of a row's effect: items separated by `; `.

`best = 'to'; del w`, `True`, `enter; x = 1`, `raise ValueError('x')`. A value is written as it is,
or, if that would be ambiguous, as `\\` and a JSON string.
"""

import json
import re
from collections.abc import Iterable

from worldline.models.codecs.rows import BARE_KINDS, EXACT, UNKNOWN_EFFECT, Item, ItemKind
from worldline.models.codecs.segments import safe_json
from worldline.models.codecs.value_notation import needs_escape

_STRING = r"'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\""
_TOKEN = re.compile(
    rf"{_STRING}|(?P<open>[\[({{])|(?P<close>[\])}}])|(?P<comment>(?:(?<=\s)|^)#)"
    r"|(?P<separator>;|,\s+(?=\.?\w+\s=\s))|(?P<quote>['\"])"
)
_ARROW = re.compile(
    rf"{_STRING}|(?P<open>[\[({{])|(?P<close>[\])}}])|(?P<arrow>\s(?:=>|→|⇒)\s+)(?=\S)"
)
_SET = re.compile(r"(\.?\w+|\\\"[^\"\\]*(?:\\.[^\"\\]*)*\")\s*=(?!=)\s*(.+)", re.DOTALL)
_PART_SET = re.compile(r"([A-Za-z_]\w*)\s*[.\[].*=", re.DOTALL)
_DEL = re.compile(r"del\s+(\.?\w+|\\\".*\")\Z")
_VALUE = re.compile(r"(raise|return|yield)\s+(.+)\Z", re.DOTALL)
_SCOPE = re.compile(r"scope\s+(\d{1,9})\Z")
_NOTHING = ("", "nothing", "no change", "no changes", "unchanged", "no effect", "-", "—", "pass")
_NOTES = {"true": "True", "false": "False", "done": "done", "end": "done", "finished": "done"}
_STRAIGHT = {"‘": "'", "’": "'", "“": '"', "”": '"'}
_CURLY = re.compile(rf"(?P<string>{_STRING})|[{''.join(_STRAIGHT)}]")


def split_items(text: str) -> tuple[list[str], bool]:
    """Split at separators outside quotes and brackets; drop a comment at the end.

    Returns:
        The items, and whether all quotes and brackets are closed.

    "a = [1; 2]; b = ';'  # two" -> ["a = [1; 2]", "b = ';'"], True; "a = 'x; b" -> …, False
    """
    depth, start, end = 0, 0, len(text)
    parts: list[str] = []
    for match in _TOKEN.finditer(text):
        if match["open"]:
            depth += 1
        elif match["close"]:
            depth = max(0, depth - 1)
        elif match["quote"]:
            return [*parts, text[start:].strip()], False
        elif match["comment"] and not depth:
            end = match.start()
            break
        elif match["separator"] and not depth:
            parts.append(text[start : match.start()].strip())
            start = match.end()
    last = text[start:end].strip()
    return [*parts, last] if last or not parts else parts, depth == 0


def parse_items(
    text: str, *, is_return: bool = False, may_return: bool = False
) -> tuple[Item, ...]:
    """The items of an effect; the effect is unknown if one of them cannot be read.

    Args:
        text: text of the effect.
        is_return: whether the line is a return statement, whose value stands alone.
        may_return: whether the line contains one.
    """
    parts, is_closed = split_items(with_straight_quotes(text))
    if not is_closed:
        return (*_certain_items(parts[:-1]), *UNKNOWN_EFFECT)
    # On a line that may return, `[]` and `()` are values.
    only = parts[0].strip(" ." if may_return else "()[] .") if len(parts) == 1 else None
    if not is_return and only is not None and only.lower() in _NOTHING:
        return ()
    items = [parse_item(part, is_return=is_return, may_return=may_return) for part in parts if part]
    if None in items:
        return (*_certain_items(parts), *UNKNOWN_EFFECT)
    return tuple(item for item in items if item is not None)


def _certain_items(parts: Iterable[str]) -> Iterable[Item]:
    """What is certain in an effect that cannot be read completely: entering and calling."""
    return [Item(part) for part in parts if part in ("enter", "call")]  # type: ignore[arg-type]


def parse_item(text: str, *, is_return: bool = False, may_return: bool = False) -> Item | None:
    """One item; None if it cannot be read."""
    for bare in BARE_KINDS:
        if text == bare:
            return Item(bare)
    if match := _SCOPE.match(text):
        return Item("scope", value=str(int(match[1])))
    if match := _DEL.match(text):
        return Item("del", _read(match[1]))
    if match := _VALUE.match(text):
        is_exact = match[1] == "raise" and match[2].startswith("\\")
        kind: ItemKind = "raise" if match[1] == "raise" else "return"
        return Item(kind, EXACT if is_exact else "", _read(match[2]))
    if (match := _SET.fullmatch(text)) and "\n" not in match[1]:
        return Item("set", _read(match[1]), _read(match[2]))
    if is_return:
        return Item("return", value=_read(text))
    note = _NOTES.get(_last_in_chain(text).lower())
    if note is not None:
        return Item("note", value=note)
    if match := _PART_SET.match(text):
        return Item("unknown", match[1])
    return Item("return", value=_read(text)) if may_return else None


def write_items(items: Iterable[Item], *, is_return: bool, is_yield: bool, quotes_all: bool) -> str:
    """Text of an effect, as `parse_items` reads it.

    Args:
        items: items of the effect.
        is_return: whether the line is a return statement, whose value stands alone.
        is_yield: whether the line contains a `yield`.
        quotes_all: write every value as JSON.
    """
    return "; ".join(
        _write(item, is_return=is_return, is_yield=is_yield, quotes_all=quotes_all)
        for item in items
    )


def _write(item: Item, *, is_return: bool, is_yield: bool, quotes_all: bool) -> str:
    value = item.value
    if quotes_all or item.name == EXACT or not is_plain(value):
        value = f"\\{safe_json(value)}"
    match item.kind:
        case "set":
            return f"{_write_name(item.name)} = {value}"
        case "del":
            return f"del {_write_name(item.name)}"
        case "raise":
            return f"raise {value}"
        case "return":
            return value if is_return else f"{'yield' if is_yield else 'return'} {value}"
        case "scope":
            return f"scope {item.value}"
        case "note":
            return item.value
    return item.kind


def is_plain(value: str) -> bool:
    """Whether a value can be written as it is."""
    if not value or value != value.strip() or value[0] == "\\" or needs_escape(value):
        return False
    if value != _last_in_chain(value):
        return False
    return value == with_straight_quotes(value) and split_items(value) == ([value], True)


def with_straight_quotes(text: str) -> str:
    """The text with straight quotes for curly ones outside strings: `x = ‘a’` -> `x = 'a'`"""
    return _CURLY.sub(lambda match: match[0] if match["string"] else _STRAIGHT[match[0]], text)


def _write_name(name: str) -> str:
    return name if re.fullmatch(r"\.?\w+", name) else f"\\{safe_json(name)}"


def _read(text: str) -> str:
    """A value or name, as written or as JSON; text that only looks like JSON is kept."""
    if text.startswith('\\"'):
        try:
            value = json.loads(text[1:])
        except ValueError:
            return text
        return value if isinstance(value, str) else text
    return _last_in_chain(text)


def _last_in_chain(text: str) -> str:
    """The value after the last arrow outside quotes and brackets: `3 + 14 => 17` -> `17`

    A model may write its calculation before the value.
    """
    depth = start = 0
    for match in _ARROW.finditer(text):
        if match["open"]:
            depth += 1
        elif match["close"]:
            depth = max(0, depth - 1)
        elif match["arrow"] and not depth:
            start = match.end()
    return text[start:]
