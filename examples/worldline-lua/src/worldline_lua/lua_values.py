"""Values of Lua as text, in its own notation; implements `ValueSyntax`.

A table with the keys 1 to n is a list, any other a dictionary, whose order does not count. Several
returned values are a tuple: `1, 2`.
"""

import re
from functools import lru_cache
from typing import Any

from worldline.core.language import Comparison, Leaf, ValueKind
from worldline.core.trace import SHORTENED_MARK

NULL = "nil"
_SHORTENED = re.compile(rf"{SHORTENED_MARK}(?:more than )?\d+ (?:characters|items)>\Z")
_OPAQUE = re.compile(r"<(?:function|userdata|thread)>")
_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:[^\"\\]|\\(?s:.))*\"|'(?:[^'\\]|\\(?s:.))*')"
    r"|(?P<number>-?\s*(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+))|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<opaque><\w+>)|(?P<mark>[{}\[\]=,;]))"
)
_ESCAPE = re.compile(r"\\(?:(\d{1,3})|x([0-9a-fA-F]{2})|(?s:(.)))")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_WORDS: dict[str, Any] = {"nil": None, "true": True, "false": False}
_ROUNDING = 1e-6


@lru_cache(maxsize=8192)
def _parse(text: str) -> tuple[Any] | None:
    """The value of a text, in a tuple; None if it is not a value."""
    parser = _Parser(text)
    try:
        values = [parser.value()]
        while parser.take(","):
            values.append(parser.value())
    except (ValueError, RecursionError):
        return None
    if not parser.is_at_end:
        return None
    return (values[0],) if len(values) == 1 else (tuple(values),)


class _Parser:
    """Reads literals: strings, numbers, booleans, nil and tables."""

    def __init__(self, text: str) -> None:
        self.tokens = []
        position, text = 0, text.strip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                self.tokens = [("mark", "?")]
                break
            self.tokens.append((match.lastgroup or "", match[0].strip()))
            position = match.end()
        self.index = 0

    @property
    def is_at_end(self) -> bool:
        return self.index == len(self.tokens)

    def take(self, *marks: str) -> bool:
        is_there = not self.is_at_end and self.tokens[self.index][1] in marks
        self.index += is_there
        return is_there

    def value(self) -> Any:
        if self.is_at_end:
            raise ValueError
        kind, text = self.tokens[self.index]
        self.index += 1
        if kind == "string":
            return _unquote(text[1:-1])
        if kind == "number":
            digits = text.replace(" ", "")
            return int(digits) if re.fullmatch(r"-?\d+", digits) else float(digits)
        if text in _WORDS:
            return _WORDS[text]
        if text != "{":
            raise ValueError
        return self.table()

    def table(self) -> Any:
        items: dict[Any, Any] = {}
        number = 0
        while not self.take("}"):
            key: Any
            following = self.tokens[self.index : self.index + 2]
            if self.take("["):
                key = self.value()
                if not self.take("]") or not self.take("=") or isinstance(key, list | dict):
                    raise ValueError
            elif len(following) == 2 and following[0][0] == "name" and following[1][1] == "=":
                key = following[0][1]
                self.index += 2
            else:
                number += 1
                key = number
            items[key] = self.value()
            if not self.take(",", ";") and self.tokens[self.index : self.index + 1] != [
                ("mark", "}")
            ]:
                raise ValueError
        is_list = set(items) == set(range(1, len(items) + 1)) and True not in map(_is_bool, items)
        return [items[n] for n in range(1, len(items) + 1)] if is_list else items


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _unquote(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1] or match[2]:
            return chr(int(match[1])) if match[1] else chr(int(match[2], 16))
        return _ESCAPES.get(match[3], match[3])

    return _ESCAPE.sub(character, text)


def write_value(value: Any) -> str:
    """A value as the recorder writes it, with the keys of tables in order."""
    if value is None or isinstance(value, bool):
        return {None: "nil", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, tuple):
        return ", ".join(map(write_value, value))
    if isinstance(value, list):
        return "{" + ", ".join(map(write_value, value)) + "}"
    if isinstance(value, dict):
        pairs = sorted((_key_text(key), write_value(item)) for key, item in value.items())
        return "{" + ", ".join(f"{key} = {item}" for key, item in pairs) + "}"
    return repr(value)


def _key_text(key: Any) -> str:
    is_name = isinstance(key, str) and re.fullmatch(r"[A-Za-z_]\w*", key)
    return key if is_name else f"[{write_value(key)}]"


