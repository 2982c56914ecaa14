"""Notation with one JSON object per executed line: {"line": 5, "code": …, "effect": {…}}.

Keys of the effect are variables, or the words of the other items. A variable has a string as its
value; a word has `true`, a number or a list, so that a variable may have the same name as a word.
"""

import ast
import json
import re
import warnings
from collections.abc import Sequence
from typing import Any

from worldline.models.codecs.decoded import Fragment
from worldline.models.codecs.row_notation import (
    ParsedRow,
    SourceLine,
    complete_line,
    strip_marks,
)
from worldline.models.codecs.rows import BARE_KINDS, EXACT, NOTES, UNKNOWN_EFFECT, Item, Row
from worldline.models.codecs.segments import safe_json

_LINE = re.compile(r"\{.*?['\"]?line['\"]?\s*:\s*['\"]?L?(\d{1,9})(?![\w.])")
_EFFECT = re.compile(r"['\"]effect['\"]\s*:")
Pairs = list[tuple[str, Any]]


class _Object(Pairs):
    """A JSON object as its pairs: an effect may have the same key more than once."""


class JsonNotation:
    """One JSON object per executed line."""

    writes_steps = False
    instructions = """\
You execute Python programs step by step. Write down every line that is executed, in the order of \
execution, one JSON object per row:
{"line": <line number>, "code": "<the source line>", "effect": {<its effect>}}
The effect of a line is the variables that it changed, with their values as Python's repr writes \
them, in a string. If nothing changed, the effect is empty. For a condition write "True": true or \
"False": true. For a for loop write the new value of its variable, or "done": true. For a return \
write "return" with the returned value.
A function that is called begins with the row of its def line: "enter": true, and the values of \
its parameters. A line that calls a function of the program has the effect "call": true; the rows \
of the function follow, and then the line again with its effect. If a line raises an exception, \
write "raise" with the exception; if the exception leaves the function, also "leave": true. \
A comprehension or a lambda has no rows of its own.
After the last row write ANSWER: and the value that the call returns, as a Python literal. Write \
nothing else."""

    def write(self, row: Row, source: SourceLine, *, quotes_all: bool = False) -> tuple[str, str]:
        """'{"line": 5, "code": "best = w", "effect":', ' {"best": "\\'to\\'"}}'"""
        pairs = ", ".join(f"{safe_json(key)}: {text}" for key, text in map(_pair, row.items))
        head = f'{{"line": {row.line}, "code": {safe_json(source.text)}, "effect":'
        return head, f" {{{pairs}}}}}"

    def parse(self, text: str, lines: Sequence[str]) -> ParsedRow | None:
        """Read a row; if its JSON is broken, only its line is known."""
        line, start = strip_marks(text)
        line = line.rstrip(",")
        head = _LINE.match(line)
        if head is None:
            return None
        effect = _EFFECT.search(line)
        items = _parse_items(line)
        number = Row(int(head[1]), UNKNOWN_EFFECT if items is None else items)
        return ParsedRow(number, None if effect is None else start + effect.end())

    def parse_truncated(self, text: str, lines: Sequence[str]) -> Fragment | None:
        """The line, once its number is complete."""
        line, _ = strip_marks(text)
        head = _LINE.match(line)
        if head is None or head.end() == len(line):
            return None
        return complete_line(None, int(head[1]), lines)


def _pair(item: Item) -> tuple[str, str]:
    """Key and JSON of one item."""
    match item.kind:
        case "set":
            return item.name, safe_json(item.value)
        case "del":
            return "del", f"[{safe_json(item.name)}]"
        case "raise" if item.name == EXACT:
            return "raise", f"[{safe_json(item.value)}]"
        case "raise" | "return":
            return item.kind, safe_json(item.value)
        case "scope":
            return "scope", item.value
        case "note":
            return item.value, "true"
    return item.kind, "true"


def _parse_items(text: str) -> tuple[Item, ...] | None:
    """Items of the effect in a JSON object, or in a Python one; None if it cannot be read."""
    try:
        row = json.loads(text, object_pairs_hook=_Object)
    except (ValueError, RecursionError):
        try:
            # Do not warn about invalid escape sequences in a model's output.
            with warnings.catch_warnings(action="ignore"):
                literal = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return None
        row = _pairs(literal)
    effects = [value for key, value in row if key == "effect"] if isinstance(row, _Object) else []
    if len(effects) != 1 or not isinstance(effects[0], _Object):
        return None
    items = [item for key, value in effects[0] for item in _items(key, value)]
    return tuple(items)


def _items(key: str, value: Any) -> list[Item]:
    if key in BARE_KINDS and value is True:
        return [Item(kind) for kind in BARE_KINDS if kind == key]
    if key in NOTES and isinstance(value, bool):
        return [Item("note", value=key if value else str(key != "True"))]
    if key == "del":
        return [Item("del", str(name)) for name in (value if isinstance(value, list) else [value])]
    if key == "scope" and type(value) is int:
        return [Item("scope", value=str(value))]
    if key == "raise" and isinstance(value, list) and not isinstance(value, _Object):
        return [Item("raise", EXACT, str(part)) for part in value]
    if key in ("raise", "return"):
        return [Item("raise" if key == "raise" else "return", value=_text(value))]
    return [Item("set", key, _text(value))]


def _text(value: Any) -> str:
    """A value as text: the string itself, or the repr of what a model wrote as JSON."""
    return value if isinstance(value, str) else repr(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, _Object):
        return {key: _plain(item) for key, item in value}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _pairs(value: Any) -> Any:
    """A Python literal like the result of the JSON parser."""
    if isinstance(value, dict):
        return _Object((str(key), _pairs(item)) for key, item in value.items())
    return value