def compare_values(actual: str, predicted: str) -> Comparison:
    """Compare an actual value with a predicted one: `{b = 1, a = 2}` is `{a = 2, b = 1}`."""
    if actual == predicted:
        return Comparison(True)
    if is_opaque(actual):
        return Comparison(True, "opaque")
    if _SHORTENED.search(actual):
        is_same = may_start_value(actual, predicted)
        return Comparison(is_same, "shortened" if is_same else None)
    is_same = canonical_value(actual) == canonical_value(predicted)
    return Comparison(is_same, "spelling" if is_same else None)


def canonical_value(value: str) -> str:
    """The same text for values that are the same: `{'a'}` -> `{"a"}`."""
    if is_opaque(value):
        return "<opaque>"
    parsed = _parse(value)
    return value if parsed is None else write_value(parsed[0])


def is_opaque(value: str) -> bool:
    """Whether nothing of a value can be predicted."""
    return _OPAQUE.fullmatch(value) is not None


def may_start_value(actual: str, start: str) -> bool:
    """Whether a text may be the start of an actual value, or continue a shortened one."""
    kept = _SHORTENED.sub("", actual)
    left, right = (re.sub(r"\s", "", text) for text in (kept, start))
    if is_opaque(actual):
        return True
    if kept == actual and len(right) > len(left):
        return False
    common = min(len(left), len(right))
    return left[:common] == right[:common]


def answers_equal(expected: str, answer: str) -> bool:
    """Whether an answer is equal to the expected value; `1` and `1.0` are equal in Lua."""
    left, right = _parse(expected), _parse(answer)
    if left is None or right is None:
        return expected.strip() == answer.strip()
    return _numeric(left[0]) == _numeric(right[0])


def _numeric(value: Any) -> str:
    return re.sub(r"(?<=\d)\.0\b", "", write_value(value))


def results_equal(actual: str, answer: str) -> bool:
    """Whether an answer is what the program returned."""
    return compare_values(actual, answer).is_same or answers_equal(actual, answer)


def is_reference_of(actual: str, reference: str) -> bool:
    """Whether a benchmark's value is what the program returned, up to rounding."""
    left, right = _parse(actual), _parse(reference)
    if results_equal(actual, reference) or left is None or right is None:
        return results_equal(actual, reference)
    numbers = isinstance(left[0], float), isinstance(right[0], int | float)
    return all(numbers) and abs(left[0] - right[0]) < _ROUNDING


def value_kind(value: str) -> ValueKind:
    """The kind of a value: `{1}` -> "list", `{a = 1}` -> "dict"."""
    if not value:
        return "missing"
    parsed = _parse(value)
    if parsed is None:
        return {'"': "str", "'": "str", "{": "list"}.get(value[0], "object")  # type: ignore[return-value]
    return "None" if parsed[0] is None else type(parsed[0]).__name__  # type: ignore[return-value]


def first_leaf(actual: str, predicted: str) -> Leaf:
    """The innermost position of the first difference: `{1, {a = 2}}` -> `[2].a`."""
    left, right = _parse(actual), _parse(predicted)
    if left is None or right is None:
        return Leaf("", value_kind(actual), actual, predicted)
    path, a, b = _descend(left[0], right[0], "")
    text, other = (actual, predicted) if not path else (write_value(a), write_value(b))
    return Leaf(path, value_kind(write_value(a)), text, other)


def _descend(left: Any, right: Any, path: str) -> tuple[str, Any, Any]:
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for number, (a, b) in enumerate(zip(left, right, strict=True), 1):
            if write_value(a) != write_value(b):
                return _descend(a, b, f"{path}[{number}]")
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        for key, a in left.items():
            if write_value(a) != write_value(right[key]):
                text = _key_text(key)
                return _descend(a, right[key], path + (text if text[0] == "[" else f".{text}"))
    return path, left, right


def string_items(value: str) -> frozenset[str]:
    """All strings in a table, as text."""
    parsed = _parse(value)
    if parsed is None or not isinstance(parsed[0], list | dict):
        return frozenset()
    return frozenset(write_value(text) for text in _strings(parsed[0]))


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _strings(part)]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return [value] if isinstance(value, str) else []


def parse_literal(text: str) -> Any:
    """The Python value of a literal; raises `ValueError` if it is not one."""
    parsed = _parse(text)
    if parsed is None:
        raise ValueError("not a literal")
    return parsed[0]
